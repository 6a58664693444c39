// Plain YAML scalars by the core schema of YAML 1.2.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace ome::wire {

/// Null, true or false, a number, or else the text itself. `.inf` and `.nan` stay texts: JSON has
/// no such numbers.
[[nodiscard]] boost::json::value plain_scalar(std::string_view text,
                                              boost::json::storage_ptr memory);

}  // namespace ome::wire
