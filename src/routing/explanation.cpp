#include "explanation_shares.hpp"
#include "table.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/explanation.hpp>
#include <ome/routing/shadow.hpp>
#include <ome/routing/unaddressable.hpp>
#include <ome/routing/unknown_phase.hpp>
#include <ome/routing/unplaced.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::routing {
namespace {

using boost::multiprecision::cpp_int;

// Thousandths as a number without superfluous zeros: 1500 is `1.5`.
std::string replicas_text(const cpp_int& milli) {
    const cpp_int whole = milli / 1000;
    std::string fraction = fmt::format("{:03}", static_cast<int>(cpp_int(milli % 1000)));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fraction.empty() ? whole.str() : fmt::format("{}.{}", whole.str(), fraction);
}

// Sizes that nobody can read are left as a power of ten.
std::string replicas_text(const Whole& milli) {
    constexpr std::int64_t readable_zeros = 30;
    if (milli.zeros > readable_zeros) {
        return fmt::format("{}e{}", milli.mantissa.str(), milli.zeros - 3);
    }
    return replicas_text(milli.mantissa * boost::multiprecision::pow(
                                              cpp_int(10), static_cast<unsigned>(milli.zeros)));
}

std::string weighted_text(std::int32_t replicas, const std::optional<core::Quantity>& factor) {
    Whole milli = replicas > 0 ? milli_units(factor) : Whole{};
    milli.mantissa *= replicas;
    return replicas_text(milli);
}

// The time of day, and the day too unless it is that of the last probe.
std::string since_text(core::WallTime since, const std::optional<core::WallTime>& last_probe) {
    const std::string stamp = core::format_timestamp({since.seconds, 0}).substr(0, 19);
    const bool same_day =
        !last_probe || core::format_timestamp(*last_probe).substr(0, 10) == stamp.substr(0, 10);
    return same_day ? stamp.substr(11) : stamp + "Z";
}

std::string failures_text(std::int32_t failures) {
    return fmt::format("{} {}", failures, failures == 1 ? "failure" : "failures");
}

std::string gate_text(const ProbeObservation& probe) {
    std::string text = "gated by probe";
    if (probe.gated_since) {
        text += " since " + since_text(*probe.gated_since, probe.state.last_probe_time);
    }
    std::vector<std::string> details;
    if (!probe.state.message.empty()) {
        details.push_back(core::sanitize_detail(probe.state.message));
    }
    if (probe.state.consecutive_failures > 0) {
        details.push_back(failures_text(probe.state.consecutive_failures));
    }
    if (probe.state.result == core::ProbeResult::Passing) {
        details.emplace_back("recovering");
    }
    return details.empty() ? text : fmt::format("{} ({})", text, fmt::join(details, ", "));
}

std::string drains_text(const std::vector<const Drain*>& drains) {
    std::vector<std::string> named;
    for (const Drain* drain : drains) {
        named.push_back(fmt::format(
            "{} ({})", core::sanitize_detail(drain->id), core::sanitize_detail(drain->reason)));
    }
    return fmt::format("drained by {}", fmt::join(named, ", "));
}

/// The steps of one row; `value_` is what is left after the last one.
class Walk {
public:
    Walk(const Table& table, std::size_t index, const RoutedService& routed)
        : table_(table),
          row_(table.rows[index]),
          input_(table.inputs[index]),
          routed_(routed),
          weight_(table.weights.values[index]) {}

    std::vector<Step> steps() {
        count_replicas();
        apply_factor();
        apply_gate();
        apply_ratio();
        if (row_.home.withdrawn) {
            add("withdrawn", "withdrawn by the placement plan", "0");
        }
        if (!row_.drains.empty()) {
            add("drain", drains_text(row_.drains), "0");
        }
        return std::move(steps_);
    }

private:
    void add(std::string what, std::string text, std::string value) {
        steps_.push_back({std::move(what), std::move(text), std::move(value)});
    }

    [[nodiscard]] const std::string& value() const { return steps_.back().value; }

    void count_replicas() {
        const std::int32_t admitted = std::max(0, input_.allocated);
        const std::int32_t ready = std::max(0, std::min(admitted, input_.ready));
        add("admitted", fmt::format("admitted {}", input_.allocated), std::to_string(admitted));
        add("ready", fmt::format("ready {}", input_.ready), std::to_string(ready));
        if (!row_.capacity) {
            return;
        }
        const std::string text =
            input_.reported ? fmt::format("ceiling {}", *input_.reported)
                            : fmt::format("no ceiling ({})",
                                          core::sanitize_detail(row_.capacity->fallback_reason));
        add("ceiling", text, std::to_string(routable(input_)));
    }

