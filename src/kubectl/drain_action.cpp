#include "drain_action.hpp"

#include "drain_bounds.hpp"
#include "json_patch.hpp"
#include "members.hpp"
#include "names.hpp"
#include "why_problems.hpp"
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/wire/drain_document.hpp>
#include <ome/wire/inference_service_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ome::kubectl {
namespace {

constexpr std::size_t longest_reason = 256;
constexpr std::size_t longest_identity = 256;

constexpr std::size_t most_named = 10;
constexpr const char* no_such_id = "traffic undrain refused: override ID does not exist";
constexpr const char* bounds_text =
    "traffic action refused: traffic-drain state exceeds safety bounds";

bool is_reason(std::string_view reason) {
    return !reason.empty() && reason.size() <= longest_reason && is_trimmed(reason) &&
           is_printable(reason) && !looks_like_credential(reason);
}

// Existing drains are held to the rules of new ones.
bool is_safe(const routing::Drain& drain) {
    return is_label(drain.id) && is_subdomain(drain.cluster) && is_reason(drain.reason);
}

bool is_identity(const std::string& text) {
    return !text.empty() && text.size() <= longest_identity && is_trimmed(text) &&
           is_printable(text) && text.find(' ') == std::string::npos;
}

bool is_derived_copy(const json::value& service) {
    constexpr std::array<std::string_view, 3> marks{
        "ome.io/placement-origin", "ome.io/placement-origin-uid", "ome.io/placement-control-plane"};
    return std::any_of(marks.begin(), marks.end(), [&service](std::string_view mark) {
        return find(service, {"metadata", "labels", mark}) != nullptr ||
               find(service, {"metadata", "annotations", mark}) != nullptr;
    });
}

// The obsolete annotations ask for placement too (and are then refused elsewhere).
bool is_eligible(const json::value& service) {
    return find(service, {"spec", "placement"}) != nullptr;
}

bool is_requested(const DrainRequest& request, const json::value& object) {
    return text_at(object, {"kind"}) == "InferenceService" &&
           text_at(object, {"apiVersion"}) == routing::api_version &&
           text_at(object, {"metadata", "name"}) == request.service &&
           text_at(object, {"metadata", "namespace"}) == request.ns;
}

std::optional<std::string> annotation_of(const json::value& service, std::string_view name) {
    const json::value* value = find(service, {"metadata", "annotations", name});
    return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string()))
                                                  : std::nullopt;
}

// Absent: malformed or unsafe.
std::optional<std::vector<routing::Drain>> safe_drains(
    const std::optional<std::string>& annotation) {
    auto drains = routing::parse_drains(annotation);
    if (!drains || !std::all_of(drains->begin(), drains->end(), is_safe)) {
        return std::nullopt;
    }
    return *std::move(drains);
}

std::optional<std::vector<routing::Drain>> safe_drains(const json::value& service) {
    const json::value* value =
        find(service, {"metadata", "annotations", routing::drain_annotation});
    if (value != nullptr && !value->is_string()) {
        return std::nullopt;
    }
    return safe_drains(annotation_of(service, routing::drain_annotation));
}

std::optional<std::string> refusal_of(const DrainRequest& request,
                                      const json::value& service,
                                      const std::optional<std::vector<routing::Drain>>& drains) {
    if (!is_requested(request, service)) {
        return "action target response does not match exact request";
    }
    if (exceeds_drain_bounds(service) || (drains && drains->size() > most_service_drains)) {
        return bounds_text;
    }
    const bool known = drains && std::any_of(drains->begin(), drains->end(), [&](const auto& one) {
                           return one.id == request.id;
                       });
    if (request.hold && drains && !known && drains->size() == most_service_drains) {
        return bounds_text;
    }
    if (is_derived_copy(service)) {
        return "action refused: placement sources and derived services cannot be mutated";
    }
    if (!is_eligible(service)) {
        return "traffic action refused: target is not eligible for cross-cluster traffic routing";
    }
    if (!is_identity(text_at(service, {"metadata", "uid"})) ||
        !is_identity(text_at(service, {"metadata", "resourceVersion"}))) {
        return "action refused: target identity is missing or unsafe";
    }
    if (find(service, {"metadata", "deletionTimestamp"}) != nullptr) {
        return "action refused: target is being deleted";
    }
    if (exceeds_inspection_bounds(service)) {
        return "action refused: safety inputs exceed inspection bounds";
    }
    if (!drains) {
        return "traffic action refused: existing traffic-drain annotation is malformed or unsafe";
    }
    if (request.hold && known) {
        return "traffic drain refused: override ID already exists";
    }
    if (!request.hold && !known) {
        return no_such_id;
    }
    return std::nullopt;
}

