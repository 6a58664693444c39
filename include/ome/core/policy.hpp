// Checked policies: what an observer is told to do. A value of these types has passed every rule of
// contract/observer.md 13, so nothing downstream checks again. How raw settings become one is in
// policy_resolution.hpp; digests (contract/observer.md 10) are filled in there too.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

enum class Method : std::uint8_t { Get, Head, Post };
[[nodiscard]] std::string_view to_string(Method method);  ///< `GET`, `HEAD`, `POST`
[[nodiscard]] std::optional<Method> parse_method(std::string_view text);

enum class AllFailedPolicy : std::uint8_t { PreserveTraffic, Drain };
[[nodiscard]] std::string_view to_string(AllFailedPolicy policy);
[[nodiscard]] std::optional<AllFailedPolicy> parse_all_failed_policy(std::string_view text);

/// The capacity format of this build; the only one (contract/observer.md 7).
inline constexpr std::string_view report_format = "Report";

/// A health probe: does a request get through?
struct ProbePolicy {
    std::string path;  ///< begins with `/`
    Method method = Method::Get;
    std::vector<std::int32_t> accept_statuses;  ///< 100-599, in the author's order
    std::vector<std::int32_t> gate_statuses;    ///< 100-599 without 401, 403, 429
    Duration period{};
    Duration timeout{};  ///< shorter than `period`
    std::int32_t failure_threshold = 1;
    std::int32_t success_threshold = 1;
    AllFailedPolicy all_failed_policy = AllFailedPolicy::PreserveTraffic;
    std::string digest;  ///< `sha256:<64 hex digits>` over the nine settings
};

/// A capacity poll: how many replicas can serve now?
struct CapacityPolicy {
    std::string path;  ///< begins with `/`
    Method method = Method::Get;
    std::string format;                          ///< `Report`
    std::map<std::string, std::string> options;  ///< empty for `Report`
    Duration period{};
    Duration timeout{};  ///< shorter than `period`
    std::int32_t samples = 1;
    std::int32_t quorum = 1;  ///< at most `samples`
    Duration max_age{};
    std::string digest;  ///< `sha256:<64 hex digits>` over the nine settings
};

/// The five limits of `routing.observer` (contract/observer.md 13.2); all are positive.
struct ObserverLimits {
    std::int64_t max_concurrent_reconciles =
        0;                                     ///< the controller's; validated here, not used (D21)
    std::int64_t max_concurrent_requests = 0;  ///< requests in flight, all services together
    std::int64_t max_response_bytes = 0;       ///< body bytes read of one answer
    Duration min_period{};                     ///< the shortest period a policy may have
    std::int64_t max_samples = 0;              ///< the largest `samples` a policy may have
};

}  // namespace ome::core