    void apply_factor() {
        if (input_.factor) {
            add("factor",
                fmt::format("factor {}", input_.factor->decimal()),
                weighted_text(routable(input_), input_.factor));
        }
    }

    void apply_gate() {
        if (!row_.probe) {
            return;
        }
        if (!input_.reachable.value_or(true)) {
            const std::string before = value();
            add("gate", gate_text(*row_.probe), "0");
            if (table_.weights.preserved) {
                add("preserved",
                    "all homes are gated and allFailedPolicy is PreserveTraffic",
                    before);
            }
        } else if (row_.probe->state.consecutive_failures > 0) {
            add("gate",
                fmt::format("not gated: {} ({})",
                            failures_so_far(),
                            core::sanitize_detail(row_.probe->state.message)),
                value());
        }
    }

    // A threshold of 0 is one that is not known.
    [[nodiscard]] std::string failures_so_far() const {
        const std::int32_t failures = row_.probe->state.consecutive_failures;
        const std::int32_t threshold = routed_.policies.probe->failure_threshold;
        return threshold > 0 ? fmt::format("{} of {}", failures, failures_text(threshold))
                             : failures_text(failures);
    }

    // Weights are a ratio in small numbers.
    void apply_ratio() {
        const std::string weight = std::to_string(weight_);
        if (table_.weights.capped && weight_ > 0) {
            add("capped",
                fmt::format("scaled so that the largest home has {}", largest_weight),
                weight);
        } else if (weight != value()) {
            add("reduced",
                fmt::format("divided by the common divisor {}",
                            replicas_text(table_.weights.divisor)),
                weight);
        }
    }

    const Table& table_;
    const Row& row_;
    const WeightInput& input_;
    const RoutedService& routed_;
    std::int32_t weight_;
    std::vector<Step> steps_;
};

bool counts_replicas(const Step& step) {
    return step.what == "admitted" || step.what == "ready" || step.what == "ceiling";
}

// The counts side by side, then each reason with what it left.
std::string line_of(const HomeExplanation& home) {
    std::string line = fmt::format("{} {}: ", core::sanitize_detail(home.cluster), home.weight);
    for (std::size_t i = 0; i < home.steps.size(); ++i) {
        const Step& step = home.steps[i];
        const bool more_counts = i + 1 < home.steps.size() && counts_replicas(home.steps[i + 1]);
        if (more_counts) {
            line += step.text + ", ";
            continue;
        }
        line += fmt::format("{} -> {}", step.text, step.value);
        line += i + 1 < home.steps.size() ? "; " : "";
    }
    return line;
}

std::vector<HomeExplanation> homes_of(const Table& table, const RoutedService& routed) {
    std::vector<HomeExplanation> homes;
    homes.reserve(table.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        HomeExplanation& home = homes.emplace_back();
        home.cluster = table.rows[i].home.cluster;
        home.weight = final_weight(table, i);
        home.steps = Walk(table, i, routed).steps();
        home.text = line_of(home);
    }
    set_shares(homes);
    return homes;
}

}  // namespace

Explanation explain(const InferenceService& service,
                    const RoutedService& routed,
                    const Observations& observations) {
    const Table table = make_table(service, routed, observations);
    Explanation explanation;
    explanation.homes = homes_of(table, routed);
    if (routed.shadow) {
        const RoutedService other = unshadowed(routed);
        explanation.shadow = homes_of(make_table(service, other, observations), other);
    }
    for (const Unplaced& one : unplaced(service, routed.drains)) {
        explanation.notes.push_back(sentence(one, service));
    }
    for (const Unaddressable& one : unaddressable(service)) {
        explanation.notes.push_back(sentence(one));
    }
    for (const UnknownPhase& one : unknown_phases(service)) {
        explanation.notes.push_back(core::sanitize_detail(sentence(one)));
    }
    if (const std::optional<core::Problem> slip = shadow_problem(service)) {
        explanation.notes.push_back(slip->message);
    }
    const Condition condition = routable_condition(verdict_of(service, table), table.rows.size());
    explanation.routable = fmt::format("{}: {}", condition.reason, condition.message);
    return explanation;
}

}  // namespace ome::routing
