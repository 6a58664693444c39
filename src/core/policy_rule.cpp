#include "policy_rule.hpp"

#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

namespace ome::core {

std::string render(std::string_view text,
                   const ProbeValues& values,
                   std::string_view block,
                   std::int64_t number) {
    return fmt::format(fmt::runtime(text),
                       fmt::arg("b", block),
                       fmt::arg("when", fmt::format(" when {}.path is set", block)),
                       fmt::arg("n", number),
                       fmt::arg("path", go_quote(values.path)),
                       fmt::arg("method", go_quote(values.method)),
                       fmt::arg("period", format_duration(values.period)),
                       fmt::arg("timeout", format_duration(values.timeout)),
                       fmt::arg("policy", go_quote(values.all_failed_policy)));
}

std::string render(std::string_view text,
                   const CapacityValues& values,
                   std::string_view block,
                   std::int64_t number) {
    return fmt::format(fmt::runtime(text),
                       fmt::arg("b", block),
                       fmt::arg("when", fmt::format(" when {}.path is set", block)),
                       fmt::arg("n", number),
                       fmt::arg("path", go_quote(values.path)),
                       fmt::arg("method", go_quote(values.method)),
                       fmt::arg("format", go_quote(values.format)),
                       fmt::arg("period", format_duration(values.period)),
                       fmt::arg("timeout", format_duration(values.timeout)),
                       fmt::arg("samples", values.samples),
                       fmt::arg("quorum", values.quorum),
                       fmt::arg("age", format_duration(values.max_age)));
}

std::string placeholder_of(std::string_view field) {
    return fmt::format("{{{}}}", field == "maxAge" ? "age" : field);
}

std::string field_of(std::string_view block, std::string_view field) {
    return field.empty() ? std::string(block) : fmt::format("{}.{}", block, field);
}

}  // namespace ome::core
