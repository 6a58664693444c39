#include "ndjson_lines.hpp"

#include <utility>

namespace ome::observer {

void NdjsonLines::feed(std::string_view piece) {
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    buffer_ += piece;
}

void NdjsonLines::end() {
    if (begin_ < buffer_.size()) {
        buffer_ += '\n';
    }
}

std::optional<NdjsonLine> NdjsonLines::next() {
    while (auto line = cut_line()) {
        if (line->too_long || line->text.find_first_not_of(" \t\r") != std::string::npos) {
            return line;
        }
    }
    return std::nullopt;
}

std::optional<NdjsonLine> NdjsonLines::cut_line() {
    for (;;) {
        const std::size_t at = buffer_.find('\n', searched_);
        const bool ended = at != std::string::npos;
        const std::size_t length = (ended ? at : buffer_.size()) - begin_;
        if (!ended && length <= longest_ && !skipping_) {
            searched_ = buffer_.size();
            return std::nullopt;
        }
        const bool told = std::exchange(skipping_, !ended);
        NdjsonLine line{told ? number_ : ++number_, {}, length > longest_};
        if (!told && !line.too_long) {
            line.text = buffer_.substr(begin_, length);
        }
        begin_ = searched_ = ended ? at + 1 : buffer_.size();
        if (!told) {
            return line;
        }
        if (!ended) {
            return std::nullopt;
        }
    }
}

}  // namespace ome::observer
