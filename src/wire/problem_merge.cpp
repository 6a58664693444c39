#include "problem_merge.hpp"

#include <algorithm>
#include <string_view>

namespace ome::wire {
namespace {

bool is_part_of(std::string_view field, std::string_view whole, std::string_view marks) {
    return field.size() > whole.size() && field.starts_with(whole) &&
           marks.find(field[whole.size()]) != marks.npos;
}

}  // namespace

void append_new(std::vector<core::Problem>& to, const std::vector<core::Problem>& more, Told told) {
    for (const core::Problem& one : more) {
        const bool known = std::any_of(to.begin(), to.end(), [&](const core::Problem& p) {
            return p.field == one.field || is_part_of(p.field, one.field, "[") ||
                   (told == Told::WholesToo && is_part_of(one.field, p.field, ".["));
        });
        if (!known) {
            to.push_back(one);
        }
    }
}

}  // namespace ome::wire
