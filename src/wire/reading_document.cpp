#include <ome/core/endpoint.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/reading_document.hpp>

#include <boost/json.hpp>

#include <utility>

namespace ome::wire {
namespace {

namespace json = boost::json;

void add_time(json::object& to, std::string_view name, const std::optional<core::WallTime>& at) {
    if (at) {
        to.emplace(name, core::format_timestamp(*at));
    }
}

json::array samples_document(const std::vector<core::Sample>& samples) {
    json::array made;
    made.reserve(samples.size());
    for (const core::Sample& sample : samples) {
        made.push_back(json::object{{"servable", sample.servable},
                                    {"observedAt", core::format_timestamp(sample.observed_at)},
                                    {"expiresAt", core::format_timestamp(sample.expires_at)}});
    }
    return made;
}

json::object capacity_document(const core::CapacityReading& reading) {
    json::object made;
    made.emplace("policyDigest", reading.policy_digest);
    if (reading.ceiling) {
        made.emplace("ceiling", *reading.ceiling);
    }
    made.emplace("fallbackReason", reading.fallback_reason);
    add_time(made, "validUntil", reading.valid_until);
    made.emplace("samples", samples_document(reading.samples));
    add_time(made, "lastAttemptTime", reading.last_attempt_time);
    add_time(made, "nextAttemptTime", reading.next_attempt_time);
    return made;
}

json::object probe_document(const core::ProbeReading& reading) {
    json::object made;
    made.emplace("policyDigest", reading.policy_digest);
    made.emplace("result", core::to_string(reading.result));
    made.emplace("message", reading.message);
    made.emplace("gated", reading.gated);
    made.emplace("conclusive", reading.conclusive);
    made.emplace("consecutiveFailures", reading.consecutive_failures);
    made.emplace("consecutivePasses", reading.consecutive_passes);
    add_time(made, "lastProbeTime", reading.last_probe_time);
    add_time(made, "nextAttemptTime", reading.next_attempt_time);
    return made;
}

}  // namespace

json::object reading_document(const core::HomeReading& reading) {
    json::object made;
    made.emplace("cluster", reading.cluster);
    made.emplace("endpoint", core::mask_userinfo(reading.endpoint));
    if (reading.capacity) {
        made.emplace("capacity", capacity_document(*reading.capacity));
    }
    if (reading.probe) {
        made.emplace("probe", probe_document(*reading.probe));
    }
    if (reading.certificate_expiry) {
        json::object tls;
        add_time(tls, "notAfter", reading.certificate_expiry);
        made.emplace("tls", std::move(tls));
    }
    if (reading.clock_skew) {
        made.emplace("clockSkewSeconds", *reading.clock_skew);
    }
    return made;
}

json::object reading_document(const core::ServiceReading& reading) {
    json::array homes;
    homes.reserve(reading.homes.size());
    for (const core::HomeReading& home : reading.homes) {
        homes.push_back(reading_document(home));
    }
    json::object made;
    made.emplace("namespace", reading.key.ns);
    made.emplace("name", reading.key.name);
    made.emplace("ownerUID", reading.owner_uid);
    made.emplace("suspended", reading.suspended);
    made.emplace("homes", std::move(homes));
    return made;
}

}  // namespace ome::wire
