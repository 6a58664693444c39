// The last attempts of one home and kind, so that somebody can ask what happened without a log;
// those that changed the gate or the ceiling are kept when the others have made room. Small on
// purpose: there are two of these a home.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// What an attempt came to: the first two of a poll, the others of a probe.
enum class AttemptResult : std::uint8_t { Accepted, Failed, Passing, Failing, Unknown };
[[nodiscard]] std::string_view to_string(AttemptResult result);

/// What an attempt did to the home's gate (a probe) or ceiling (a poll).
enum class AttemptChange : std::uint8_t {
    None,
    GateClosed,
    GateLifted,
    CeilingLost,
    CeilingKnown,  ///< there was none before
    CeilingMoved,
};
/// `gate-closed`, `gate-lifted`, `ceiling-lost`, `ceiling-known`, `ceiling-moved`; empty for None.
[[nodiscard]] std::string_view to_string(AttemptChange change);

struct AttemptRecord {
    WallTime at;  ///< when it was concluded, in whole milliseconds
    Kind kind = Kind::Poll;
    AttemptResult result = AttemptResult::Failed;
    std::optional<std::int32_t> status;  ///< absent when no response head arrived
    Phases phases;                       ///< in whole microseconds, each at most 71 minutes
    Fault fault = Fault::None;           ///< see told_fault()
    std::string reason = {};             ///< as the reading says it; empty for an accepted report
    AttemptChange change = AttemptChange::None;
};

class AttemptHistory {
public:
    static constexpr std::size_t capacity = 10;

    /// Attempts kept beyond these, since they changed something; the oldest one makes room.
    static constexpr std::size_t most_changes = 10;

    /// Bytes; what is longer ends with an ellipsis. The newest reading has the whole text.
    static constexpr std::size_t longest_reason = 256;

    /// The oldest one makes room, unless it changed something. `kind` is not kept.
    void add(const AttemptRecord& record);

    /// The newest first, all as of `kind`; at most capacity + most_changes.
    [[nodiscard]] std::vector<AttemptRecord> newest_first(Kind kind) const;

private:
    /// None, `HTTP <status>`, or the place in reasons_.
    enum class Reason : std::uint8_t { None, PlainStatus, FirstKept };

    struct Packed {
        std::int64_t milliseconds = 0;
        std::array<std::uint32_t, 5> microseconds{};
        std::int16_t status = 0;  ///< 0: none
        AttemptResult result : 4 = AttemptResult::Failed;
        Fault fault : 4 = Fault::None;
        Reason reason : 5 = Reason::None;
        AttemptChange change : 3 = AttemptChange::None;
    };

    [[nodiscard]] static std::size_t place_of(Reason number) {
        return static_cast<std::size_t>(number) - static_cast<std::size_t>(Reason::FirstKept);
    }
    [[nodiscard]] std::string reason_of(const Packed& packed) const;
    static AttemptRecord unpacked(const Packed& packed, Kind kind, std::string reason);
    Reason keep_reason(const AttemptRecord& record);
    void release_reason(Reason number);
    void retire(const Packed& leaving);

    std::array<Packed, capacity> ring_{};
    std::vector<Packed> changes_;       ///< older than the ring, the oldest first
    std::vector<std::string> reasons_;  ///< each text once, however often it was the reason
    std::uint8_t size_ = 0;
    std::uint8_t next_ = 0;
};

}  // namespace ome::core
