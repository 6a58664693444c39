#include "weights.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

namespace ome::routing {
namespace {

using Big = boost::multiprecision::cpp_int;

constexpr std::uint64_t identity_milli = 1000;

// Up to here raw * 1000000 + raw stays within 64 bits, which is what the scaling needs.
constexpr std::uint64_t largest_small =
    std::numeric_limits<std::uint64_t>::max() / (largest_weight + 1);

constexpr int small_digits = 15;  // of a factor in thousandths; far within 64 bits

std::uint64_t power_of_10(std::int64_t exponent) {
    std::uint64_t power = 1;
    for (; exponent > 0; --exponent) {
        power *= 10;
    }
    return power;
}

// ceil(digits / 10^places) for the few places that a quantity has beyond thousandths.
template <typename Int>
Int shortened(const Int& digits, std::int64_t places) {
    const Int power = power_of_10(places);
    return (digits + power - 1) / power;
}

std::int64_t milli_exponent(const core::Quantity& factor) {
    return factor.exponent + 3;
}

// Absent: it takes more than 15 digits.
std::optional<std::uint64_t> small_milli(const std::optional<core::Quantity>& factor) {
    if (!factor || !factor->positive()) {
        return identity_milli;
    }
    const std::int64_t exponent = milli_exponent(*factor);
    const auto digits = static_cast<std::int64_t>(factor->digits.size());
    if (digits > small_digits || exponent > small_digits - digits) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    std::from_chars(factor->digits.data(), factor->digits.data() + digits, value);
    return exponent >= 0 ? value * power_of_10(exponent) : shortened(value, -exponent);
}

bool counts(const WeightInput& home, bool look_through_gates) {
    return routable(home) > 0 && (look_through_gates || home.reachable.value_or(true));
}

// 3.1 step 4 in thousandths; absent: some home needs more than 64 bits.
std::optional<std::vector<std::uint64_t>> small_raws(const std::vector<WeightInput>& homes,
                                                     bool look_through_gates) {
    std::vector<std::uint64_t> raws(homes.size(), 0);
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (!counts(homes[i], look_through_gates)) {
            continue;
        }
        const std::optional<std::uint64_t> milli = small_milli(homes[i].factor);
        const auto replicas = static_cast<std::uint64_t>(routable(homes[i]));
        if (!milli || *milli > largest_small / replicas) {
            return std::nullopt;
        }
        raws[i] = *milli * replicas;
    }
    return raws;
}

// Decimal places in front of the point, one more at most.
std::int64_t magnitude(const Whole& whole) {
    const auto bits = static_cast<std::int64_t>(boost::multiprecision::msb(whole.mantissa));
    return bits * 30103 / 100000 + 1 + whole.zeros;
}

// Exponents may differ by billions. A home that is more than 10^20 times smaller than the largest
// gets the weight 1, whatever it has; so it may as well be just that much smaller, and what all
// have in common is left out: weights are ratios.
std::int64_t align(const std::vector<Whole*>& positive) {
    if (positive.empty()) {
        return 0;
    }
    constexpr std::int64_t enough = 20;
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
    for (const Whole* raw : positive) {
        largest = std::max(largest, magnitude(*raw));
    }
    std::int64_t common = std::numeric_limits<std::int64_t>::max();
    for (Whole* raw : positive) {
        if (magnitude(*raw) < largest - enough) {
            *raw = {1, largest - enough};
        }
        common = std::min(common, raw->zeros);
    }
    for (Whole* raw : positive) {
        raw->mantissa *=
            boost::multiprecision::pow(Big(10), static_cast<unsigned>(raw->zeros - common));
    }
    return common;
}

struct BigRaws {
    std::vector<Big> aligned;
    std::int64_t zeros = 0;  // left out of each
};

BigRaws big_raws(const std::vector<WeightInput>& homes, bool look_through_gates) {
    std::vector<Whole> raws(homes.size());
    std::vector<Whole*> positive;
    for (std::size_t i = 0; i < homes.size(); ++i) {
        if (counts(homes[i], look_through_gates)) {
            raws[i] = milli_units(homes[i].factor);
            raws[i].mantissa *= routable(homes[i]);
            positive.push_back(&raws[i]);
        }
    }
    BigRaws found;
    found.zeros = align(positive);
    found.aligned.reserve(raws.size());
    for (Whole& raw : raws) {
        found.aligned.push_back(std::move(raw.mantissa));
    }
    return found;
}

using boost::multiprecision::gcd;
using std::gcd;

// 3.1 steps 5 and 7 to 9.
template <typename Int>
Weights reduced(const std::vector<Int>& raws, std::int64_t zeros) {
    Int divisor = 0;
    Int largest = 0;
    for (const Int& raw : raws) {
        divisor = gcd(divisor, raw);
        largest = std::max(largest, raw);
    }
    Weights weights;
    weights.values.assign(raws.size(), 0);
    if (divisor == 0) {
        return weights;
    }
    weights.capped = largest / divisor > largest_weight;
    for (std::size_t i = 0; i < raws.size(); ++i) {
        // The divisor cancels out of ceil(q * 1000000 / max).
        const Int weight = weights.capped ? Int((raws[i] * largest_weight + largest - 1) / largest)
                                          : Int(raws[i] / divisor);
        weights.values[i] = static_cast<std::int32_t>(weight);
    }
    if (!weights.capped) {
        weights.divisor = {Big(divisor), zeros};
    }
    return weights;
}

bool any_positive(const Weights& weights) {
    return std::any_of(weights.values.begin(), weights.values.end(), [](std::int32_t weight) {
        return weight > 0;
    });
}

Weights weigh_once(const std::vector<WeightInput>& homes,
                   bool look_through_gates,
                   Arithmetic arithmetic) {
    if (arithmetic == Arithmetic::Fast) {
        if (const auto raws = small_raws(homes, look_through_gates)) {
            return reduced(*raws, 0);
        }
    }
    const BigRaws raws = big_raws(homes, look_through_gates);
    return reduced(raws.aligned, raws.zeros);
}

}  // namespace

std::int32_t effective(const WeightInput& home) {
    const std::int32_t reported = home.reported.value_or(-1);
    return reported >= 0 && reported < home.allocated ? reported : home.allocated;
}

std::int32_t routable(const WeightInput& home) {
    return std::max(0, std::min(home.ready, effective(home)));
}

Whole milli_units(const std::optional<core::Quantity>& factor) {
    if (!factor || !factor->positive()) {
        return {identity_milli, 0};
    }
    const std::int64_t exponent = milli_exponent(*factor);
    const Big digits(factor->digits);
    return exponent >= 0 ? Whole{digits, exponent} : Whole{shortened(digits, -exponent), 0};
}

bool all_failed(const std::vector<WeightInput>& homes) {
    return !homes.empty() && std::all_of(homes.begin(), homes.end(), [](const WeightInput& home) {
        return !home.reachable.value_or(true);
    });
}

Weights weigh(const std::vector<WeightInput>& homes,
              core::AllFailedPolicy policy,
              Arithmetic arithmetic) {
    Weights weights = weigh_once(homes, false, arithmetic);
    if (any_positive(weights) || policy != core::AllFailedPolicy::PreserveTraffic ||
        !all_failed(homes)) {
        return weights;
    }
    weights = weigh_once(homes, true, arithmetic);
    weights.preserved = any_positive(weights);
    return weights;
}

}  // namespace ome::routing
