// Services that stay as they were, since what is there now of them cannot be used.
#pragma once

#include "store.hpp"
#include <ome/routing/explanation.hpp>

#include <map>
#include <string>

namespace ome::controller {

class HeldBack {
public:
    void hear(const StoreNews& told, core::WallTime now);

    /// What has held the service for longest; null: nothing does.
    [[nodiscard]] const routing::LastGood* find(const core::ServiceKey& key) const;

private:
    using ByFile = std::map<std::string, routing::LastGood>;
    void hear_usable(const std::string& file);

    std::map<core::ServiceKey, ByFile> services_;
};

}  // namespace ome::controller
