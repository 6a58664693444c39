// A declaration as the text that the observer takes (design.md section 4); read back by
// declaration_document.hpp.
#pragma once

#include <ome/core/declaration.hpp>

#include <string>

namespace ome::wire {

/// Appends the JSON object, without a line end: the body of a `PUT` of one service, and with a line
/// end a line of the bulk. It names its service. Endpoints are verbatim, userinfo included.
void append_declaration(std::string& out, const core::ServiceDeclaration& declaration);

}  // namespace ome::wire
