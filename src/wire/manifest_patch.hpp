// What a folder lays over a manifest without touching it, and how a spec is told from another.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>

namespace ome::wire {

/// RFC 7386: members of `patch` replace, null removes, objects are merged.
void merge_patch(boost::json::value& target, const boost::json::value& patch);

/// The same for equal values whatever the order of members, on every machine.
[[nodiscard]] std::uint64_t stable_hash(const boost::json::value& value);

}  // namespace ome::wire
