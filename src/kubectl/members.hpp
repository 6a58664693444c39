// Looking into an object that somebody else wrote: what is absent, null or of another type reads as
// not there.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace ome::kubectl {

namespace json = boost::json;

using Path = std::initializer_list<std::string_view>;

/// Null when a part of the path is missing, or the last one is null.
[[nodiscard]] const json::value* find(const json::value& from, Path path);
[[nodiscard]] const json::array* array_at(const json::value& from, Path path);
[[nodiscard]] const json::object* object_at(const json::value& from, Path path);

/// Empty when it is not there.
[[nodiscard]] std::string text_at(const json::value& from, Path path);
[[nodiscard]] std::optional<std::int64_t> integer_at(const json::value& from, Path path);
[[nodiscard]] bool flag_at(const json::value& from, Path path);

}  // namespace ome::kubectl
