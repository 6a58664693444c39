#include <ome/core/utf8.hpp>
#include <ome/routing/fallback_code.hpp>

#include <array>

namespace ome::routing {
namespace {

constexpr std::size_t longest_reason = 4096;

enum class Match : bool { Whole, Prefix };

struct Row {
    std::string_view text;
    Match match;
    std::string_view code;
};

constexpr std::array<Row, 14> rows = {{
    {"no capacity report yet", Match::Whole, "NoReport"},
    {"capacity target is invalid:", Match::Prefix, "InvalidTarget"},
    {"capacity clock is not configured", Match::Whole, "ClockUnavailable"},
    {"capacity observer executor is not configured", Match::Whole, "ObserverUnavailable"},
    {"capacity observation could not be submitted:", Match::Prefix, "ObserverUnavailable"},
    {"capacity endpoint unreachable:", Match::Prefix, "Unreachable"},
    {"capacity endpoint returned HTTP ", Match::Prefix, "HTTPError"},
    {"reading capacity response:", Match::Prefix, "ResponseReadError"},
    {"capacity request did not complete:", Match::Prefix, "RequestIncomplete"},
    {"capacity report is negative (", Match::Prefix, "InvalidReport"},
    {"capacity report timestamp is in the future", Match::Whole, "InvalidReport"},
    {"capacity report is stale (", Match::Prefix, "StaleReport"},
    {"capacity report awaiting quorum (", Match::Prefix, "AwaitingQuorum"},
    {"capacity report awaiting quorum after stale samples expired (",
     Match::Prefix,
     "AwaitingQuorum"},
}};

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

bool malformed(std::string_view text) {
    if (text.size() > longest_reason) {
        return true;
    }
    while (!text.empty()) {
        const core::CodePoint next = core::first_code_point(text);
        if (!next.valid || is_control(next.value)) {
            return true;
        }
        text.remove_prefix(next.length);
    }
    return false;
}

}  // namespace

std::string_view fallback_code(std::string_view reason) {
    if (malformed(reason)) {
        return "MalformedPayload";
    }
    if (reason.empty()) {
        return "NotRecorded";
    }
    for (const Row& row : rows) {
        if (row.match == Match::Whole ? reason == row.text : reason.starts_with(row.text)) {
            return row.code;
        }
    }
    return "OtherReportedReason";
}

}  // namespace ome::routing
