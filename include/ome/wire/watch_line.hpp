// The lines of `GET /v1/watch` (design.md section 4), appended to a buffer, each with its line end.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/reading.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// Which process a line is from, and up to where the reader knows everything after it.
struct WatchPlace {
    std::string_view instance;
    std::uint64_t revision = 0;
};

/// `homes` are those that changed, each complete.
void append_reading_line(std::string& out,
                         const WatchPlace& place,
                         const core::ServiceReading& service);

/// Without clusters: the whole service.
void append_forgotten_line(std::string& out,
                           const WatchPlace& place,
                           const core::ServiceKey& service,
                           const std::vector<std::string>& clusters);

void append_bookmark_line(std::string& out, const WatchPlace& place);

/// The reader knows nothing that is still of use. Has no revision.
void append_gone_line(std::string& out, std::string_view instance);

}  // namespace ome::wire
