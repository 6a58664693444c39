// Events for people, one JSON object a line, in place of an API server's. Bounded: a full file
// becomes FILE.1.
#pragma once

#include "store.hpp"

#include <cstdint>
#include <string>

namespace ome::controller {

class EventFile {
public:
    explicit EventFile(std::string path, std::uint64_t max_bytes = std::uint64_t{16} << 20)
        : path_(std::move(path)), max_bytes_(max_bytes) {}

    /// Problem: it could not be written; the event is lost, nothing else is.
    [[nodiscard]] std::optional<core::Problem> append(const EventRecord& event);

private:
    std::string path_;
    std::uint64_t max_bytes_;
    bool torn_ = false;  ///< its last line has no end
};

}  // namespace ome::controller
