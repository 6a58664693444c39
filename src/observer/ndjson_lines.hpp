// Lines of a body that comes in pieces. Holds no more than one line and one piece.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ome::observer {

struct NdjsonLine {
    std::size_t number = 0;  ///< from 1
    std::string text;        ///< without its line end
    bool too_long = false;   ///< and then without text
};

class NdjsonLines {
public:
    explicit NdjsonLines(std::size_t longest) : longest_(longest) {}

    void feed(std::string_view piece);

    /// What came since the last line end is a line, too.
    void end();

    /// The next complete line that is not blank.
    [[nodiscard]] std::optional<NdjsonLine> next();

private:
    [[nodiscard]] std::optional<NdjsonLine> cut_line();

    std::size_t longest_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t searched_ = 0;  ///< no line end before
    std::size_t number_ = 0;
    bool skipping_ = false;  ///< the rest of a line that was too long
};

}  // namespace ome::observer
