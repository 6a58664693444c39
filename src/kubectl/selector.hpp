// Label selectors as kubectl's -l takes them, for stores that have to match labels themselves.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

struct Requirement {
    enum class Rule : std::uint8_t { Exists, Absent, In, NotIn };  ///< NotIn: also when absent
    std::string label;
    Rule rule = Rule::Exists;
    std::vector<std::string> values = {};
};

/// `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b, c)`, `a notin (b)`, joined by commas. Absent: the
/// text is none of these.
[[nodiscard]] std::optional<std::vector<Requirement>> parse_selector(std::string_view text);

/// Whether the object's labels satisfy all of them.
[[nodiscard]] bool matches(const std::vector<Requirement>& selector,
                           const boost::json::value& object);

}  // namespace ome::kubectl
