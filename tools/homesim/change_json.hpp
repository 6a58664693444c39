// Changes of behaviour as documents: the body of a control request, and the script file.
#pragma once

#include "fleet.hpp"

#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

namespace ome::homesim {

/// `{"poll":{...},"probe":{...},"accept":"stall"}`, at least one of them.
[[nodiscard]] core::Result<Change> change_from_json(const boost::json::value& document);

/// One change of a script: when, counted from the start, and for whom.
struct Cue {
    core::Duration at{};
    Selection selection;
    Change change;
};

/// `[{"at":"5s","homes":"worker-*","percent":50,"poll":{...},"probe":{...}},...]`, by time. A
/// Problem's field starts with the place in the list.
[[nodiscard]] core::Result<std::vector<Cue>> script_from_text(std::string_view text);

}  // namespace ome::homesim
