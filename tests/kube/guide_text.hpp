// What the guides show, read from tests/kube/guides: commands with what they print, and files.
#pragma once

#include <map>
#include <string>

namespace ome::test {

struct GuidePart {
    std::string command;  ///< for a shell; empty: a file
    std::string text;     ///< what the command prints, or the file
};

class GuideText {
public:
    /// A failure of the test when it is not there.
    explicit GuideText(const std::string& file);

    /// A failure of the test, and an empty part, when there is none of this name.
    [[nodiscard]] const GuidePart& part(const std::string& name) const;
    [[nodiscard]] const std::string& file(const std::string& name) const { return part(name).text; }

private:
    std::string file_;
    std::map<std::string, GuidePart> parts_;
};

/// Without blanks at the ends of lines and empty lines at the end: a page does not show them.
[[nodiscard]] std::string as_printed(const std::string& text);

/// What stands below a line of YAML, at the left margin.
[[nodiscard]] std::string yaml_below(const std::string& text, const std::string& line);

}  // namespace ome::test
