#include "homes.hpp"
#include <ome/core/endpoint.hpp>
#include <ome/core/endpoint_remarks.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/traffic_pass.hpp>
#include <ome/routing/unaddressable.hpp>

#include <fmt/format.h>

#include <utility>

namespace ome::routing {

bool operator==(const Unaddressable& a, const Unaddressable& b) {
    return a.cluster == b.cluster && a.home == b.home && a.problem == b.problem;
}

std::vector<Unaddressable> unaddressable(const InferenceService& service) {
    std::vector<Unaddressable> found;
    if (!placed(service)) {
        return found;
    }
    const std::vector<Candidate>& candidates = service.status->candidates;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        const Candidate& candidate = candidates[at];
        if (!may_serve(service.status->plan, candidate)) {
            continue;
        }
        if (auto canonical = core::canonicalize(candidate.endpoint); !canonical) {
            std::string problem = std::move(canonical.error().message);
            if (const auto remark = core::scheme_remark(candidate.endpoint); !remark.empty()) {
                problem += fmt::format(": {}", remark);
            }
            found.push_back(
                {at, candidate.cluster, core::has_host(candidate.endpoint), std::move(problem)});
        }
    }
    return found;
}

std::string field_of(const Unaddressable& one) {
    return fmt::format("status.placement.candidates[{}].endpoint", one.index);
}

std::string sentence(const Unaddressable& one) {
    const char* effect = one.home ? "keeps the weight that its replicas give it, and is neither "
                                    "polled nor probed"
                                  : "is no home and gets no traffic";
    return fmt::format("{}: {} (as in https://llm.example.com): cluster {} {}",
                       field_of(one),
                       one.problem,
                       core::go_quote(one.cluster),
                       effect);
}

}  // namespace ome::routing
