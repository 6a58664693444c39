#include <ome/core/capacity_window.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/observation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace ome::routing {
namespace {

// The observer masks userinfo in what it shows, so both sides are compared masked.
std::string comparable(std::string_view endpoint) {
    const std::string masked = core::mask_userinfo(endpoint);
    const core::Result<core::Endpoint> canonical = core::canonicalize(masked);
    return canonical ? canonical->canonical : masked;
}

bool same_endpoint(std::string_view a, std::string_view b) {
    return a == b || comparable(a) == comparable(b);
}

CapacityObservation without_ceiling(std::string reason) {
    return {std::nullopt, reason.empty() ? "capacity report unavailable" : std::move(reason)};
}

CapacityObservation as_read(const core::CapacityReading& reading) {
    return reading.ceiling ? CapacityObservation{reading.ceiling, {}}
                           : without_ceiling(reading.fallback_reason);
}

std::string stale_reason(const core::CapacityPolicy& policy) {
    return fmt::format("capacity report is stale (at least configured maximum age {})",
                       core::format_duration(policy.max_age));
}

// Lets the samples grow old here as they do in the observer.
CapacityObservation aged(const core::CapacityReading& reading,
                         const core::CapacityPolicy& policy,
                         core::WallTime now) {
    core::CapacityWindow window(core::window_rules(policy));
    constexpr core::WallTime before_all{std::numeric_limits<std::int32_t>::min() * 1'000'000LL, 0};
    for (const core::Sample& sample : reading.samples) {
        window.accept({sample.servable, sample.observed_at}, before_all);
    }
    const std::size_t held = window.samples().size();
    window.expire(now);
    if (window.samples().size() == held) {
        return as_read(reading);
    }
    return {window.ceiling(), window.reason()};
}

CapacityObservation project_capacity(const core::CapacityReading& reading,
                                     const core::CapacityPolicy& policy,
                                     core::WallTime now) {
    if (!reading.samples.empty()) {
        return aged(reading, policy, now);
    }
    const bool stale = reading.ceiling && reading.valid_until && *reading.valid_until <= now;
    return stale ? without_ceiling(stale_reason(policy)) : as_read(reading);
}

core::Problem unexpected(std::string field, std::string_view found, std::string_view expected) {
    std::string message = fmt::format(
        "{} is {}, expected {}", field, core::go_quote(found), core::go_quote(expected));
    return {std::move(message), std::move(field)};
}

// Of one kind of observation: `policy` is absent where it is off.
template <typename Part, typename Policy>
void add_unused(std::vector<core::Problem>& to,
                std::string_view kind,
                const std::optional<Part>& part,
                const std::optional<Policy>& policy) {
    if (!part) {
        return;
    }
    if (!policy) {
        to.push_back({fmt::format("{} is given, expected none: it is off for the service", kind),
                      std::string(kind)});
    } else if (part->policy_digest != policy->digest) {
        to.push_back(
            unexpected(fmt::format("{}.policyDigest", kind), part->policy_digest, policy->digest));
    }
}

ProbeObservation project_probe(const core::ProbeReading& reading) {
    ProbeObservation probe;
    probe.state.policy_digest = reading.policy_digest;
    probe.state.result = reading.result;
    probe.state.gated = reading.gated;
    probe.state.consecutive_failures = std::max(0, reading.consecutive_failures);
    probe.state.message = reading.message;
    if (reading.last_probe_time) {
        probe.state.last_probe_time = core::WallTime{reading.last_probe_time->seconds, 0};
    }
    probe.conclusive = reading.conclusive;
    return probe;
}

}  // namespace

std::optional<bool> ProbeObservation::reachable() const {
    return conclusive ? std::optional(!state.gated) : std::nullopt;
}

HomeObservation project(const core::HomeReading* reading,
                        std::string_view declared_endpoint,
                        const core::Policies& policies,
                        core::WallTime now) {
    const bool ours = reading != nullptr && same_endpoint(reading->endpoint, declared_endpoint);
    HomeObservation home;
    if (policies.capacity) {
        const bool known = ours && reading->capacity &&
                           reading->capacity->policy_digest == policies.capacity->digest;
        home.capacity = known ? project_capacity(*reading->capacity, *policies.capacity, now)
                              : without_ceiling(std::string(no_report_reason));
    }
    if (policies.probe && ours && reading->probe &&
        reading->probe->policy_digest == policies.probe->digest) {
        home.probe = project_probe(*reading->probe);
    }
    return home;
}

std::vector<core::Problem> unused_parts(const core::HomeReading& reading,
                                        std::string_view declared_endpoint,
                                        const core::Policies& policies) {
    std::vector<core::Problem> unused;
    if (!same_endpoint(reading.endpoint, declared_endpoint)) {
        unused.push_back(unexpected("endpoint",
                                    core::mask_userinfo(reading.endpoint),
                                    core::mask_userinfo(declared_endpoint)));
        return unused;
    }
    add_unused(unused, "capacity", reading.capacity, policies.capacity);
    add_unused(unused, "probe", reading.probe, policies.probe);
    return unused;
}

std::optional<core::WallTime> next_change(const core::HomeReading& reading, core::WallTime now) {
    if (!reading.capacity) {
        return std::nullopt;
    }
    const core::CapacityReading& capacity = *reading.capacity;
    if (capacity.ceiling && capacity.valid_until && *capacity.valid_until > now) {
        return capacity.valid_until;
    }
    std::optional<core::WallTime> earliest;
    for (const core::Sample& sample : capacity.samples) {
        if (sample.expires_at > now && (!earliest || sample.expires_at < *earliest)) {
            earliest = sample.expires_at;
        }
    }
    return earliest;
}

}  // namespace ome::routing
