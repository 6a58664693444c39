// What `replay` prints: a line for each event, for programs (NDJSON) or for people (a table).
#pragma once

#include <ome/core/reading.hpp>
#include <ome/wire/replay_document.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace ome::observer {

/// `{"at","home"[,"service"],"reading"}`, or `{"at","policy":"applied"}` without a reading.
void append_ndjson(std::string& out,
                   const wire::ReplayEvent& event,
                   const core::HomeReading* reading);

/// Rows come as the events do, so a column is as wide as the widest cell so far.
class ReplayTable {
public:
    static constexpr std::size_t columns = 8;

    /// The first one brings the headings along.
    void append(std::string& out, const wire::ReplayEvent& event, const core::HomeReading* reading);

private:
    void append_row(std::string& out, const std::array<std::string, columns>& cells);

    bool begun_ = false;
    std::array<std::size_t, columns> widths_{};
};

}  // namespace ome::observer
