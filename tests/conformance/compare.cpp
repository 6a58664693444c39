#include "registry.hpp"

#include <fmt/format.h>

namespace ome::conformance {
namespace {

// Numbers by value: a file may say 4 where the code says 4u.
bool same(const json::value& actual, const json::value& expect) {
    if (actual.is_object() && expect.is_object()) {
        return differences(actual.get_object(), expect.get_object()).empty() &&
               actual.get_object().size() <= expect.get_object().size();
    }
    if (actual.is_array() && expect.is_array()) {
        const auto& a = actual.get_array();
        const auto& e = expect.get_array();
        return std::equal(a.begin(), a.end(), e.begin(), e.end(), same);
    }
    return actual == expect;
}

bool matches(const json::object& actual, std::string_view key, const json::value& expect) {
    for (const std::string_view suffix : {"_prefix", "_contains"}) {
        if (!key.ends_with(suffix)) {
            continue;
        }
        const json::value* value = actual.if_contains(key.substr(0, key.size() - suffix.size()));
        if (value == nullptr || !value->is_string() || !expect.is_string()) {
            return false;
        }
        const std::string_view have = value->get_string();
        const std::string_view want = expect.get_string();
        return suffix == "_prefix" ? have.starts_with(want) : have.find(want) != have.npos;
    }
    const json::value* value = actual.if_contains(key);
    return value != nullptr && same(*value, expect);
}

}  // namespace

std::vector<std::string> differences(const json::object& actual, const json::object& expect) {
    std::vector<std::string> found;
    for (const auto& [key, value] : expect) {
        if (!matches(actual, key, value)) {
            found.push_back(fmt::format("{}: expected {}, computed {}",
                                        std::string_view(key),
                                        json::serialize(value),
                                        json::serialize(actual)));
        }
    }
    return found;
}

std::int64_t integer(const json::value& value) {
    return value.to_number<std::int64_t>();
}

std::string text(const json::value& value) {
    return std::string(std::string_view(value.as_string()));
}

}  // namespace ome::conformance
