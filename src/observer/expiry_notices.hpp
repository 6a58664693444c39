// Which homes' certificates the log tells of: each one once, and of very many at once a few in each
// interval, with the number of those that wait. Pure; one thread.
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::observer {

class ExpiryNotices {
public:
    ExpiryNotices(core::Duration interval, std::size_t most_in_one)
        : interval_(interval), most_in_one_(most_in_one) {}

    /// The home has shown a certificate that expires soon, at `expiry` in seconds. Present: it is
    /// to be told now, and so many other homes still wait for that. `now` never goes back.
    [[nodiscard]] std::optional<std::size_t> note(const std::string& home,
                                                  std::int64_t expiry,
                                                  core::SteadyTime now);

    /// The home has shown one that lasts. What was told of it stays told: a kept connection may
    /// show the old one once more.
    void note_renewed(const std::string& home);

    void forget(const std::string& home);

    [[nodiscard]] std::size_t homes() const { return homes_.size(); }

private:
    struct Home {
        std::vector<std::int64_t> told;  ///< the last few: a home may show several in turn
        bool waits = false;
    };
    void set_waits(Home& home, bool waits);

    core::Duration interval_;
    std::size_t most_in_one_;
    std::map<std::string, Home> homes_;
    std::size_t waiting_ = 0;
    core::SteadyTime interval_end_;
    std::size_t told_in_it_ = 0;
};

}  // namespace ome::observer
