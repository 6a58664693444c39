#include "member_reader.hpp"
#include <ome/wire/observer_answer.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::wire {
namespace {

constexpr Range not_negative{0};
constexpr Range not_negative_int64{0, any_int64.most};
constexpr std::size_t max_depth = 32;

std::string text(Members& members, std::string_view name) {
    return members.text(name).value_or("");
}

std::uint64_t counter(Members& members, std::string_view name) {
    return static_cast<std::uint64_t>(members.integer(name, not_negative_int64).value_or(0));
}

std::int32_t count(Members& members, std::string_view name) {
    return static_cast<std::int32_t>(members.integer(name, not_negative).value_or(0));
}

std::optional<std::int32_t> number(Members& members, std::string_view name, Range range) {
    const std::optional<std::int64_t> value = members.integer(name, range);
    return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}

std::vector<core::Sample> read_samples(Members& capacity) {
    std::vector<core::Sample> samples;
    capacity.each("samples", [&samples](Members sample) {
        samples.push_back({count(sample, "servable"),
                           sample.time("observedAt").value_or(core::WallTime{}),
                           sample.time("expiresAt").value_or(core::WallTime{})});
    });
    return samples;
}

core::CapacityReading read_capacity(Members members) {
    core::CapacityReading reading;
    reading.policy_digest = text(members, "policyDigest");
    reading.ceiling = number(members, "ceiling", not_negative);
    reading.fallback_reason = text(members, "fallbackReason");
    if (reading.ceiling) {
        reading.fallback_reason.clear();
    } else if (reading.fallback_reason.empty()) {
        reading.fallback_reason = "no capacity report yet";
    }
    reading.valid_until = members.time("validUntil");
    reading.samples = read_samples(members);
    reading.last_attempt_time = members.time("lastAttemptTime");
    reading.next_attempt_time = members.time("nextAttemptTime");
    return reading;
}

core::ProbeReading read_probe(Members members) {
    core::ProbeReading reading;
    reading.policy_digest = text(members, "policyDigest");
    reading.result = members.probe_result("result");
    reading.message = text(members, "message");
    reading.gated = members.flag("gated").value_or(false);
    reading.conclusive =
        members.flag("conclusive").value_or(reading.result != core::ProbeResult::Unknown);
    reading.consecutive_failures = count(members, "consecutiveFailures");
    reading.consecutive_passes = count(members, "consecutivePasses");
    reading.last_probe_time = members.time("lastProbeTime");
    reading.next_attempt_time = members.time("nextAttemptTime");
    return reading;
}

core::HomeReading read_home(Members members) {
    core::HomeReading home;
    home.cluster = members.required_text("cluster").value_or("");
    home.endpoint = text(members, "endpoint");
    if (std::optional<Members> capacity = members.members("capacity")) {
        home.capacity = read_capacity(std::move(*capacity));
    }
    if (std::optional<Members> probe = members.members("probe")) {
        home.probe = read_probe(std::move(*probe));
    }
    if (std::optional<Members> tls = members.members("tls")) {
        home.certificate_expiry = tls->time("notAfter");
    }
    home.clock_skew = number(members, "clockSkewSeconds", {});
    return home;
}

core::ServiceKey read_service_key(Members& members) {
    return {members.required_text("namespace").value_or(""),
            members.required_text("name").value_or("")};
}

ServiceAnswer read_service(Members members) {
    ServiceAnswer answer;
    answer.instance = text(members, "instance");
    answer.revision = counter(members, "revision");
    answer.service.key = read_service_key(members);
    answer.service.owner_uid = text(members, "ownerUID");
    answer.service.suspended = members.flag("suspended").value_or(false);
    members.each("homes", [&answer](Members home) {
        answer.service.homes.push_back(read_home(std::move(home)));
    });
    return answer;
}

ServicesAnswer read_page(Members members) {
    ServicesAnswer answer;
    answer.instance = text(members, "instance");
    answer.revision = counter(members, "revision");
    answer.more = text(members, "continue");
    members.each("services", [&answer](Members service) {
        answer.services.push_back(read_service(std::move(service)));
        if (answer.services.back().instance.empty()) {
            answer.services.back().instance = answer.instance;
        }
    });
    return answer;
}

ServicesAnswer read_page_or_service(Members members) {
    if (members.contains("services")) {
        return read_page(std::move(members));
    }
    ServicesAnswer answer;
    answer.services.push_back(read_service(std::move(members)));
    answer.instance = answer.services.front().instance;
    answer.revision = answer.services.front().revision;
    return answer;
}

AnswerError read_error(Members members) {
    return {text(members, "code"), {text(members, "message"), text(members, "field")}};
}

BulkAnswer::Rejected read_rejected(Members members) {
    BulkAnswer::Rejected rejected;
    rejected.line = counter(members, "line");
    core::ServiceKey key{text(members, "namespace"), text(members, "name")};
    if (!key.name.empty()) {
        rejected.key = std::move(key);
    }
    if (std::optional<Members> error = members.members("error")) {
        rejected.error = read_error(std::move(*error));
    }
    return rejected;
}

BulkAnswer read_bulk(Members members) {
    BulkAnswer answer;
    answer.instance = text(members, "instance");
    answer.applied = counter(members, "applied");
    answer.forgotten = counter(members, "forgotten");
    answer.rejected_not_listed = counter(members, "rejectedNotListed");
    members.each("rejected", [&answer](Members rejected) {
        answer.rejected.push_back(read_rejected(std::move(rejected)));
    });
    return answer;
}

std::optional<Members> required_service(Members& line) {
    std::optional<Members> service = line.members("service");
    if (!service && !line.contains("service")) {
        line.refuse("service", "is required");
    }
    return service;
}

WatchLine read_reading(Members& line, std::string instance) {
    watch::Reading reading;
    const std::uint64_t revision = counter(line, "revision");
    if (std::optional<Members> service = required_service(line)) {
        reading.answer = read_service(std::move(*service));
    }
    reading.answer.instance = std::move(instance);
    reading.answer.revision = revision;
    return reading;
}

WatchLine read_forgotten(Members& line, std::string instance) {
    watch::Forgotten forgotten{std::move(instance), counter(line, "revision"), {}, {}};
    if (std::optional<Members> service = required_service(line)) {
        forgotten.service = read_service_key(*service);
        forgotten.clusters = service->list_of_texts("clusters");
    }
    return forgotten;
}

WatchLine read_line(Members line) {
    std::string type = line.required_text("type").value_or("");
    std::string instance = text(line, "instance");
    if (type == "Reading") {
        return read_reading(line, std::move(instance));
    }
    if (type == "Forgotten") {
        return read_forgotten(line, std::move(instance));
    }
    if (type == "Bookmark") {
        return watch::Bookmark{std::move(instance), counter(line, "revision")};
    }
    if (type == "Gone") {
        return watch::Gone{std::move(instance)};
    }
    return watch::Other{std::move(type)};
}

// `read` makes the value of the outermost object's members.
template <typename Value>
core::Result<Value> read(std::string_view text, Value (*read)(Members)) {
    json::monotonic_resource memory;
    const core::Result<json::value> value = parse_json_value(text, &memory, max_depth);
    if (!value) {
        return core::Problem{"the answer is not JSON: " + value.error().message};
    }
    const json::object* object = value->if_object();
    if (object == nullptr) {
        return core::Problem{fmt::format("the answer {} must be an object", shown(*value))};
    }
    Notes notes;
    Value made = read(Members(*object, "", notes));
    if (!notes.errors.empty()) {
        return as_one(notes.errors);
    }
    return made;
}

}  // namespace

core::Result<ServiceAnswer> read_service_answer(std::string_view text) {
    return read(text, read_service);
}

core::Result<ServicesAnswer> read_services_answer(std::string_view text) {
    return read(text, read_page_or_service);
}

std::optional<AnswerError> read_error_answer(std::string_view text) {
    core::Result<AnswerError> answer = read<AnswerError>(text, [](Members members) {
        std::optional<Members> error = members.members("error");
        return error ? read_error(std::move(*error)) : AnswerError{};
    });
    const bool said = answer && !answer->problem.message.empty();
    return said ? std::optional(std::move(*answer)) : std::nullopt;
}

core::Result<BulkAnswer> read_bulk_answer(std::string_view text) {
    return read(text, read_bulk);
}

core::Result<WatchLine> read_watch_line(std::string_view text) {
    return read(text, read_line);
}

}  // namespace ome::wire
