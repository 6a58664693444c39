#include "kube/guide_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ome::test {
namespace {

constexpr std::string_view part_mark = "=== ";
constexpr std::string_view command_mark = "$ ";

void add_line(GuidePart& part, bool goes_on, const std::string& line) {
    if (goes_on) {
        part.command += "\n" + line;
    } else if (part.text.empty() && line.starts_with(command_mark)) {
        part.command = line.substr(command_mark.size());
    } else {
        part.text += line + "\n";
    }
}

}  // namespace

GuideText::GuideText(const std::string& file) : file_(file) {
    std::ifstream in(file);
    EXPECT_TRUE(in) << file << " cannot be read";
    GuidePart* part = nullptr;
    bool goes_on = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(part_mark)) {
            part = &parts_[line.substr(part_mark.size())];
        } else if (part != nullptr) {
            add_line(*part, goes_on, line);
            const bool of_command = goes_on || line.starts_with(command_mark);
            goes_on = of_command && line.ends_with('\\');
        }
    }
}

const GuidePart& GuideText::part(const std::string& name) const {
    static const GuidePart none;
    const auto found = parts_.find(name);
    EXPECT_NE(found, parts_.end()) << file_ << " has no part " << name;
    return found == parts_.end() ? none : found->second;
}

std::string as_printed(const std::string& text) {
    std::string shown;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        shown += line + "\n";
    }
    shown.erase(shown.find_last_not_of('\n') + 1);
    return shown;
}

std::string yaml_below(const std::string& text, const std::string& line) {
    std::istringstream lines(text);
    std::string below;
    bool found = false;
    std::size_t margin = std::string::npos;
    for (std::string one; std::getline(lines, one);) {
        if (found) {
            margin = std::min(margin, one.find_first_not_of(' '));
            below += one.substr(std::min(margin, one.size())) + "\n";
        }
        found = found || one.substr(std::min(one.find_first_not_of(' '), one.size())) == line;
    }
    EXPECT_TRUE(found) << "no line " << line << " in\n" << text;
    return below;
}

}  // namespace ome::test
