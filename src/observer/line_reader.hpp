// Lines of a stream, as fast as it gives them, with readable bytes behind each for a parser that
// looks ahead.
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace ome::observer {

class LineReader {
public:
    /// Lines longer than `longest` are given cut short; see cut().
    LineReader(std::istream& in, std::size_t longest, std::size_t padding);

    /// Without its line end, valid until the next call; absent at the end of the stream.
    [[nodiscard]] std::optional<std::string_view> next();

    /// From 1, of the line that next() gave.
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] bool cut() const { return cut_; }

    /// The next line is not in the buffer: next() may have to wait for it.
    [[nodiscard]] bool would_wait() const;

private:
    bool fill();
    void skip_rest_of_line();

    std::istream& in_;
    std::size_t longest_;
    std::size_t padding_;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t number_ = 0;
    bool cut_ = false;
};

}  // namespace ome::observer
