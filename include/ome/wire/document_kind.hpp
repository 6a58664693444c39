// What a file is, for the message about one that is not what a flag asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ome::wire {

enum class DocumentKind : std::uint8_t {
    Unreadable,     ///< no JSON and no YAML
    Nothing,        ///< no document at all
    EmptyList,      ///< of manifests
    Configuration,  ///< the `multicluster` object or its ConfigMap
    Readings,       ///< of the observer, or declarations, which look alike
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

}  // namespace ome::wire
