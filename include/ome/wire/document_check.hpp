// Everything that can be said about a file that a person wrote, before anything runs on it: what
// breaks a rule, and what keeps every rule and still does not do what it looks like.
#pragma once

#include <ome/core/policy.hpp>
#include <ome/core/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

enum class Severity : bool { Warning, Error };

struct Finding {
    Severity severity = Severity::Error;
    std::size_t line = 0;  ///< from 1; zero when unknown
    core::Problem problem;
};

struct CheckedDocument {
    /// What its documents were taken for, in words: `multicluster configuration`, `ConfigMap`,
    /// `chart values`, `services`, `declaration`, `InferenceService`; several are joined with
    /// commas.
    std::string kind;
    std::vector<Finding> findings;               ///< in the order of lines
    std::optional<core::ObserverLimits> limits;  ///< of a configuration that has valid ones
};

/// Whose configuration it is. For the observer one without `routing.enabled` holds limits; for the
/// controller it turns routing off.
enum class CheckFor : std::uint8_t { Observer, Controller };

/// `limits` are those that declarations and `spec.routing` have to keep.
[[nodiscard]] CheckedDocument check_document(std::string_view text,
                                             const core::ObserverLimits& limits,
                                             CheckFor whom = CheckFor::Observer);

}  // namespace ome::wire
