#include <ome/core/help_layout.hpp>
#include <ome/core/lines.hpp>

#include <algorithm>
#include <vector>

namespace ome::core {
namespace {

std::string_view trimmed(std::string_view line) {
    const std::size_t end = line.find_last_not_of(' ');
    return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

bool is_set_in(std::string_view line) {
    return line.starts_with(' ');
}

class Layout {
public:
    // A description is prose; flags and commands are set in.
    void head(std::string_view text) {
        for (const std::string_view line : lines_of(text)) {
            if (is_set_in(line)) {
                end_paragraph();
                add_broken(trimmed(line), help_text_column);
            } else if (line.starts_with("Usage: ")) {
                end_paragraph();
                add_broken(trimmed(line), usage_indent);
            } else {
                prose(line);
            }
        }
        end_paragraph();
    }

    void footer(std::string_view text) {
        add("");
        for (const std::string_view line : lines_of(text)) {
            if (is_set_in(line)) {
                end_paragraph();
                add(trimmed(line));
            } else {
                prose(line);
            }
        }
        end_paragraph();
    }

    std::string take() && {
        while (out_.ends_with("\n\n")) {
            out_.pop_back();
        }
        return std::move(out_);
    }

private:
    static constexpr std::size_t usage_indent = 4;

    void prose(std::string_view line) {
        // Where it ends is said by itself, also right below other words.
        if (trimmed(line).empty() || line.starts_with("Exit code")) {
            end_paragraph();
        }
        if (trimmed(line).empty()) {
            add("");
            return;
        }
        paragraph_ += paragraph_.empty() ? "" : " ";
        paragraph_ += trimmed(line);
    }

    void end_paragraph() {
        if (!paragraph_.empty()) {
            add_broken(paragraph_, 0);
            paragraph_.clear();
        }
    }

    // In lines that fit, all but the first of them set in. What stands before that column stays
    // whole, and so does a word that is longer than a line, unless it is a list.
    void add_broken(std::string_view line, std::size_t indent) {
        const std::string blanks(indent, ' ');
        std::string rest(line);
        while (rest.size() > help_columns) {
            const std::size_t end = end_of_line(rest, indent);
            if (end == std::string::npos) {
                break;
            }
            add(trimmed(std::string_view(rest).substr(0, end)));
            rest.replace(0, end + (rest[end] == ' ' ? 1 : 0), blanks);
        }
        add(rest);
    }

    static std::size_t end_of_line(std::string_view line, std::size_t indent) {
        const std::size_t least = std::max<std::size_t>(indent, 1);
        const std::size_t blank = line.rfind(' ', help_columns);
        if (blank != line.npos && blank >= least) {
            return blank;
        }
        const bool text_alone = line.find_first_not_of(' ') == indent && indent > 0;
        const std::size_t comma = line.rfind(',', help_columns - 1);
        if (text_alone && comma != line.npos && comma >= least) {
            return comma + 1;
        }
        return line.find(' ', help_columns);
    }

    void add(std::string_view line) {
        if (line.empty() && (out_.empty() || out_.ends_with("\n\n"))) {
            return;
        }
        out_ += line;
        out_ += '\n';
    }

    std::string out_;
    std::string paragraph_;
};

}  // namespace

std::string lay_out_help(std::string_view help, std::string_view footer) {
    Layout layout;
    const std::size_t below = help.rfind(footer);
    layout.head(help.substr(0, below));
    layout.footer(below == help.npos ? std::string_view() : help.substr(below));
    return std::move(layout).take();
}

}  // namespace ome::core
