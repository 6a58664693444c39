#include "annotation_check.hpp"

#include <ome/core/usage.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/drains.hpp>
#include <ome/routing/shadow.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ome::wire {
namespace {

// contract/trafficmap.md 1.1, contract/publisher-cli.md 1.3 and 2, and our own.
constexpr auto known_annotations =
    std::to_array<std::string_view>({routing::drain_annotation,
                                     routing::drain_expiry_annotation,
                                     routing::shadow_annotation,
                                     "ome.io/global-host",
                                     "ome.io/accelerator-requirements",
                                     "ome.io/cluster-selector",
                                     "ome.io/placement-origin",
                                     "ome.io/placement-origin-uid",
                                     "ome.io/placement-control-plane"});

// More, and `ome.io/` names that OME has for other things would come near.
constexpr std::size_t most_slips = 2;

bool is_known(std::string_view name) {
    return std::find(known_annotations.begin(), known_annotations.end(), name) !=
           known_annotations.end();
}

bool is_of_our_domains(std::string_view name) {
    return name.starts_with("ome.io/") || name.starts_with("ome-observer/");
}

const json::object* annotations_of(const json::value& object) {
    const json::object* whole = object.if_object();
    const json::value* meta = whole != nullptr ? whole->if_contains("metadata") : nullptr;
    const json::object* members = meta != nullptr ? meta->if_object() : nullptr;
    const json::value* annotations =
        members != nullptr ? members->if_contains("annotations") : nullptr;
    return annotations != nullptr ? annotations->if_object() : nullptr;
}

}  // namespace

void check_annotations(const json::value& object,
                       const routing::InferenceService& service,
                       Notes& notes) {
    const json::object* annotations = annotations_of(object);
    if (annotations == nullptr) {
        return;
    }
    for (const auto& annotation : *annotations) {
        const std::string_view name = annotation.key();
        // In an override null takes an annotation away, whatever it is called.
        if (!is_of_our_domains(name) || is_known(name) || annotation.value().is_null()) {
            continue;
        }
        if (const auto meant = core::misspelt(name, known_annotations, most_slips)) {
            const std::string path = member_path("metadata.annotations", name);
            notes.warnings.push_back(
                {fmt::format("{} is not known and is ignored; did you mean {}?", path, *meant),
                 path});
        }
    }
    if (auto slip = routing::shadow_problem(service)) {
        notes.warnings.push_back(*std::move(slip));
    }
}

}  // namespace ome::wire
