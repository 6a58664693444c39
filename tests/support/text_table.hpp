// Tables as kubectl-ome prints them, taken apart again.
#pragma once

#include <string>
#include <vector>

namespace ome::test {

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);
/// The cells of a line of a table: columns stand three blanks apart.
[[nodiscard]] std::vector<std::string> cells_of(const std::string& line);
/// The value of the first row `FIELD   VALUE` of that name.
[[nodiscard]] std::string field_of(const std::string& table, const std::string& name);

}  // namespace ome::test