json::object operation(const char* verb, std::string_view path) {
    return {{"op", verb}, {"path", path}};
}

json::object operation(const char* verb, std::string_view path, json::value value) {
    json::object made = operation(verb, path);
    made["value"] = std::move(value);
    return made;
}

/// The operations that set or take away an annotation, after the two tests.
class Patch {
public:
    Patch(const json::value& service, const DrainPlan& plan) : service_(service) {
        operations_.push_back(operation("test", "/metadata/uid", json::value(plan.uid)));
        operations_.push_back(
            operation("test", "/metadata/resourceVersion", json::value(plan.resource_version)));
    }

    void set(std::string_view name, const std::optional<std::string>& value) {
        const bool there = find(service_, {"metadata", "annotations", name}) != nullptr;
        if (!value && !there) {
            return;
        }
        const std::string path = "/metadata/annotations/" + pointer_part(name);
        if (!value) {
            operations_.push_back(operation("remove", path));
            return;
        }
        const json::object* annotations = object_at(service_, {"metadata", "annotations"});
        if (!made_annotations_ && (annotations == nullptr || annotations->empty())) {
            made_annotations_ = true;
            operations_.push_back(operation("add", "/metadata/annotations", json::object()));
        }
        operations_.push_back(operation(there ? "replace" : "add", path, json::value(*value)));
    }

    json::array take() { return std::move(operations_); }

private:
    const json::value& service_;
    json::array operations_;
    bool made_annotations_ = false;
};

// Absent: the expiries that are there cannot be read, and stay as they are.
std::optional<std::vector<routing::DrainExpiry>> expiries_of(const json::value& service) {
    auto expiries =
        wire::read_drain_expiries(annotation_of(service, routing::drain_expiry_annotation));
    return expiries ? std::optional(*std::move(expiries)) : std::nullopt;
}

void write_expiries(Patch& patch,
                    const DrainRequest& request,
                    const DrainPlan& plan,
                    const json::value& service) {
    auto expiries = expiries_of(service);
    const auto of_this = [&request](const auto& one) { return one.drain.id == request.id; };
    const bool held = expiries && std::any_of(expiries->begin(), expiries->end(), of_this);
    if (!held && !plan.until) {
        return;
    }
    std::vector<routing::DrainExpiry> next = expiries.value_or(std::vector<routing::DrainExpiry>{});
    next.erase(std::remove_if(next.begin(), next.end(), of_this), next.end());
    if (plan.until) {
        next.push_back({plan.drain, *plan.until});
    }
    patch.set(
        routing::drain_expiry_annotation,
        next.empty() ? std::nullopt : std::optional(wire::drain_expiries_text(std::move(next))));
}

}  // namespace

std::optional<std::string> broken_rule(const DrainRequest& request) {
    if (!is_label(request.id)) {
        return "traffic override ID must be a DNS-1123 label";
    }
    if (request.hold && !is_subdomain(request.hold->cluster)) {
        return "traffic drain cluster must be a DNS-1123 subdomain";
    }
    if (request.hold && !is_reason(request.hold->reason)) {
        return "traffic drain reason must be bounded, trimmed, printable, and non-secret";
    }
    return std::nullopt;
}

