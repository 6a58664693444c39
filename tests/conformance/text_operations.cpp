// contract/observer.md 3 and 12.
#include "registry.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>

namespace ome::conformance {
namespace {

json::object duration(const json::object& input, const json::object&) {
    const auto parsed = core::parse_duration(text(input.at("text")));
    if (!parsed) {
        return {{"invalid", true}};
    }
    return {{"nanoseconds", parsed->count()}, {"formatted", core::format_duration(*parsed)}};
}

json::object canonicalization(const json::object& input, const json::object&) {
    const auto endpoint = core::canonicalize(text(input.at("url")));
    if (!endpoint) {
        return {{"error", endpoint.error().message}};
    }
    return {{"canonical", endpoint->canonical}};
}

}  // namespace

void add_text_operations(std::vector<Operation>& all) {
    all.push_back(
        {"duration", "parse", {"text"}, {"formatted", "invalid", "nanoseconds"}, duration});
    all.push_back({"endpoint_canonicalization",
                   "",
                   {"url"},
                   {"canonical", "error", "error_prefix"},
                   canonicalization});
}

}  // namespace ome::conformance
