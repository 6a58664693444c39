// All simulated homes: their names, what each does next, and what each has seen. No socket, no
// clock.
#pragma once

#include "behaviour.hpp"
#include "counters.hpp"
#include <ome/core/attempt.hpp>
#include <ome/core/problem.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ome::homesim {

inline constexpr std::array<core::Kind, 2> kinds{core::Kind::Poll, core::Kind::Probe};

/// What a home does and saw, for one kind.
struct Observed {
    SharedBehaviour behaviour;
    core::SteadyTime changed;    ///< when the behaviour was set
    std::uint64_t attempts = 0;  ///< since then
    RequestCounters counters;
    Gaps gaps;
};

/// What becomes of a connection, before any request; only where it tells its home.
enum class Accept : std::uint8_t { Serve, Stall, Reset, Close };

struct Home {
    std::string name;
    std::array<Observed, 2> observed;
    Accept accept = Accept::Serve;
    std::uint64_t connections = 0;  ///< counted only where they tell their home

    [[nodiscard]] Observed& of(core::Kind kind) { return observed[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const Observed& of(core::Kind kind) const {
        return observed[static_cast<std::size_t>(kind)];
    }
};

/// Which homes a change is for.
struct Selection {
    std::string pattern = "*";  ///< a name, or a glob with `*`, `?`, `[...]`
    double percent = 100;       ///< of the homes that match, evenly spread, always the same ones
};

/// A new behaviour; what is absent stays.
struct Change {
    SharedBehaviour poll;
    SharedBehaviour probe;
    std::optional<Accept> accept = {};
};

class Fleet {
public:
    /// Of a name given twice the first counts.
    Fleet(std::vector<std::string> names, core::SteadyTime now);
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    [[nodiscard]] Home* find(std::string_view name);
    [[nodiscard]] const std::vector<Home>& homes() const { return homes_; }
    /// Null beyond the last.
    [[nodiscard]] Home* at(std::size_t index) {
        return index < homes_.size() ? &homes_[index] : nullptr;
    }

    /// How many homes it applied to.
    std::size_t apply(const Selection& selection, const Change& change, core::SteadyTime now);

    /// Counts a request whose home is known, and says what to do with it. The step lives as long as
    /// the pointer, whatever is applied meanwhile.
    [[nodiscard]] std::shared_ptr<const Step> begin(Home& home,
                                                    core::Kind kind,
                                                    bool fresh,
                                                    core::SteadyTime now);
    void answer(Home& home, core::Kind kind);
    void cut(Home& home, core::Kind kind);
    void leave(Home& home, core::Kind kind, Left how);

    void reset_counters();
    void reset_behaviours(core::SteadyTime now);

    [[nodiscard]] const RequestCounters& total(core::Kind kind) const {
        return totals_[static_cast<std::size_t>(kind)];
    }

private:
    RequestCounters& total_of(core::Kind kind) { return totals_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] std::vector<Home*> select(const Selection& selection);

    std::vector<Home> homes_;
    std::unordered_map<std::string_view, Home*> by_name_;  ///< keys live in homes_
    std::array<RequestCounters, 2> totals_;
    std::array<SharedBehaviour, 2> plain_;
};

}  // namespace ome::homesim
