// Problems of documents begin with the line that they are about; who prints a line of its own takes
// it from there, so that a message has one and not two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ome::wire {

struct LineAndMessage {
    std::size_t line = 0;      ///< from 1; zero: the message names none
    std::string_view message;  ///< what is left: `column 5: ...`, or without a place
};

/// Of `line 3: ...` and `line 3, column 5: ...`.
[[nodiscard]] LineAndMessage split_line(std::string_view message);

/// Several problems of one object, of which each has a line of its own, with semicolons in between.
[[nodiscard]] std::string on_one_line(std::string_view messages);

}  // namespace ome::wire
