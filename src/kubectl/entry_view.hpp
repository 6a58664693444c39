// The entries of a TrafficMap as a report may show them: checked and bounded, with a word where
// something cannot be shown (contract/publisher-cli.md 2.2).
#pragma once

#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ome::kubectl {

namespace json = boost::json;

inline constexpr std::size_t most_entries = 256;
inline constexpr std::size_t most_entries_kept = 64;
inline constexpr std::size_t most_drains = 64;
inline constexpr std::size_t most_drains_listed = 16;

/// How much of a list was looked at: `Validated 64/65; truncated=true`.
struct Preview {
    std::string state = "NotRecorded";
    std::size_t total = 0;
    std::size_t kept = 0;
    bool truncated = false;
};

struct AddressView {
    std::string state = "NotRecorded";  ///< `Validated`, `NotRecorded`, `InvalidEndpoint`
    std::string origin = {};            ///< `scheme://host[:port]`
    bool path_present = false;

    /// What a cell shows.
    [[nodiscard]] const std::string& text() const { return origin.empty() ? state : origin; }
};
/// Never the path, the query nor the userinfo of a URL.
[[nodiscard]] AddressView address_view(const std::string& endpoint);

struct CountView {
    std::int64_t value = 0;  ///< 0 and absent cannot be told apart
    [[nodiscard]] std::string text() const;
};

struct CapacityView {
    CountView allocated;
    CountView ready;
    std::string factor;  ///< empty: none
    std::string source;  ///< `ControlPlane`, `Endpoint`, `UnknownOrDefaultedControlPlane`
    std::optional<std::int64_t> reported;
};

struct ProbeView {
    std::string result = "NotRecorded";
    std::string digest;
    std::string digest_state = "NotRecorded";
    bool gated = false;
    std::string gated_state = "NotRecorded";
    std::string last_attempt;
    std::int64_t consecutive_failures = 0;
    std::string freshness = "NotRecorded";
    bool recorded = false;

    [[nodiscard]] std::string gate() const;
};

struct EntryView {
    std::string cluster;
    AddressView address;
    std::int64_t weight = 0;
    bool healthy = false;
    std::string drains = "0";  ///< how many, or why they cannot be shown
    std::vector<std::string> drain_refs;
    Preview drain_preview{"Validated"};
    std::optional<CapacityView> capacity;
    std::string fallback = "NotRecorded";  ///< a code
    ProbeView probe;
};

/// What was wrong, counted by group and code.
using Issues = std::map<std::pair<std::string, std::string>, std::size_t>;

struct EntriesView {
    Preview preview;
    std::vector<EntryView> entries;  ///< by cluster
    Preview probes;
};

[[nodiscard]] EntriesView entries_view(const json::value& map, core::WallTime now, Issues& issues);

}  // namespace ome::kubectl
