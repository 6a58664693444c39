// What the members of one step say together: which contradict each other, and which have nothing
// that they could apply to. Ignored, they would silently simulate something else.
#pragma once

#include "behaviour.hpp"
#include "json_fields.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace ome::homesim {

/// `step` is what the `at`th values of the document's members say.
[[nodiscard]] Failure check_step(const boost::json::object& document,
                                 const std::string& where,
                                 std::size_t at,
                                 const Step& step);

/// The members that are about a list of steps, or stand beside one.
[[nodiscard]] Failure check_frame(const boost::json::object& document, const std::string& where);

/// A step of such a list holds single values, and none that is about a list.
[[nodiscard]] Failure check_listed_step(const boost::json::object& document,
                                        const std::string& where);

/// `steps`, `cycle` or `hold`.
[[nodiscard]] bool is_about_a_list(std::string_view member);

/// Whether the answer must have a body for the step to make a difference.
[[nodiscard]] bool needs_body(const Step& step);

}  // namespace ome::homesim
