#include "policy_facets.hpp"

#include "policy_values.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/quantity.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

namespace ome::core {
namespace {

using Text = std::optional<std::string>;
using Number = std::optional<std::int64_t>;

// Collects what is wrong under one block.
class Facets {
public:
    Facets(std::string block, std::vector<Problem>& found)
        : block_(std::move(block)), found_(found) {}

    void path(const Text& text) {
        if (text && text->empty()) {
            bad("path", go_quote(*text), "should be at least 1 chars long");
        }
        if (text && !text->starts_with('/')) {
            bad("path", go_quote(*text), "should match '^/'");
        }
    }

    void not_empty(std::string_view name, const Text& text) {
        if (text && text->empty()) {
            bad(name, go_quote(*text), "should be at least 1 chars long");
        }
    }

    void one_of(std::string_view name,
                const Text& text,
                std::initializer_list<std::string_view> allowed) {
        if (!text || std::find(allowed.begin(), allowed.end(), *text) != allowed.end()) {
            return;
        }
        std::vector<std::string> quoted;
        for (const std::string_view value : allowed) {
            quoted.push_back(go_quote(value));
        }
        say(name,
            fmt::format("Unsupported value: {}: supported values: {}",
                        go_quote(*text),
                        fmt::join(quoted, ", ")));
    }

    void at_least_1(std::string_view name, Number number) { within(name, number, 1, int32_max); }

    void statuses(std::string_view name, const std::optional<Statuses>& list, std::size_t max) {
        if (!list) {
            return;
        }
        if (list->empty()) {
            bad(name, "0", "should have at least 1 items");
        }
        if (list->size() > max) {
            say(name, fmt::format("Too many: {}: must have at most {} items", list->size(), max));
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            status(fmt::format("{}[{}]", name, i), *list, i);
        }
    }

    void duration(std::string_view name, const Text& text) {
        if (text && !parse_duration(*text)) {
            say(name,
                fmt::format("Invalid value: {}: rule evaluation error: not a duration with a unit "
                            "(use forms like \"30s\", \"5m\")",
                            go_quote(*text)));
        }
    }

    void at_most(std::string_view name, std::size_t size, std::size_t max) {
        if (size > max) {
            say(name, fmt::format("Too many: {}: must have at most {} items", size, max));
        }
    }

    void quantity(const std::string& name, const std::string& text) {
        if (!parse_quantity(text)) {
            say(name,
                fmt::format("Invalid value: {}: must be a quantity such as \"2\" or \"500m\"",
                            go_quote(text)));
        }
    }

private:
    static constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();

    [[nodiscard]] std::string field(std::string_view name) const {
        return name.starts_with('[') ? fmt::format("{}{}", block_, name)
                                     : fmt::format("{}.{}", block_, name);
    }

    void say(std::string_view name, std::string_view what) {
        found_.push_back({fmt::format("{}: {}", field(name), what), field(name)});
    }

    void bad(std::string_view name, std::string_view value, std::string_view rule) {
        say(name, fmt::format("Invalid value: {}: {} in body {}", value, field(name), rule));
    }

    void within(std::string_view name, Number number, std::int64_t least, std::int64_t most) {
        if (number && *number < least) {
            bad(name,
                fmt::to_string(*number),
                fmt::format("should be greater than or equal to {}", least));
        }
        if (number && *number > most) {
            bad(name,
                fmt::to_string(*number),
                fmt::format("should be less than or equal to {}", most));
        }
    }

    void status(const std::string& name, const Statuses& list, std::size_t index) {
        const auto at = list.begin() + static_cast<std::ptrdiff_t>(index);
        within(name, *at, 100, 599);
        if (std::find(list.begin(), at, *at) != at) {
            say(name, fmt::format("Duplicate value: {}", *at));
        }
    }

    std::string block_;
    std::vector<Problem>& found_;
};

}  // namespace

void append_facets(const ProbeSettings& probe, std::vector<Problem>& found) {
    Facets facets("spec.routing.probe", found);
    facets.path(probe.path);
    facets.one_of("method", probe.method, {"GET", "HEAD", "POST"});
    facets.statuses("acceptStatuses", probe.accept_statuses, 500);
    facets.statuses("gateStatuses", probe.gate_statuses, 500);
    facets.duration("period", probe.period);
    facets.duration("timeout", probe.timeout);
    facets.at_least_1("failureThreshold", probe.failure_threshold);
    facets.at_least_1("successThreshold", probe.success_threshold);
    facets.one_of("allFailedPolicy", probe.all_failed_policy, {"PreserveTraffic", "Drain"});
}

void append_facets(const CapacitySettings& capacity, std::vector<Problem>& found) {
    Facets facets("spec.routing.capacity", found);
    facets.path(capacity.path);
    facets.one_of("method", capacity.method, {"GET", "HEAD", "POST"});
    facets.not_empty("format", capacity.format);
    facets.duration("period", capacity.period);
    facets.duration("timeout", capacity.timeout);
    facets.at_least_1("samples", capacity.samples);
    facets.at_least_1("quorum", capacity.quorum);
    facets.duration("maxAge", capacity.max_age);
}

void append_facets(const Options& publisher_options, std::vector<Problem>& found) {
    Facets facets("spec.routing.publisher", found);
    facets.at_most("options", publisher_options.size(), 32);
}

void append_factor_facets(const Options& capacity_factors, std::vector<Problem>& found) {
    Facets facets("spec.routing.capacityFactors", found);
    for (const auto& [cluster, text] : capacity_factors) {
        facets.quantity(fmt::format("[{}]", go_quote(cluster)), text);
    }
}

}  // namespace ome::core
