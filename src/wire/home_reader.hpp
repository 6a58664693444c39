// The homes of a declaration.
#pragma once

#include "member_reader.hpp"
#include <ome/core/declaration.hpp>

#include <string_view>
#include <vector>

namespace ome::wire {

/// The member `homes`, which must be there. Problems go to the notes of `declaration`; a home that
/// has one is left out.
[[nodiscard]] std::vector<core::HomeDeclaration> read_homes(Members& declaration);

/// Why the text cannot name a cluster or an owner, as the rest of a sentence; null when it can.
[[nodiscard]] const char* identifier_fault(std::string_view text);

}  // namespace ome::wire
