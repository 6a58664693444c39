// The input of `replay`: a file with policies, and events as NDJSON.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

struct ReplayPolicies {
    std::optional<core::CapacityPolicy> capacity;
    std::optional<core::ProbePolicy> probe;
};

/// `{"capacity":{...},"probe":{...}}`, each block as in a declaration (design.md section 4) and
/// held to its rules except the observer's limits; one that is absent or null is off. A member that
/// a declaration does not have is a problem.
[[nodiscard]] core::Result<ReplayPolicies> read_replay_policies(std::string_view text);

/// What a recording tells of a declaration: its texts without secrets, and what they would tell.
struct ReplayDeclaration {
    core::ServiceDeclaration declaration;  ///< without key
    std::vector<std::string> moved;  ///< clusters whose endpoint changed, maybe in a hidden part
};

/// A declaration (design.md section 4) that need not name its service, held to its rules except the
/// observer's limits, with two members more: `digests` (`capacity`, `probe`), the digests of the
/// policies as they were before secrets were hidden, and `moved`.
[[nodiscard]] core::Result<ReplayDeclaration> read_replay_declaration(std::string_view text);

enum class ReplayAction : std::uint8_t { Poll, Probe, Read, Policy, Declared, Forgotten };

struct ReplayEvent {
    core::WallTime at;  ///< when the attempt finished
    ReplayAction action = ReplayAction::Read;

    // Valid until the reader reads again; empty when the event does not say.
    std::string_view home;  ///< never empty, except with Policy, Declared and Forgotten
    std::string_view service;
    std::string_view endpoint;

    core::AttemptOutcome outcome;  ///< Poll and Probe; a body has been decoded
    std::string policies;          ///< Policy: for read_replay_policies()
    std::string declaration;       ///< Declared: for read_replay_declaration()
};

/// One line after another. An event is one of
///
///     {"at":"...","home":"a","poll":{"status":200,"body":"..."}}      also "probe"
///     {"at":"...","home":"a","poll":{"status":200,"reason":"..."}}    a body that is no report
///     {"at":"...","home":"a","poll":{"error":"..."}}                  no answer came
///     {"at":"...","home":"a","poll":{"error":{"kind":"...","text":"..."}}}
///     {"at":"...","home":"a","read":true}
///     {"at":"...","policy":{...}}
///     {"at":"...","service":"s","declared":{...}}
///     {"at":"...","service":"s","forgotten":true}     without service: everything
///
/// with `service` and `endpoint` beside `home` where there is more than one. Kinds of errors:
/// `unreachable`, `refused`, `body` and `deadline` (after a head with `status`, 200 if not given),
/// `cancelled`. Members it does not know are ignored; see strangers().
class ReplayReader {
public:
    /// Longer bodies of polls are failed polls, as they would be on the wire.
    explicit ReplayReader(std::int64_t max_response_bytes);
    ~ReplayReader();
    ReplayReader(ReplayReader&&) noexcept;
    ReplayReader& operator=(ReplayReader&&) noexcept;

    /// At least `padding` bytes behind the line must be readable; their content does not matter.
    [[nodiscard]] core::Result<ReplayEvent> read(std::string_view line);
    static constexpr std::size_t padding = 64;

    /// What lines read since the last call told of members that no event has, one sentence for each
    /// name in the life of the reader.
    [[nodiscard]] std::vector<std::string> take_strangers();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::wire
