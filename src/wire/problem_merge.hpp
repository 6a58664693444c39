// Two lists of problems as one, without what only follows from the first.
#pragma once

#include <ome/core/problem.hpp>

#include <vector>

namespace ome::wire {

/// What counts as told already of a field: a problem of itself or of an item of it, or also of what
/// it is a part of (an object that cannot be read has none of its members).
enum class Told : bool { FieldAndItems, WholesToo };

/// Appends those of `more` whose field `to` does not tell of yet.
void append_new(std::vector<core::Problem>& to,
                const std::vector<core::Problem>& more,
                Told told = Told::FieldAndItems);

}  // namespace ome::wire
