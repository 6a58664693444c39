#include "replay_lines.hpp"

#include <ome/core/display_width.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/reading_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ome::observer {
namespace {

using Cells = std::array<std::string, ReplayTable::columns>;

constexpr std::size_t longest_name = 60;
constexpr std::size_t gap = 2;
constexpr std::size_t most_held = 1000;

std::string_view word_of(wire::ReplayAction action) {
    switch (action) {
        case wire::ReplayAction::Poll:
            return "poll";
        case wire::ReplayAction::Probe:
            return "probe";
        case wire::ReplayAction::Read:
            return "read";
        case wire::ReplayAction::Declared:
            return "declared";
        case wire::ReplayAction::Forgotten:
            return "forgotten";
        case wire::ReplayAction::Policy:
            break;
    }
    return "policy";
}

// Names are foreign text, and a terminal obeys what it is sent.
std::string home_of(const wire::ReplayEvent& event) {
    std::string home(event.home.empty() ? event.service : event.home);
    if (home.empty()) {
        return "-";
    }
    if (!event.home.empty() && !event.service.empty()) {
        home.insert(0, fmt::format("{}/", event.service));
    }
    return core::sanitize_detail(home, longest_name);
}

// First the gate's side, then the ceiling's, as in `status`.
std::string reason_of(const core::HomeReading& reading) {
    std::string reason;
    if (reading.probe && reading.probe->result != core::ProbeResult::Passing) {
        reason = reading.probe->message;
    } else if (reading.probe && reading.probe->gated) {
        reason = "passes again, and is still gated";
    }
    const std::string fallback = reading.capacity ? reading.capacity->fallback_reason : "";
    reason += reason.empty() || fallback.empty() ? "" : "; ";
    return core::sanitize_detail(reason + fallback);
}

std::string_view sentence_on(wire::ReplayAction action) {
    switch (action) {
        case wire::ReplayAction::Declared:
            return "what changed begins anew";
        case wire::ReplayAction::Forgotten:
            return "nothing is known any more";
        default:
            return "the policies changed";
    }
}

Cells cells_without_reading(const wire::ReplayEvent& event) {
    return {core::format_timestamp(event.at),
            home_of(event),
            std::string(word_of(event.action)),
            "-",
            "-",
            "-",
            "-",
            std::string(sentence_on(event.action))};
}

Cells cells_of(const wire::ReplayEvent& event, const core::HomeReading& reading) {
    const auto& capacity = reading.capacity;
    const auto& probe = reading.probe;
    return {core::format_timestamp(event.at),
            home_of(event),
            std::string(word_of(event.action)),
            capacity && capacity->ceiling ? fmt::to_string(*capacity->ceiling) : "-",
            !probe         ? "-"
            : probe->gated ? "yes"
                           : "no",
            probe ? fmt::to_string(probe->consecutive_failures) : "-",
            probe ? fmt::to_string(probe->consecutive_passes) : "-",
            reason_of(reading)};
}

}  // namespace

void append_ndjson(std::string& out,
                   const wire::ReplayEvent& event,
                   const core::HomeReading* reading) {
    out += R"({"at":)";
    wire::append_json_time(out, event.at);
    if (reading != nullptr) {
        out += R"(,"home":)";
        wire::append_json_string(out, event.home);
    }
    if (!event.service.empty() && event.action != wire::ReplayAction::Policy) {
        out += R"(,"service":)";
        wire::append_json_string(out, event.service);
    }
    if (reading == nullptr) {
        out += fmt::format(",\"{}\":\"applied\"}}\n", word_of(event.action));
        return;
    }
    out += R"(,"reading":)";
    wire::append_reading(out, *reading);
    out += "}\n";
}

void ReplayTable::append(std::string& out,
                         const wire::ReplayEvent& event,
                         const core::HomeReading* reading) {
    held_.push_back(reading != nullptr ? cells_of(event, *reading) : cells_without_reading(event));
    if (held_.size() >= most_held) {
        flush(out);
    }
}

void ReplayTable::flush(std::string& out) {
    if (!begun_ && !held_.empty()) {
        begun_ = true;
        widths_ = {24, 16, 6};  // a stamp, many a name, `policy`
        held_.insert(
            held_.begin(),
            Cells{"TIME", "HOME", "EVENT", "CEILING", "GATED", "FAILURES", "PASSES", "REASON"});
    }
    for (const Cells& cells : held_) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths_[i] = std::max(widths_[i], core::display_width(cells[i]));
        }
    }
    for (const Cells& cells : held_) {
        std::string row;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            row += cells[i];
            row.append(widths_[i] - core::display_width(cells[i]) + gap, ' ');
        }
        row.resize(row.find_last_not_of(' ') + 1);
        out += row + '\n';
    }
    held_.clear();
}

}  // namespace ome::observer
