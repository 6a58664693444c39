#include "support/text_table.hpp"

#include <algorithm>

namespace ome::test {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        all.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> found;
    for (std::size_t begin = line.find_first_not_of(' '); begin != std::string::npos;) {
        const std::size_t end = std::min(line.find("   ", begin), line.size());
        found.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(' ', end);
    }
    return found;
}

std::string field_of(const std::string& table, const std::string& name) {
    for (const std::string& line : lines_of(table)) {
        const std::vector<std::string> row = cells_of(line);
        if (!row.empty() && row[0] == name) {
            return row.size() > 1 ? row[1] : std::string();
        }
    }
    return "no row " + name;
}

}  // namespace ome::test
