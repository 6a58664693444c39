// Keeps a failure that repeats from filling the log: the first is told, then at most one per
// interval, with the number of those that were not. Pure; one thread.
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>

namespace ome::telemetry {

class RepeatLimiter {
public:
    struct Verdict {
        bool tell = false;
        std::uint64_t untold = 0;  ///< since the last one that was told; zero unless `tell`
    };

    /// `max_keys` bounds the memory: beyond it the key that was told longest ago is forgotten.
    explicit RepeatLimiter(core::Duration interval, std::size_t max_keys = 4096);

    /// `now` never goes back. Costs the same however many keys there are, but for their look-up.
    [[nodiscard]] Verdict admit(std::string_view key, core::SteadyTime now);

    /// It is over: the next one is told at once.
    void forget(std::string_view key);

    [[nodiscard]] std::size_t keys() const { return entries_.size(); }

private:
    struct Entry;
    using Entries = std::map<std::string, Entry, std::less<>>;
    using ByAge = std::list<Entries::iterator>;
    struct Entry {
        core::SteadyTime told;
        std::uint64_t untold = 0;
        ByAge::iterator place;
    };
    void make_room();

    core::Duration interval_;
    std::size_t max_keys_;
    Entries entries_;
    ByAge by_age_;  ///< the one that was told longest ago is in front
};

}  // namespace ome::telemetry
