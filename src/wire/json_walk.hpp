// A JSON object, walked value by value to its last byte. simdjson's on-demand parser checks what is
// read and nothing else, so this walk reads everything. Its DOM would check everything too, but
// refuses numbers that fit no 64 bits, which are valid JSON.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>
#include <vector>

namespace ome::wire {

enum class JsonFault : std::uint8_t {
    None,
    Syntax,    ///< not one JSON object and nothing else
    Encoding,  ///< not UTF-8
    Escape,    ///< a malformed escape in a string, or one of half a surrogate pair
    Depth,     ///< nested deeper than max_json_depth
    Refused,   ///< the receiver of the members said so
};

inline constexpr std::size_t max_json_depth = 10'000;

/// Takes the members of the outermost object in order, repeated names included. `name` is decoded;
/// `value` is its text: a whole scalar with its quotes, or the opening bracket. False ends the
/// walk.
using TakeMember = std::function<bool(std::string_view name, std::string_view value)>;

/// One for a thread; keeps its buffers.
class JsonWalk {
public:
    JsonWalk();

    /// Behind `text`, simdjson::SIMDJSON_PADDING bytes must be readable.
    JsonFault run(std::string_view text, const TakeMember& take);

private:
    using Value = simdjson::ondemand::value;
    using Array = simdjson::ondemand::array_iterator;
    using Object = simdjson::ondemand::object_iterator;

    // A container that is being walked. Kept on a vector and not on the stack of calls, which a
    // hostile document could exhaust.
    using Level = std::variant<Array, Object>;

    JsonFault open(Value& value);
    JsonFault step(simdjson::ondemand::document& document, const TakeMember& take);
    JsonFault next_value(const TakeMember& take, Value& value);
    JsonFault member(Object& object, const TakeMember& take, Value& value);

    simdjson::ondemand::parser parser_;
    std::vector<Level> levels_;
};

}  // namespace ome::wire
