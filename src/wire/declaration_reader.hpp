// A declaration as a JSON value, with everything that is to be said about it.
#pragma once

#include "member_reader.hpp"
#include <ome/core/declaration.hpp>
#include <ome/core/policy_settings.hpp>

#include <optional>

namespace ome::wire {

/// Where the service's name comes from when the body does not say it, or must agree.
enum class Naming : std::uint8_t {
    Url,       ///< `expected` is the URL's; the body may repeat it
    Body,      ///< the body must name the service
    Defaults,  ///< the body may; otherwise `default`/`default`, and the owner may be left out too
};

struct DeclarationRules {
    const core::ObserverLimits& limits;
    Naming naming = Naming::Body;
    core::ServiceKey expected = {};
};

struct DeclarationReading {
    std::optional<core::ServiceKey> key;  ///< absent when it is missing or invalid
    core::ServiceDeclaration declaration;
    std::optional<core::ProbeSettings> probe;        ///< as written
    std::optional<core::CapacitySettings> capacity;  ///< as written
    Notes notes;
};

/// Paths in the notes begin at the declaration (`homes[3].cluster`).
[[nodiscard]] DeclarationReading read_declaration_value(const json::value& value,
                                                        const DeclarationRules& rules);

}  // namespace ome::wire
