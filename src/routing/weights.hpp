// From replicas to weights (contract/trafficmap.md 3), exact whatever the size of the factors.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/quantity.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

inline constexpr std::int32_t largest_weight = 1'000'000;

struct WeightInput {
    std::int32_t allocated = 0;  ///< admitted by the control plane
    std::int32_t ready = 0;
    std::optional<core::Quantity> factor = {};
    std::optional<std::int32_t> reported = {};  ///< the ceiling; a negative one is ignored
    std::optional<bool> reachable = {};
};

/// 3.1 step 1: a report lowers the allocation and never raises it.
[[nodiscard]] std::int32_t effective(const WeightInput& home);

/// 3.1 step 2; never negative.
[[nodiscard]] std::int32_t routable(const WeightInput& home);

/// A whole number that may have more zeros than memory: mantissa * 10^zeros.
struct Whole {
    boost::multiprecision::cpp_int mantissa;
    std::int64_t zeros = 0;
};

/// 3.2: thousandths, rounded up; 1000 without a factor or with one that is not positive.
[[nodiscard]] Whole milli_units(const std::optional<core::Quantity>& factor);

/// At least one home, and every one of them is gated (5.2).
[[nodiscard]] bool all_failed(const std::vector<WeightInput>& homes);

struct Weights {
    std::vector<std::int32_t> values;  ///< of the homes, in their order
    bool preserved = false;            ///< all are gated and PreserveTraffic looked through it
    bool capped = false;               ///< 3.1 step 9
    Whole divisor = {};                ///< g in thousandths; 0 when capped or without any weight
};

/// `Fast` takes machine integers where they suffice, which is practically always; `Big` never does.
/// The results are the same.
enum class Arithmetic : std::uint8_t { Fast, Big };

[[nodiscard]] Weights weigh(const std::vector<WeightInput>& homes,
                            core::AllFailedPolicy policy,
                            Arithmetic arithmetic = Arithmetic::Fast);

}  // namespace ome::routing
