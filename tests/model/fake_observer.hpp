// An observer without sockets: the real fleet and change feed under a fake clock, its answers as
// the real texts.
#pragma once

#include "model/scenario.hpp"
#include <ome/core/change_feed.hpp>
#include <ome/core/fleet.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::model {

class FakeObserver {
public:
    explicit FakeObserver(std::string instance);

    [[nodiscard]] const std::string& instance() const { return instance_; }
    [[nodiscard]] std::uint64_t revision() const { return feed_.revision(); }

    /// The answer to a declaration, or why it was refused.
    [[nodiscard]] core::Result<std::string> put(const std::string& line, const core::Now& now);
    void forget(const core::ServiceKey& key, const core::Now& now);
    /// Forgets every service that is not among these.
    void keep_only(const std::vector<core::ServiceKey>& keys, const core::Now& now);
    /// The answer to a list of all, in one page.
    [[nodiscard]] std::string list(const core::Now& now);
    /// The lines of a watch after `since`, which moves on.
    [[nodiscard]] std::vector<std::string> lines(std::uint64_t& since, const core::Now& now);
    [[nodiscard]] std::string bookmark() const;

    [[nodiscard]] core::Fleet& fleet() { return fleet_; }
    /// Numbers what changed.
    void announce();

private:
    [[nodiscard]] std::string answer(const core::ServiceKey& key, const core::Now& now);

    std::string instance_;
    core::Fleet fleet_;
    core::ChangeFeed feed_{1000};
    std::map<core::ServiceKey, std::uint64_t> revisions_;
};

}  // namespace ome::model
