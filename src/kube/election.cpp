#include <ome/core/deadline.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/kube/election.hpp>
#include <ome/kube/resource.hpp>
#include <ome/wire/api_answer.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ome::kube {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::int32_t number_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return number == nullptr
               ? 0
               : static_cast<std::int32_t>(std::clamp(*number, std::int64_t{0}, most));
}

std::int32_t whole_seconds(core::Duration duration) {
    return static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

std::string micro_time(core::WallTime at) {
    constexpr std::size_t up_to_seconds = 19;
    const std::string seconds = core::format_timestamp({at.seconds, 0}).substr(0, up_to_seconds);
    return fmt::format("{}.{:06}Z", seconds, at.nanoseconds / 1000);
}

core::Result<LeaseRecord> read_lease(const json::value& object) {
    const json::object* root = object.if_object();
    const json::value* spec = root == nullptr ? nullptr : root->if_contains("spec");
    LeaseRecord record;
    record.resource_version = wire::identity_of(object).resource_version;
    if (record.resource_version.empty()) {
        return core::Problem{"a Lease must have a metadata.resourceVersion",
                             "metadata.resourceVersion"};
    }
    if (spec != nullptr && spec->is_object()) {
        const json::object& members = spec->get_object();
        record.holder = text_in(members, "holderIdentity");
        record.duration_seconds = number_in(members, "leaseDurationSeconds");
        record.acquire_time = text_in(members, "acquireTime");
        record.renew_time = text_in(members, "renewTime");
        record.transitions = number_in(members, "leaseTransitions");
    }
    return record;
}

std::string lease_text(const std::string& ns, const std::string& name, const LeaseRecord& record) {
    json::object meta{{"namespace", ns}, {"name", name}};
    if (!record.resource_version.empty()) {
        meta["resourceVersion"] = record.resource_version;
    }
    json::object spec{{"holderIdentity", record.holder},
                      {"leaseDurationSeconds", record.duration_seconds},
                      {"acquireTime", record.acquire_time},
                      {"renewTime", record.renew_time},
                      {"leaseTransitions", record.transitions}};
    return json::serialize(json::object{{"apiVersion", leases.api_version()},
                                        {"kind", std::string(leases.kind)},
                                        {"metadata", std::move(meta)},
                                        {"spec", std::move(spec)}});
}

std::optional<core::Problem> check(const ElectionSettings& settings) {
    const auto shorter = [](const char* a, core::Duration x, const char* b, core::Duration y) {
        return core::Problem{fmt::format("{} ({}) must be shorter than {} ({})",
                                         a,
                                         core::format_duration(x),
                                         b,
                                         core::format_duration(y)),
                             a};
    };
    if (settings.renew_deadline >= settings.lease_duration) {
        return shorter(
            "renew-deadline", settings.renew_deadline, "lease-duration", settings.lease_duration);
    }
    if (settings.retry_period >= settings.renew_deadline) {
        return shorter(
            "retry-period", settings.retry_period, "renew-deadline", settings.renew_deadline);
    }
    if (settings.retry_period <= core::Duration::zero()) {
        return core::Problem{"retry-period must be positive", "retry-period"};
    }
    return std::nullopt;
}

Election::Election(ElectionSettings settings) : settings_(std::move(settings)) {}

void Election::observed(std::optional<LeaseRecord> record, core::SteadyTime now) {
    if (record != record_) {
        record_ = std::move(record);
        changed_at_ = now;
    }
    // Whoever took the lease from us did so because it was over.
    if (!ours()) {
        leads_until_.reset();
    }
}

Election::Move Election::next(core::SteadyTime now) const {
    if (!record_) {
        return Move::Create;
    }
    if (ours()) {
        // After a lead that has ended too: nobody has taken it meanwhile.
        return Move::Renew;
    }
    if (record_->holder.empty()) {
        return Move::Take;
    }
    const auto theirs = std::chrono::seconds(record_->duration_seconds);
    // What says nothing of how long it lasts lasts as long as ours do.
    const core::Duration lasts =
        record_->duration_seconds > 0 ? core::Duration(theirs) : settings_.lease_duration;
    return now - changed_at_ >= lasts ? Move::Take : Move::Wait;
}

LeaseRecord Election::wanted(core::WallTime now) const {
    LeaseRecord record;
    record.holder = settings_.identity;
    record.duration_seconds = whole_seconds(settings_.lease_duration);
    record.renew_time = micro_time(now);
    record.acquire_time = ours() ? record_->acquire_time : record.renew_time;
    if (record_) {
        record.transitions = record_->transitions + (ours() ? 0 : 1);
        record.resource_version = record_->resource_version;
    }
    return record;
}

void Election::written(LeaseRecord stored, core::SteadyTime asked_at) {
    record_ = std::move(stored);
    changed_at_ = asked_at;
    leads_until_ =
        ours() ? std::optional(core::later(asked_at, settings_.renew_deadline)) : std::nullopt;
}

LeaseRecord Election::released(core::WallTime now) const {
    LeaseRecord record = wanted(now);
    record.holder.clear();
    record.duration_seconds = 1;
    return record;
}

}  // namespace ome::kube
