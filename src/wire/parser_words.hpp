// What the parsers find wrong, in words that say what to do about it.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>
#include <string_view>

namespace ome::wire {

/// `at`: how far the JSON text could be read.
[[nodiscard]] std::string json_fault_words(std::string_view text,
                                           std::size_t at,
                                           const boost::system::error_code& error);

/// Of a message of libyaml.
[[nodiscard]] std::string yaml_fault_words(std::string_view message);

}  // namespace ome::wire
