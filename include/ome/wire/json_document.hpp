// A document as text, with numbers as people write them: Boost.JSON spells 0.5 as 5E-1.
#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace ome::wire {

/// Compact, valid JSON; doubles in their shortest form that reads back the same (`0.5`, `30.6`),
/// whole ones without a point. A value that is no number in JSON (infinity) becomes null.
[[nodiscard]] std::string to_text(const boost::json::value& document);

}  // namespace ome::wire
