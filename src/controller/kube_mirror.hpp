// Objects as a follower tells them, as news of the store: what is new, what is gone, and what
// cannot be read.
#pragma once

#include "store.hpp"
#include <ome/kube/follower.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

/// The objects of one collection. Pure but for its callbacks.
class KubeMirror {
public:
    enum class Of : std::uint8_t { Services, Maps, Objects };

    struct Listener {
        std::function<void(StoreNews)> news;
        std::function<void()> listed;  ///< a whole list has been told
        std::function<void(const kube::Failure&, core::Duration pause)> troubled;
        std::function<void()> silent = {};  ///< of its watch (kube::FollowListener)
    };

    /// Of services or of maps.
    KubeMirror(Of what, Listener listener);
    /// Of objects that the publisher may write, whoever they belong to.
    KubeMirror(routing::ObjectKind kind, Listener listener);

    /// For the follower; the mirror must outlive it.
    [[nodiscard]] kube::FollowListener follow();

    /// Something of ours was stored as this version: older ones that the watch still tells are
    /// history.
    void stored(const core::ServiceKey& key, const std::string& resource_version);
    /// Between these two an object is being written in more than one step: what the watch tells of
    /// it meanwhile is told afterwards, the last of it, so that nobody decides on half of a write.
    void hold(const core::ServiceKey& key);
    void release(const core::ServiceKey& key);
    [[nodiscard]] bool has_list() const { return has_list_; }
    [[nodiscard]] bool knows(const core::ServiceKey& key) const { return known_.contains(key); }
    /// There is no such collection any more.
    void all_gone();

private:
    struct Change {
        wire::WatchEventType type;
        boost::json::value object;
    };

    void change(wire::WatchEventType type, const boost::json::value& object);
    void take(const boost::json::value& object);
    void gone(const core::ServiceKey& key);
    void tell(const core::ServiceKey& key, const boost::json::value& object);
    void tell_object(const core::ServiceKey& key, const boost::json::value& object);
    void complain(const core::ServiceKey& key,
                  const boost::json::value& object,
                  const core::Problem& problem);
    void usable(const core::ServiceKey& key);
    void remark(const core::ServiceKey& key, const boost::json::value& object);
    [[nodiscard]] std::string place_of(const core::ServiceKey& key) const;
    [[nodiscard]] bool is_history(const core::ServiceKey& key, const std::string& version) const;

    Of what_;
    routing::ObjectKind kind_ = routing::ObjectKind::HttpRoute;  ///< with Of::Objects
    Listener listener_;
    std::set<core::ServiceKey> known_;
    std::set<core::ServiceKey> listed_;
    std::set<core::ServiceKey> unusable_;
    std::map<core::ServiceKey, std::vector<core::Problem>> remarks_;  // that were told, of services
    std::map<core::ServiceKey, std::string> versions_;  // of what we stored and have not seen yet
    std::map<core::ServiceKey, std::optional<Change>> held_;
    bool has_list_ = false;
};

}  // namespace ome::controller
