// The rules of single settings: text -> value, or the rule that the text breaks.
#pragma once

#include "settings.hpp"
#include <ome/core/setting_rules.hpp>

#include <limits>

namespace ome::observer::rules {

using namespace core::setting_rules;

[[nodiscard]] Broken networks(const Texts& texts, std::vector<std::string>& out);
[[nodiscard]] Broken name_servers(const Texts& texts, std::string& out);
[[nodiscard]] Broken hosts(const Texts& texts, std::vector<std::string>& out);

}  // namespace ome::observer::rules
