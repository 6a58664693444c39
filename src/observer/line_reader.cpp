#include "line_reader.hpp"

#include <algorithm>
#include <limits>

namespace ome::observer {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

}  // namespace

LineReader::LineReader(std::istream& in, std::size_t longest, std::size_t padding)
    : in_(in), longest_(longest), padding_(padding), buffer_(piece + padding, '\0') {}

std::optional<std::string_view> LineReader::next() {
    cut_ = false;
    std::size_t looked = begin_;
    for (;;) {
        const std::size_t found = std::string_view(buffer_.data(), end_).find('\n', looked);
        if (found != std::string_view::npos) {
            const std::string_view line(buffer_.data() + begin_, found - begin_);
            begin_ = found + 1;
            ++number_;
            return line;
        }
        const std::size_t length = end_ - begin_;
        cut_ = length > longest_;
        if (cut_ || !fill()) {
            break;
        }
        looked = begin_ + length;
    }
    if (begin_ == end_) {
        return std::nullopt;
    }
    const std::string_view line(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    ++number_;
    if (cut_) {
        skip_rest_of_line();
    }
    return line;
}

bool LineReader::would_wait() const {
    return std::string_view(buffer_.data(), end_).find('\n', begin_) == std::string_view::npos;
}

// Takes what there is rather than waiting for a full piece, so that a pipe is answered line by
// line.
bool LineReader::fill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
              buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < end_ + piece + padding_) {
        buffer_.resize(std::max(buffer_.size() * 2, end_ + piece + padding_));
    }
    if (in_.peek() == std::istream::traits_type::eof()) {
        return false;
    }
    const auto there = in_.rdbuf()->in_avail();
    const auto wanted =
        std::min(std::max<std::streamsize>(there, 1), static_cast<std::streamsize>(piece));
    const auto got = in_.rdbuf()->sgetn(buffer_.data() + end_, wanted);
    end_ += static_cast<std::size_t>(got);
    return got > 0;
}

void LineReader::skip_rest_of_line() {
    in_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
}

}  // namespace ome::observer
