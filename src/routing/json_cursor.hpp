// Reads JSON piece by piece, as a stream does: a text that is wrong further on is not wrong yet.
// Own reader, since the first error of a drain annotation and what counts as one are part of the
// contract (contract/trafficmap.md 7.2); whole-document parsers report other ones.
#pragma once

#include <ome/core/problem.hpp>

#include <string>
#include <string_view>

namespace ome::routing {

struct JsonValue {
    enum class Kind : std::uint8_t { Object, Array, String, Number, True, False, Null };
    Kind kind = Kind::Null;
    std::string text = {};  ///< of a string, decoded; of a number, as written
};

/// Problems carry what is wrong in our own words; what was being read is the caller's to say.
class JsonCursor {
public:
    explicit JsonCursor(std::string_view text) : rest_(text) {}

    /// Skips white space. The next byte, or NUL at the end of the text.
    [[nodiscard]] char peek();
    [[nodiscard]] bool at_end();

    /// Takes `mark`, after white space.
    [[nodiscard]] core::Result<void> expect(char mark, std::string_view place);

    /// A string where a key has to be.
    [[nodiscard]] core::Result<JsonValue> key();

    /// A scalar as a whole, or only the opening bracket of an object or array.
    [[nodiscard]] core::Result<JsonValue> open();

    /// A whole value; of objects and arrays only the kind is kept.
    [[nodiscard]] core::Result<JsonValue> whole();

private:
    [[nodiscard]] core::Problem wrong(std::string_view place) const;
    [[nodiscard]] core::Result<JsonValue> string();
    [[nodiscard]] core::Result<char32_t> escaped_unit();
    [[nodiscard]] core::Result<void> escape(std::string& out);
    [[nodiscard]] core::Result<JsonValue> number();
    [[nodiscard]] core::Result<JsonValue> literal();
    [[nodiscard]] core::Result<void> skip_inside(JsonValue::Kind opened);

    [[nodiscard]] core::Result<JsonValue> member(bool of_object, bool first);

    std::string_view rest_;
};

}  // namespace ome::routing
