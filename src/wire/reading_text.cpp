// The text of a reading without a document in between: replay writes hundreds of thousands of them
// a second, and Boost.JSON builds and serialises a tenth of that.
#include <ome/core/endpoint.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/reading_document.hpp>

namespace ome::wire {
namespace {

void append_time(std::string& out, std::string_view name, const std::optional<core::WallTime>& at) {
    if (at) {
        out += name;
        append_json_time(out, *at);
    }
}

void append_samples(std::string& out, const std::vector<core::Sample>& samples) {
    out += R"(,"samples":[)";
    for (const core::Sample& sample : samples) {
        out += &sample == samples.data() ? R"({"servable":)" : R"(,{"servable":)";
        append_json_integer(out, sample.servable);
        out += R"(,"observedAt":)";
        append_json_time(out, sample.observed_at);
        out += R"(,"expiresAt":)";
        append_json_time(out, sample.expires_at);
        out += '}';
    }
    out += ']';
}

void append_capacity(std::string& out, const core::CapacityReading& reading) {
    out += R"({"policyDigest":)";
    append_json_string(out, reading.policy_digest);
    if (reading.ceiling) {
        out += R"(,"ceiling":)";
        append_json_integer(out, *reading.ceiling);
    }
    out += R"(,"fallbackReason":)";
    append_json_string(out, reading.fallback_reason);
    append_time(out, R"(,"validUntil":)", reading.valid_until);
    append_samples(out, reading.samples);
    append_time(out, R"(,"lastAttemptTime":)", reading.last_attempt_time);
    append_time(out, R"(,"nextAttemptTime":)", reading.next_attempt_time);
    out += '}';
}

void append_probe(std::string& out, const core::ProbeReading& reading) {
    out += R"({"policyDigest":)";
    append_json_string(out, reading.policy_digest);
    out += R"(,"result":)";
    append_json_string(out, core::to_string(reading.result));
    out += R"(,"message":)";
    append_json_string(out, reading.message);
    out += reading.gated ? R"(,"gated":true)" : R"(,"gated":false)";
    out += reading.conclusive ? R"(,"conclusive":true)" : R"(,"conclusive":false)";
    out += R"(,"consecutiveFailures":)";
    append_json_integer(out, reading.consecutive_failures);
    out += R"(,"consecutivePasses":)";
    append_json_integer(out, reading.consecutive_passes);
    append_time(out, R"(,"lastProbeTime":)", reading.last_probe_time);
    append_time(out, R"(,"nextAttemptTime":)", reading.next_attempt_time);
    out += '}';
}

}  // namespace

void append_reading(std::string& out, const core::HomeReading& reading) {
    out += R"({"cluster":)";
    append_json_string(out, reading.cluster);
    out += R"(,"endpoint":)";
    append_json_string(out, core::mask_userinfo(reading.endpoint));
    if (reading.capacity) {
        out += R"(,"capacity":)";
        append_capacity(out, *reading.capacity);
    }
    if (reading.probe) {
        out += R"(,"probe":)";
        append_probe(out, *reading.probe);
    }
    if (reading.certificate_expiry) {
        append_time(out, R"(,"tls":{"notAfter":)", reading.certificate_expiry);
        out += '}';
    }
    if (reading.clock_skew) {
        out += R"(,"clockSkewSeconds":)";
        append_json_integer(out, *reading.clock_skew);
    }
    out += '}';
}

}  // namespace ome::wire
