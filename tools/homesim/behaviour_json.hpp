// Behaviours as documents. `explain_behaviours` is the reference for people (`ome-homesim --list`).
#pragma once

#include "behaviour.hpp"
#include <ome/core/attempt.hpp>
#include <ome/core/problem.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace ome::homesim {

/// What a home does before anything is said: a poll reports 1, a probe gets an empty 200.
[[nodiscard]] Step plain_step(core::Kind kind);
[[nodiscard]] std::string_view name_of(core::Kind kind);  ///< `poll`, `probe`

/// `document` says what differs from the plain step. Unknown members are refused, since a misspelt
/// one would silently simulate something else.
[[nodiscard]] core::Result<Behaviour> behaviour_from_json(const boost::json::value& document,
                                                          core::Kind kind);

/// Only what differs from an empty 200.
[[nodiscard]] boost::json::object to_json(const Behaviour& behaviour);

[[nodiscard]] std::string explain_behaviours();

}  // namespace ome::homesim
