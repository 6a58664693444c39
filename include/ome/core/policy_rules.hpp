// The rules that settings must keep, in the spellings of contract/observer.md: the operator's
// configuration (13.1 A and B, 13.2, 13.3) and `spec.routing` at run time (13.4). Those that an API
// server applies (13.5) are in policy_admission.hpp. Problems carry the path of the field.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

/// Stage A: every duration text that is none or not positive, in byte order of the keys, then the
/// publisher's interval. Also while routing is off.
[[nodiscard]] std::vector<Problem> text_problems(const RoutingSettings& routing);

/// Stage B: the first broken rule; none while routing is off.
[[nodiscard]] std::optional<Problem> rule_problem(const RoutingSettings& routing);

/// Stages A and B as a start goes through them: all of A, or else the first of B.
[[nodiscard]] std::vector<Problem> configuration_problems(const RoutingSettings& routing);

/// The same as one problem, all messages behind `invalid multi-cluster configuration: `.
[[nodiscard]] std::optional<Problem> configuration_error(const RoutingSettings& routing);

/// What stands in a map's journal.
inline constexpr std::string_view built_in_publisher = "gatewayapi";

/// Stage C: a publisher that is not the built-in one (or empty), or options, of which that one
/// takes none (contract/publisher-cli.md 1.1).
[[nodiscard]] std::optional<Problem> publisher_problem(const PublisherSettings& publisher);

/// All messages behind `invalid multi-cluster configuration: `; absent without problems.
[[nodiscard]] std::optional<Problem> as_configuration_error(const std::vector<Problem>& problems);

/// The messages, joined with newlines (contract/observer.md 13.1 A).
[[nodiscard]] std::string join_messages(const std::vector<Problem>& problems);

/// 13.2: the first limit that is absent or not positive. A text that is no duration counts as
/// absent.
[[nodiscard]] Result<ObserverLimits> check_limits(const ObserverSettings& observer);

/// The limits that OME's chart sets; for those who have no configuration.
[[nodiscard]] ObserverLimits chart_limits();

[[nodiscard]] std::vector<Problem> limit_problems(const ObserverSettings& observer);

/// 13.3 for one block whose path is known as `block` (`routing.probe`). A block with an empty path
/// is off, and nothing else of it is looked at.
[[nodiscard]] std::optional<Problem> field_problem(const ProbeSettings& probe,
                                                   std::string_view block);
[[nodiscard]] std::optional<Problem> field_problem(const CapacitySettings& capacity,
                                                   std::string_view block);

/// The same, all that are broken and independent: for `check`, which shows everything at once.
[[nodiscard]] std::vector<Problem> field_problems(const ProbeSettings& probe,
                                                  std::string_view block);
[[nodiscard]] std::vector<Problem> field_problems(const CapacitySettings& capacity,
                                                  std::string_view block);

/// configuration_problems(), and behind them what a start that stops at the first does not come to.
[[nodiscard]] std::vector<Problem> every_configuration_problem(const RoutingSettings& routing);

/// 13.4 for one block of `spec.routing`.
[[nodiscard]] std::optional<Problem> shape_problem(const ProbeSettings& probe);
[[nodiscard]] std::optional<Problem> shape_problem(const CapacitySettings& capacity);

/// 13.4 for the whole of `spec.routing`, without the prefix `validate routing policy: `. A text
/// that is no duration or no quantity comes first: such an object could not even be read.
[[nodiscard]] std::optional<Problem> shape_problem(const ServiceRoutingSettings& routing);

/// Texts of the block that are no durations, in the order of the rules; empty texts too.
[[nodiscard]] std::vector<Problem> duration_problems(const ProbeSettings& probe,
                                                     std::string_view block);
[[nodiscard]] std::vector<Problem> duration_problems(const CapacitySettings& capacity,
                                                     std::string_view block);

}  // namespace ome::core
