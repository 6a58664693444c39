// The rules of single settings: text -> value, or the rule that the text breaks.
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core::setting_rules {

using Texts = std::vector<std::string>;
using Broken = std::optional<std::string>;

/// A whole number; nothing for any other text.
[[nodiscard]] std::optional<std::int64_t> to_number(std::string_view text);

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

}  // namespace ome::core::setting_rules
