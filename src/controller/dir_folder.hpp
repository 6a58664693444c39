// A folder as a store of InferenceServices and TrafficMaps, step by step and without a thread:
//
//     inferenceservices/<namespace>/<name>.yaml   read, never written
//     overrides/<namespace>/<name>.yaml           merged over the service of that name
//     trafficmaps/<namespace>/<name>.yaml         written
//     routes/<namespace>/<name>.yaml              written: what is published of the map of that
//     name workloads/<cluster>.yaml                    read: HTTPRoutes and Gateways of a workload
//     cluster events.ndjson, ome-trafficmap.lock, ome-trafficmap.generations
#pragma once

#include "event_file.hpp"
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
    ~DirFolder();
    DirFolder(const DirFolder&) = delete;
    DirFolder& operator=(const DirFolder&) = delete;

    /// Holds the folder for the life of this object; false while another process does.
    [[nodiscard]] bool try_lead();

    /// Everything that is there, ending with news::Listed. Once, by the leader.
    [[nodiscard]] std::vector<StoreNews> list(core::WallTime now);

    /// What the watch tells, or everything when it cannot be sure or `all`.
    [[nodiscard]] std::vector<StoreNews> look(bool all, core::WallTime now);

    struct Applied {
        std::vector<StoreResult> results;
        std::vector<PublicationResult> published;
        std::vector<StoreNews> news;  ///< edits that were found on the way
    };
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
    int lock_ = -1;
    int folder_lock_ = -1;
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
    std::set<core::ServiceKey> unlapsed_;  ///< whose drain could not be taken off
    std::vector<StoreNews> problems_;
};

}  // namespace ome::controller
