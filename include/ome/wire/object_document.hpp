// Kubernetes objects as they are, whatever is in them: for tools that show or patch objects and do
// not want to lose what they do not know.
#pragma once

#include <ome/core/problem.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// JSON or YAML, one object, several YAML documents, or a list (`kind` ends in `List`) whose items
/// count one by one. What is no object is left in: the caller says what is wrong with it.
[[nodiscard]] core::Result<std::vector<boost::json::value>> read_objects(std::string_view text);

/// RFC 7386: members of `patch` replace, null removes, objects are merged.
void merge_patch(boost::json::value& target, const boost::json::value& patch);

/// The same for equal values whatever the order of their members, on every machine.
[[nodiscard]] std::uint64_t stable_hash(const boost::json::value& value);

/// Indented by four blanks a level, as kubectl prints it, with a line end.
[[nodiscard]] std::string to_indented_text(const boost::json::value& document);

/// YAML in block style, with a line end. Texts that another reader could take for something else
/// are in quotes.
[[nodiscard]] std::string to_yaml_text(const boost::json::value& document);

/// The same value with the members of all objects in byte order.
[[nodiscard]] boost::json::value with_sorted_members(const boost::json::value& document);

}  // namespace ome::wire
