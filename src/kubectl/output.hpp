// How answers are printed: tables of three blanks between columns, cells of a bounded width, JSON
// and YAML (contract/publisher-cli.md 2).
#pragma once

#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ome::kubectl {

enum class Format : std::uint8_t { Table, Wide, Json, Yaml };
[[nodiscard]] std::optional<Format> parse_format(std::string_view text);
inline constexpr std::string_view format_rule = "output must be table, wide, json or yaml";

/// The reports' `apiVersion`.
inline constexpr std::string_view output_api = "cli.ome.io/v1alpha1";

/// How people are told of a service whose annotation keeps readings from its map.
inline constexpr std::string_view in_shadow = "in shadow: readings do not count";

using TextRow = std::vector<std::string>;

[[nodiscard]] std::string table(const std::vector<TextRow>& rows);

/// Rows of a name and a value below `FIELD` and `VALUE`, each cell bounded.
using Field = std::pair<std::string, std::string>;
[[nodiscard]] std::string field_table(const std::vector<Field>& fields,
                                      std::size_t name_width,
                                      std::size_t value_width);

/// The text if it has at most `width` characters, else its first width-3 and `...`.
[[nodiscard]] std::string bounded(std::string_view text, std::size_t width);

/// The text in pieces of at most `width` display columns; one empty piece for an empty text.
[[nodiscard]] std::vector<std::string> chunks(std::string_view text, std::size_t width);

/// JSON or YAML, with a line end.
[[nodiscard]] std::string document(const boost::json::value& value, Format format);

/// `5m10s`, `3h`, `12d`: as kubectl prints how old something is.
[[nodiscard]] std::string age_text(core::Duration age);
/// The age of a stamp; `<unknown>` for what is no stamp.
[[nodiscard]] std::string age_of(std::string_view stamp, core::WallTime now);

/// RFC 3339 in UTC, whole seconds.
[[nodiscard]] std::string stamp_text(core::WallTime at);

}  // namespace ome::kubectl
