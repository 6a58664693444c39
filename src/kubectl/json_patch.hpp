// The JSON Patch operations (RFC 6902) that this program sends, carried out on a value: `test`,
// `add`, `replace` and `remove` of members of objects.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::kubectl {

namespace json = boost::json;

enum class Patched : std::uint8_t { Done, TestFailed, Malformed };

/// `target` is changed only when all operations can be carried out.
[[nodiscard]] Patched apply_json_patch(json::value& target, const json::array& operations);

/// A name as a part of a JSON pointer (RFC 6901): `ome.io~1traffic-drain`.
[[nodiscard]] std::string pointer_part(std::string_view name);

}  // namespace ome::kubectl
