#include "host_template.hpp"
#include "template_action.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace ome::routing {
namespace {

using Node = HostTemplate::Node;
using Pipeline = HostTemplate::Pipeline;

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t most_levels = 32;

// After a fault nothing is left to read.
class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    std::vector<Node> run() {
        std::vector<Node> nodes = list(0);
        if (stopped_at_) {
            fail(fmt::format("unexpected {{{{{}}}}}", stopped_at_->word));
        }
        return nodes;
    }

    [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }

private:
    struct Stop {
        std::string word;                        ///< `end` or `else`
        std::optional<Pipeline> condition = {};  ///< of `else if`
    };

    void fail(std::string message) {
        if (!fault_) {
            fault_ = std::move(message);
        }
        rest_ = {};
    }

    // Up to `end` or `else`, or to the end of the text.
    std::vector<Node> list(std::size_t level) {
        std::vector<Node> nodes;
        stopped_at_.reset();
        if (level > most_levels) {
            fail("{{if}} nests too deeply");
        }
        while (!rest_.empty() && !stopped_at_) {
            if (take_text(nodes)) {
                take_action(nodes, level);
            }
        }
        return nodes;
    }

    // Whether an action follows.
    bool take_text(std::vector<Node>& nodes) {
        const std::size_t open = rest_.find("{{");
        std::string_view text = rest_.substr(0, open);
        rest_.remove_prefix(open == rest_.npos ? rest_.size() : open);
        if (std::exchange(trim_next_, false)) {
            const std::size_t first = text.find_first_not_of(blanks);
            text.remove_prefix(first == text.npos ? text.size() : first);
        }
        const bool trims =
            rest_.size() > 3 && rest_[2] == '-' && blanks.find(rest_[3]) != blanks.npos;
        if (trims) {
            text = text.substr(0, text.find_last_not_of(blanks) + 1);
        }
        if (!text.empty()) {
            nodes.push_back({Node::Kind::Text, std::string(text), {}, {}, {}});
        }
        if (open == std::string_view::npos) {
            return false;
        }
        rest_.remove_prefix(trims ? 3 : 2);
        return true;
    }

    // The action's text, without delimiters and trim markers. Texts in quotes may hold `}}`.
    std::string_view action_text() {
        char quote = '\0';
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (quote != '\0') {
                i += c == '\\' && quote == '"' ? 1 : 0;
                quote = c == quote ? '\0' : quote;
            } else if (c == '"' || c == '`') {
                quote = c;
            } else if (rest_.substr(i).starts_with("}}")) {
                return close_action(i);
            }
        }
        fail("unclosed action");
        return {};
    }

    std::string_view close_action(std::size_t length) {
        std::string_view text = rest_.substr(0, length);
        rest_.remove_prefix(length + 2);
        trim_next_ = text.size() > 1 && text.back() == '-' &&
                     blanks.find(text[text.size() - 2]) != blanks.npos;
        if (trim_next_) {
            text.remove_suffix(1);
        }
        return text;
    }

    // `/* ... */` as the whole of an action.
    bool take_comment() {
        const std::size_t first = rest_.find_first_not_of(blanks);
        if (first == rest_.npos || !rest_.substr(first).starts_with("/*")) {
            return false;
        }
        const std::size_t end = rest_.find("*/", first + 2);
        if (end == rest_.npos) {
            fail("unclosed comment");
            return true;
        }
        rest_.remove_prefix(end + 2);
        if (TemplateAction after(action_text()); !after.at_end()) {
            fail("comment ends before closing delimiter");
        }
        return true;
    }

    void take_action(std::vector<Node>& nodes, std::size_t level) {
        if (take_comment()) {
            return;
        }
        TemplateAction action(action_text());
        if (fault_) {
            return;
        }
        bool branches = false;
        Pipeline pipeline;
        if (action.take_keyword("end")) {
            stopped_at_ = Stop{"end"};
        } else if (action.take_keyword("else")) {
            stopped_at_ = Stop{"else"};
            if (action.take_keyword("if")) {
                stopped_at_->condition = action.pipeline();
            }
        } else {
            branches = action.take_keyword("if");
            pipeline = action.pipeline();
        }
        action.expect_end();
        if (action.fault()) {
            fail(*action.fault());
        } else if (branches) {
            nodes.push_back(branch(std::move(pipeline), level));
        } else if (!stopped_at_) {
            nodes.push_back({Node::Kind::Action, {}, std::move(pipeline), {}, {}});
        }
    }

    Node branch(Pipeline condition, std::size_t level) {
        Node node{Node::Kind::If, {}, std::move(condition), {}, {}};
        node.then = list(level + 1);
        if (stopped_at_ && stopped_at_->word == "else") {
            std::optional<Pipeline> next = std::move(stopped_at_->condition);
            if (next) {
                node.otherwise.push_back(branch(*std::move(next), level + 1));
                return node;  // its `end` is ours, too
            }
            node.otherwise = list(level + 1);
        }
        if (!stopped_at_ || stopped_at_->word != "end") {
            fail("{{if}} has no {{end}}");
        }
        stopped_at_.reset();
        return node;
    }

    std::string_view rest_;
    bool trim_next_ = false;
    std::optional<Stop> stopped_at_;
    std::optional<std::string> fault_;
};

}  // namespace

core::Result<HostTemplate> HostTemplate::parse(std::string_view text) {
    HostTemplate made;
    Parser parser(text);
    made.nodes_ = parser.run();
    if (parser.fault()) {
        return core::Problem{*parser.fault()};
    }
    return made;
}

}  // namespace ome::routing
