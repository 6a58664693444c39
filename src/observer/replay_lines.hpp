// What `replay` prints: a line for each event, for programs (NDJSON) or for people (a table).
#pragma once

#include <ome/core/reading.hpp>
#include <ome/wire/replay_document.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace ome::observer {

/// `{"at","home"[,"service"],"reading"}`, or without a reading
/// `{"at"[,"service"],"policy":"applied"}` with the event's own word for `policy`.
void append_ndjson(std::string& out,
                   const wire::ReplayEvent& event,
                   const core::HomeReading* reading);

/// Rows are held back until many are there or nothing more is at hand, so that a column is as wide
/// as the widest of its cells; later ones may widen it.
class ReplayTable {
public:
    static constexpr std::size_t columns = 8;

    void append(std::string& out, const wire::ReplayEvent& event, const core::HomeReading* reading);

    /// The rows held back; the headings before the first.
    void flush(std::string& out);

private:
    using Cells = std::array<std::string, columns>;

    bool begun_ = false;
    std::vector<Cells> held_;
    std::array<std::size_t, columns> widths_{};
};

}  // namespace ome::observer
