#include "table.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/shadow.hpp>

#include <fmt/format.h>

namespace ome::routing {

bool is_shadowed(const InferenceService& service) {
    return service.shadow == "true";
}

std::optional<core::Problem> shadow_problem(const InferenceService& service) {
    if (!service.shadow || service.shadow == "true" || service.shadow == "false") {
        return std::nullopt;
    }
    std::string field = fmt::format("metadata.annotations[\"{}\"]", shadow_annotation);
    return core::Problem{fmt::format("{} {} is neither \"true\" nor \"false\" and has no effect",
                                     field,
                                     core::go_quote(*service.shadow)),
                         field};
}

const core::Policies& observed_policies(const RoutedService& routed) {
    return routed.shadow ? *routed.shadow : routed.policies;
}

RoutedService unshadowed(const RoutedService& routed) {
    return {observed_policies(routed), routed.drains, std::nullopt};
}

std::string shadow_weights(const InferenceService& service,
                           const RoutedService& routed,
                           const Observations& observations) {
    if (!routed.shadow) {
        return {};
    }
    const Table now = make_table(service, routed, observations);
    const Table then = make_table(service, unshadowed(routed), observations);
    std::string text;
    for (std::size_t i = 0; i < now.rows.size(); ++i) {
        text += fmt::format("{}{} {} (now {})",
                            i == 0 ? "" : ", ",
                            now.rows[i].home.cluster,
                            final_weight(then, i),
                            final_weight(now, i));
    }
    return text;
}

}  // namespace ome::routing
