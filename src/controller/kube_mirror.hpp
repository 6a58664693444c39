// Objects as a follower tells them, as news of the store: what is new, what is gone, and what
// cannot be read.
#pragma once

#include "store.hpp"
#include <ome/kube/follower.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace ome::controller {

/// The objects of one collection. Pure but for its callbacks.
class KubeMirror {
public:
    enum class Of : bool { Services, Maps };

    struct Listener {
        std::function<void(StoreNews)> news;
        std::function<void()> listed;  ///< a whole list has been told
        std::function<void(const kube::Failure&, core::Duration pause)> troubled;
    };

    KubeMirror(Of what, Listener listener);

    /// For the follower; the mirror must outlive it.
    [[nodiscard]] kube::FollowListener follow();

    /// Something of ours was stored as this version: older ones that the watch still tells are
    /// history.
    void stored(const core::ServiceKey& key, const std::string& resource_version);
    [[nodiscard]] bool has_list() const { return has_list_; }

private:
    void take(const boost::json::value& object);
    void gone(const core::ServiceKey& key);
    void tell(const core::ServiceKey& key, const boost::json::value& object);
    void complain(const core::ServiceKey& key,
                  const boost::json::value& object,
                  const core::Problem& problem);
    [[nodiscard]] bool is_history(const core::ServiceKey& key, const std::string& version) const;

    Of what_;
    Listener listener_;
    std::set<core::ServiceKey> known_;
    std::set<core::ServiceKey> listed_;
    std::set<core::ServiceKey> unusable_;
    std::map<core::ServiceKey, std::string> versions_;  // of what we stored and have not seen yet
    bool has_list_ = false;
};

}  // namespace ome::controller
