#include "members.hpp"

#include <boost/json.hpp>

#include <limits>

namespace ome::kubectl {

const json::value* find(const json::value& from, Path path) {
    const json::value* at = &from;
    for (const std::string_view name : path) {
        const json::object* object = at->if_object();
        at = object != nullptr ? object->if_contains(name) : nullptr;
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at->is_null() ? nullptr : at;
}

const json::array* array_at(const json::value& from, Path path) {
    const json::value* value = find(from, path);
    return value != nullptr ? value->if_array() : nullptr;
}

const json::object* object_at(const json::value& from, Path path) {
    const json::value* value = find(from, path);
    return value != nullptr ? value->if_object() : nullptr;
}

std::string text_at(const json::value& from, Path path) {
    const json::value* value = find(from, path);
    return value != nullptr && value->is_string() ? std::string(value->get_string())
                                                  : std::string();
}

std::optional<std::int64_t> integer_at(const json::value& from, Path path) {
    const json::value* value = find(from, path);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const std::int64_t* number = value->if_int64()) {
        return *number;
    }
    const std::uint64_t* large = value->if_uint64();
    const bool fits =
        large != nullptr && *large <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    return fits ? std::optional(static_cast<std::int64_t>(*large)) : std::nullopt;
}

bool flag_at(const json::value& from, Path path) {
    const json::value* value = find(from, path);
    return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace ome::kubectl
