// The TrafficMaps of a folder, with what an API server would do for them: uid, resourceVersion,
// generation, preconditions, finalizers. The one writer of these files; an edit by hand is taken
// for a write by somebody else.
#pragma once

#include "manifest_tree.hpp"
#include "store.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

class MapShelf {
public:
    explicit MapShelf(ManifestTree& tree) : tree_(tree) {}

    /// The file has changed, and not because of us.
    void take_file(const std::string& path);
    void drop_file(const std::string& path);

    /// In order of the requests. The files are flushed together.
    [[nodiscard]] std::vector<StoreResult> write(const std::vector<MapWrite>& writes,
                                                 core::WallTime now);
    [[nodiscard]] StoreResult remove(const MapDelete& request, core::WallTime now);
    /// The publisher's.
    [[nodiscard]] std::vector<StoreResult> write(const std::vector<MapStatusWrite>& writes);
    [[nodiscard]] StoreResult write(const MapFinalizerWrite& request);

    [[nodiscard]] std::vector<StoreNews> take_news();
    [[nodiscard]] std::shared_ptr<const routing::TrafficMap> find(
        const core::ServiceKey& key) const;
    [[nodiscard]] std::vector<core::ServiceKey> keys() const;

private:
    struct Held {
        std::shared_ptr<const routing::TrafficMap> map;  ///< null: the file cannot be used
        std::string path;                                ///< below the folder
        std::string signature;
        boost::json::object unknown;  ///< members of another version, written back as they are
    };

    void look_again(const core::ServiceKey& key);
    void take_map(const core::ServiceKey& key,
                  const std::string& path,
                  std::string signature,
                  routing::TrafficMap map);
    void undo_damage(const Held& held, const core::Problem& problem);
    [[nodiscard]] bool is_current(const core::ServiceKey& key, const Precondition& precondition);
    [[nodiscard]] routing::TrafficMap next_state(const MapWrite& write, core::WallTime now);
    struct Change {
        core::ServiceKey key;
        Precondition precondition;
        bool may_create = false;
        std::function<routing::TrafficMap()> next;
    };
    /// Flushed together; of two for one map the second is a conflict.
    [[nodiscard]] std::vector<StoreResult> carry_out(const std::vector<Change>& changes);
    [[nodiscard]] StoreResult conflict(const core::ServiceKey& key) const;
    [[nodiscard]] std::string path_of(const core::ServiceKey& key) const;
    [[nodiscard]] StoreResult store(const core::ServiceKey& key, routing::TrafficMap map);
    [[nodiscard]] StoreResult delete_file(const core::ServiceKey& key);
    void hold(const core::ServiceKey& key,
              const std::string& path,
              std::string signature,
              routing::TrafficMap map);
    [[nodiscard]] std::string text_of(const routing::TrafficMap& map) const;
    [[nodiscard]] std::string next_version();

    ManifestTree& tree_;
    std::map<core::ServiceKey, Held> maps_;
    std::uint64_t last_version_ = 0;
    std::vector<StoreNews> news_;
};

}  // namespace ome::controller
