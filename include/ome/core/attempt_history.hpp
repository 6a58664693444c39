// The last attempts of one home and kind, so that somebody can ask what happened without a log.
// Small on purpose: there are two of these a home.
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

struct AttemptRecord {
    WallTime at;  ///< when it was concluded, in whole milliseconds
    Kind kind = Kind::Poll;
    AttemptResult result = AttemptResult::Failed;
    std::optional<std::int32_t> status;  ///< absent when no response head arrived
    Phases phases;                       ///< in whole microseconds, each at most 71 minutes
    Fault fault = Fault::None;           ///< see told_fault()
    std::string reason = {};             ///< as the reading says it; empty for an accepted report
};

class AttemptHistory {
public:
    static constexpr std::size_t capacity = 10;

    /// Bytes; what is longer ends with an ellipsis. The newest reading has the whole text.
    static constexpr std::size_t longest_reason = 256;

    /// The oldest one makes room. `kind` is not kept.
    void add(const AttemptRecord& record);

    /// The newest first, all as of `kind`.
    [[nodiscard]] std::vector<AttemptRecord> newest_first(Kind kind) const;

private:
    struct Packed {
        std::int64_t milliseconds = 0;
        std::array<std::uint32_t, 5> microseconds{};
        std::int16_t status = 0;  ///< 0: none
        AttemptResult result : 4 = AttemptResult::Failed;
        Fault fault : 4 = Fault::None;
        std::uint8_t reason = 0;  ///< 0: none, 1: `HTTP <status>`, otherwise 2 + place in reasons_
    };

    [[nodiscard]] std::string reason_of(const Packed& packed) const;
    std::uint8_t keep_reason(const AttemptRecord& record);
    void release_reason(std::uint8_t number);

    std::array<Packed, capacity> ring_{};
    std::vector<std::string> reasons_;  ///< each text once, however often it was the reason
    std::uint8_t size_ = 0;
    std::uint8_t next_ = 0;
};

}  // namespace ome::core
