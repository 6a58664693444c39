// A folder as a store of InferenceServices and TrafficMaps, step by step and without a thread:
//
//     inferenceservices/<namespace>/<name>.yaml   read, never written
//     overrides/<namespace>/<name>.yaml           merged over the service of that name
//     trafficmaps/<namespace>/<name>.yaml         written
//     routes/<namespace>/<name>.yaml              written: what is published of that map
//     workloads/<cluster>.yaml                    read: what a workload cluster has of routes
//     events.ndjson, ome-trafficmap.lock, ome-trafficmap.generations
#pragma once

#include "event_file.hpp"
#include "folder_lead.hpp"
#include "folder_watch.hpp"
#include "generations.hpp"
#include "manifest_tree.hpp"
#include "map_shelf.hpp"
#include "route_shelf.hpp"
#include "service_shelf.hpp"
#include "standing_complaints.hpp"
#include "store.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

class DirFolder {
public:
    /// Problem: the folder is not there, or nothing can be made in it.
    [[nodiscard]] static core::Result<std::unique_ptr<DirFolder>> open(const std::string& path);

    /// Holds the folder for the life of this object; false while another process does.
    [[nodiscard]] bool try_lead() { return lead_->try_take(); }

    /// Everything that is there, ending with news::Listed. Once, by the leader.
    [[nodiscard]] std::vector<StoreNews> list(core::WallTime now);

    /// What the watch tells, or everything when it cannot be sure or `all`. While the folder is
    /// elsewhere that alone is told, once.
    [[nodiscard]] std::vector<StoreNews> look(bool all, core::WallTime now);

    struct Applied {
        std::vector<StoreResult> results;
        std::vector<PublicationResult> published;
        std::vector<StoreNews> news;  ///< edits that were found on the way
    };
    /// While the folder is elsewhere all of them fail.
    [[nodiscard]] Applied apply(const std::vector<StoreRequest>& requests, core::WallTime now);

    /// Readable when there is something to look at.
    [[nodiscard]] int watch_descriptor() const { return watch_->descriptor(); }

private:
    explicit DirFolder(std::string path);

    struct Seen {
        ManifestTree::Changes services;
        ManifestTree::Changes overrides;
        ManifestTree::Changes maps;
        ManifestTree::Changes routes;
    };
    Seen scan();
    Seen look_at(const std::set<std::string>& paths);
    void watch_folders();
    void take(const Seen& seen);
    void tell_of_folders();
    void tell(std::vector<StoreNews> some);
    [[nodiscard]] std::optional<core::Problem> displacement();
    [[nodiscard]] Applied refuse(const std::vector<StoreRequest>& requests,
                                 const core::Problem& why);
    void answer(const AddressQuery& query);
    [[nodiscard]] std::vector<const ManifestTree*> trees() const;
    void take_routes(const ManifestTree::Changes& seen);
    void publish(const std::vector<StoreRequest>& requests, core::WallTime now, Applied& applied);
    void take_service_files(const std::set<std::string>& paths);
    void settle(const core::ServiceKey& key, core::WallTime now);
    void append(const EventRecord& event);
    void carry_out(const DrainLapse& lapse);
    void collect_garbage(const core::ServiceKey& key, core::WallTime now);
    [[nodiscard]] bool is_orphan(const routing::TrafficMap& map) const;
    [[nodiscard]] std::set<core::ServiceKey> touched(const std::vector<StoreNews>& told);
    [[nodiscard]] std::vector<StoreNews> take_news(bool all, core::WallTime now);

    std::string path_;
    std::unique_ptr<FolderLead> lead_;
    std::unique_ptr<FolderWatch> watch_;
    ManifestTree service_tree_;
    ManifestTree override_tree_;
    ManifestTree map_tree_;
    ManifestTree route_tree_;
    Generations generations_;
    MapShelf maps_;
    RouteShelf routes_;
    ServiceShelf services_;
    EventFile events_;
    StandingComplaints folder_complaints_;
    StandingComplaints place_complaints_;  ///< of the whole folder
    StandingComplaints event_complaints_;
    StandingComplaints generation_complaints_;
    bool was_displaced_ = false;
    std::vector<AddressQuery> unanswered_;  ///< since then
    std::set<core::ServiceKey> unlapsed_;   ///< whose drain could not be taken off
    std::vector<StoreNews> problems_;
};

}  // namespace ome::controller
