// A JSON or YAML text as JSON values, with the line on which each part stands.
#pragma once

#include <ome/core/problem.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

namespace json = boost::json;

/// The path of a member: `routing.probe`, or `options["a.b"]` where the name is no plain word.
[[nodiscard]] std::string member_path(std::string_view base, std::string_view name);
void append_member_path(std::string& base, std::string_view name);  ///< the same, in place
[[nodiscard]] std::string item_path(std::string_view base, std::size_t index);  ///< `homes[3]`
void append_item_path(std::string& base, std::size_t index);                    ///< likewise
[[nodiscard]] std::string joined_path(std::string_view base, std::string_view path);

/// Whether the part at `path` is the one at `base`, or is inside of it.
[[nodiscard]] bool lies_within(std::string_view path, std::string_view base);

class Lines {
public:
    void set(std::string path, std::size_t line) { by_path_[std::move(path)] = line; }

    /// From now on of() takes paths from this part on.
    void look_under(std::string part) { base_ = std::move(part); }

    /// The line of the part, or of the nearest part around it that is known; zero when none is.
    [[nodiscard]] std::size_t of(std::string_view from_base) const;

private:
    std::map<std::string, std::size_t> by_path_;
    std::string base_;
};

struct Source {
    json::value value;
    Lines lines;                            ///< from 1; empty where they were not asked for
    std::vector<core::Problem> duplicates;  ///< members named twice in one object
    bool yaml = false;
};

enum class Locate : bool { No, Yes };

/// One JSON text as a value. The problem begins with line and column and says in words what is
/// wrong there.
[[nodiscard]] core::Result<json::value> parse_json_value(std::string_view text,
                                                         json::storage_ptr memory,
                                                         std::size_t max_depth);

/// One JSON text. Deeper than 64 levels, or malformed: a problem with line and column.
[[nodiscard]] core::Result<Source> parse_json_source(std::string_view text, Locate locate);

/// YAML 1.2 documents; empty ones are left out. Scalars by the core schema (`yes` and `010` are
/// what they look like: a text and ten); anchors and merge keys are resolved within bounds.
[[nodiscard]] core::Result<std::vector<Source>> parse_yaml_sources(std::string_view text);

/// A text whose first character is `{` or `[` must be JSON: as YAML, a template that left out a
/// value
/// (`{"method": , ...}`) would pass for one that says null. All else is YAML, which always has its
/// lines.
[[nodiscard]] core::Result<std::vector<Source>> parse_sources(std::string_view text,
                                                              Locate json = Locate::Yes);

}  // namespace ome::wire
