// When a list by pages is given up: a server whose pages go on without end is a fault of its own,
// and no reason to ask for ever.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ome::kube {

class PageLimit {
public:
    /// After a page that another one follows. Why there must be none.
    [[nodiscard]] std::optional<std::string> exceeded(std::size_t items) {
        empty_ = items == 0 ? empty_ + 1 : 0;
        if (empty_ > most_empty) {
            return "page after page of the list is empty, and it goes on";
        }
        if (++pages_ >= most_pages) {
            return "the list does not end within a thousand pages";
        }
        return std::nullopt;
    }

private:
    // Half a million objects; the API server itself fills the pages of a selector that finds few.
    static constexpr std::size_t most_pages = 1000;
    static constexpr std::size_t most_empty = 10;  // in a row

    std::size_t pages_ = 0;
    std::size_t empty_ = 0;
};

}  // namespace ome::kube
