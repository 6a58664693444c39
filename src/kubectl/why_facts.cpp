#include "why_facts.hpp"

#include <ome/core/text.hpp>
#include <ome/routing/explanation.hpp>
#include <ome/routing/stored_evidence.hpp>
#include <ome/wire/drain_document.hpp>

#include <utility>

namespace ome::kubectl {

WhyFacts facts_of(routing::InferenceService service, core::WallTime now) {
    WhyFacts facts{.service = std::move(service), .now = now};
    if (auto drains = routing::parse_drains(facts.service.drains)) {
        facts.drains = *std::move(drains);
    } else {
        facts.drains_known = false;
    }
    if (auto expiries = wire::read_drain_expiries(facts.service.drain_expiries)) {
        facts.expiries = *std::move(expiries);
    }
    return facts;
}

void take_explanation(WhyFacts& facts, const core::RoutingSettings& installation) {
    const auto admitted = routing::admit(facts.service, installation);
    if (!admitted || !*admitted) {
        return;
    }
    const routing::RoutedService routed = routing::with_stored_policies(**admitted, *facts.map);
    const routing::Explanation explanation =
        routing::explain(facts.service, routed, routing::stored_observations(*facts.map));
    for (const routing::HomeExplanation& home : explanation.homes) {
        facts.explanations[home.cluster] = home.text;
        facts.weights_now[home.cluster] = home.weight;
    }
}

const routing::Candidate* candidate_of(const routing::InferenceService& service,
                                       const std::string& cluster) {
    if (service.status) {
        for (const routing::Candidate& candidate : service.status->candidates) {
            if (candidate.cluster == cluster) {
                return &candidate;
            }
        }
    }
    return nullptr;
}

std::string clean(const std::string& text) {
    return core::sanitize_detail(text);
}

}  // namespace ome::kubectl
