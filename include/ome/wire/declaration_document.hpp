// The body of `PUT /v1/services/{namespace}/{name}`, and a line of the bulk (design.md section 4).
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace ome::wire {

struct DeclarationDocument {
    bool is_json = false;                 ///< false: 400; true with a problem: 422
    std::optional<core::ServiceKey> key;  ///< of the service; valid, or absent
    core::Result<core::ServiceDeclaration> declaration;
    std::vector<core::Problem> warnings;  ///< unknown members, which are ignored; odd endpoints
};

/// Whether a warning says that a home is never tried. It is no error: the other homes are observed,
/// and the reading of this one says so, too.
[[nodiscard]] bool is_about_an_unusable_endpoint(const core::Problem& warning);

/// Not a DNS-1123 label (namespace) or subdomain (name).
[[nodiscard]] std::optional<core::Problem> invalid_key(const core::ServiceKey& key);

/// The body of a single declaration. `key` is the URL's: a namespace or name in the body must equal
/// it. Every independent problem is in the message, a line each, at most ten; `field` is the
/// first's.
[[nodiscard]] DeclarationDocument read_declaration(std::string_view text,
                                                   const core::ServiceKey& key,
                                                   const core::ObserverLimits& limits);

/// A line of the bulk, which must name its service. `key` is given also when the rest is not
/// usable.
[[nodiscard]] DeclarationDocument read_declaration_line(std::string_view text,
                                                        const core::ObserverLimits& limits);

}  // namespace ome::wire