core::Result<DrainPlan> plan_drain(const DrainRequest& request, const json::value& service) {
    auto drains = safe_drains(service);
    if (auto refusal = refusal_of(request, service, drains)) {
        return core::Problem{*std::move(refusal)};
    }
    DrainPlan plan;
    plan.uid = text_at(service, {"metadata", "uid"});
    plan.resource_version = text_at(service, {"metadata", "resourceVersion"});
    plan.before = drains->size();
    if (request.hold) {
        plan.drain = {request.id, request.hold->cluster, request.hold->reason};
        plan.until = request.hold->until;
        drains->push_back(plan.drain);
    } else {
        const auto found = std::find_if(
            drains->begin(), drains->end(), [&](const auto& one) { return one.id == request.id; });
        plan.drain = *found;
        drains->erase(found);
    }
    plan.after = drains->size();
    if (!drains->empty()) {
        plan.value = wire::drains_text(*std::move(drains));
    }
    const bool new_annotation =
        find(service, {"metadata", "annotations", routing::drain_annotation}) == nullptr;
    if (plan.value.value_or("").size() > longest_drain_value ||
        (new_annotation && !has_room_for_annotation(service))) {
        return core::Problem{bounds_text};
    }
    if (plan.until && !expiries_of(service)) {
        return core::Problem{
            "traffic action refused: existing traffic-drain-expiry annotation is malformed"};
    }
    Patch patch(service, plan);
    patch.set(routing::drain_annotation, plan.value);
    write_expiries(patch, request, plan, service);
    plan.patch = patch.take();
    return plan;
}

bool can_be_changed(const std::optional<std::string>& drains) {
    return safe_drains(drains).has_value();
}

std::string hint_of_ids(const DrainRequest& request, const json::value& service) {
    const auto drains = safe_drains(service);
    if (refusal_of(request, service, drains) != no_such_id) {
        return "";
    }
    if (drains->empty()) {
        return fmt::format("\nhint: {}/{} has no drain", request.ns, request.service);
    }
    std::vector<std::string> known;
    for (const routing::Drain& drain : *drains) {  // labels, so there is nothing to escape
        known.push_back(drain.id);
    }
    const auto near = core::nearest_word(request.id, known);
    const bool in_doubt = near && known.size() > 1;
    const std::string meant = in_doubt ? fmt::format("; did you mean {}?", *near) : std::string();
    const std::size_t more = known.size() - std::min(known.size(), most_named);
    known.resize(known.size() - more);
    return fmt::format("\nhint: {}/{} has the {} {}{}{}",
                       request.ns,
                       request.service,
                       known.size() == 1 ? "drain" : "drains",
                       fmt::join(known, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : std::string(),
                       meant);
}

std::optional<std::string> unknown_home(const DrainRequest& request, const json::value& service) {
    const json::array* candidates = array_at(service, {"status", "placement", "candidates"});
    if (!request.hold || candidates == nullptr || candidates->empty()) {
        return std::nullopt;
    }
    std::vector<std::string> known;
    for (const json::value& candidate : *candidates) {
        known.push_back(core::sanitize_detail(text_at(candidate, {"cluster"})));
    }
    if (std::find(known.begin(), known.end(), request.hold->cluster) != known.end()) {
        return std::nullopt;
    }
    const auto near = core::nearest_word(request.hold->cluster, known);
    return fmt::format(
        "--workload-cluster {} is no home of {}/{}; known clusters: {}{} The drain holds nothing "
        "until it is one",
        request.hold->cluster,
        request.ns,
        request.service,
        fmt::join(known, ", "),
        near ? fmt::format("; did you mean {}?", *near) : std::string("."));
}

std::optional<std::string> frozen_warning(const DrainRequest& request, const json::value& service) {
    const auto read = wire::read_inference_service(service);
    const auto frozen = read ? frozen_reason(*read, nullptr, routing::assumed_installation())
                             : std::optional(read.error().message);
    if (!frozen) {
        return std::nullopt;
    }
    return fmt::format("the map of {}/{} is frozen ({}): the drain is {} only when that is mended",
                       request.ns,
                       request.service,
                       core::sanitize_detail(*frozen),
                       request.hold ? "in force" : "out of force");
}

bool is_answer_to(const DrainRequest& request, const DrainPlan& plan, const json::value& answer) {
    return is_requested(request, answer) && text_at(answer, {"metadata", "uid"}) == plan.uid &&
           !text_at(answer, {"metadata", "resourceVersion"}).empty() &&
           annotation_of(answer, routing::drain_annotation) == plan.value;
}

}  // namespace ome::kubectl
