// The rules of single settings: text -> value, or the rule that the text breaks.
#pragma once

#include "settings.hpp"

#include <limits>

namespace ome::observer::rules {

using Texts = std::vector<std::string>;
using Broken = std::optional<std::string>;

[[nodiscard]] Broken number(const Texts& texts,
                            std::int64_t least,
                            std::int64_t most,
                            std::int64_t& out);
[[nodiscard]] Broken duration(const Texts& texts,
                              core::Duration least,
                              core::Duration most,
                              core::Duration& out);
/// As duration(), and zero, which means off.
[[nodiscard]] Broken duration_or_off(const Texts& texts, core::Duration least, core::Duration& out);
[[nodiscard]] Broken truth(const Texts& texts, bool& out);
/// The index of the text in `choices`.
[[nodiscard]] Broken choice(const Texts& texts,
                            const std::vector<std::string_view>& choices,
                            std::size_t& out);
[[nodiscard]] Broken address(const Texts& texts, net::ListenAddress& out);
[[nodiscard]] Broken networks(const Texts& texts, std::vector<std::string>& out);
[[nodiscard]] Broken name_servers(const Texts& texts, std::string& out);
[[nodiscard]] Broken hosts(const Texts& texts, std::vector<std::string>& out);

}  // namespace ome::observer::rules
