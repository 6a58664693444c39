// The last attempts of one home and kind, so that somebody can ask what happened without a log;
// those that changed the gate or the ceiling are kept when the others have made room. Small on
// purpose: there are two of these a home.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/time.hpp>

#include <array>
#include <cstdint>
#include <memory>
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
    /// What an accepted report said, and the ceiling after the attempt; absent: there was none.
    std::optional<std::int32_t> servable = {};
    std::optional<std::int32_t> ceiling = {};
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

    struct Entry {
        std::int64_t milliseconds = 0;
        std::array<std::uint32_t, 5> microseconds{};
        std::int16_t status = 0;  ///< 0: none
        AttemptResult result = AttemptResult::Failed;
        Fault fault = Fault::None;
        Reason reason = Reason::None;
        AttemptChange change = AttemptChange::None;
        std::optional<std::uint32_t> servable;
        std::optional<std::uint32_t> ceiling;
    };

    [[nodiscard]] static std::size_t place_of(Reason number) {
        return static_cast<std::size_t>(number) - static_cast<std::size_t>(Reason::FirstKept);
    }
    [[nodiscard]] std::string reason_of(const Entry& entry) const;
    static AttemptRecord unpacked(const Entry& entry, Kind kind, std::string reason);
    [[nodiscard]] std::size_t offset_of(std::size_t number) const;
    [[nodiscard]] Entry read(std::size_t offset) const;
    void append(const Entry& entry);
    void remove(std::size_t offset);
    Reason keep_reason(const AttemptRecord& record);
    void release_reason(Reason number);
    void make_room();

    // The entries one after the other, the oldest first: those kept for their change, then the
    // last ones. About 19 bytes each, where an array of structs took 32 from the first one on.
    std::vector<std::uint8_t> bytes_;
    /// Each text once, however often it was the reason; most homes have none.
    std::unique_ptr<std::vector<std::string>> reasons_;
    std::uint8_t changes_ = 0;
    std::uint8_t recent_ = 0;
};

}  // namespace ome::core
