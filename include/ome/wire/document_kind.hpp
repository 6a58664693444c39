// What a file is, for the message about one that is not what a flag asks for.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ome::wire {

enum class DocumentKind : std::uint8_t {
    Unreadable,     ///< no JSON and no YAML
    Nothing,        ///< no document at all
    EmptyList,      ///< of manifests
    Configuration,  ///< the `multicluster` object or its ConfigMap
    Readings,       ///< of the observer, or declarations, which look alike
    List,           ///< of whatever
    Other,          ///< something else that can be named
    Unknown,        ///< an object that may be anything
    Several,        ///< documents of different kinds
};

struct FoundKind {
    DocumentKind kind = DocumentKind::Unreadable;
    std::string words;  ///< `a TrafficMap`, `a List of Secret`, `values of the chart and a list`;
                        ///< empty when unreadable
};

[[nodiscard]] FoundKind find_kind(std::string_view text);

/// Why the text is no multicluster configuration and was never meant to be one: `this is ...,
/// expected ...`. Absent where it is one, also a faulty one, and where nobody can tell.
[[nodiscard]] std::optional<core::Problem> other_than_configuration(std::string_view text);

/// The same for declarations of services.
[[nodiscard]] std::optional<core::Problem> other_than_services(std::string_view text);

}  // namespace ome::wire
