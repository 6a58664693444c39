// Answers that are no proper HTTP, by name. The connection closes after each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ome::homesim {

struct BrokenAnswer {
    std::string_view name;
    std::string_view meaning;
    std::string (*bytes)(int status, const std::string& body);
};

[[nodiscard]] std::span<const BrokenAnswer> broken_answers();

/// Null when there is none of this name.
[[nodiscard]] const BrokenAnswer* find_broken(std::string_view name);

/// For a message: `length-short, length-long, ...`.
[[nodiscard]] std::string names_of_broken();

}  // namespace ome::homesim
