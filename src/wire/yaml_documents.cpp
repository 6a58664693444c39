#include "yaml_documents.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace ome::wire {
namespace {

// Takes note of where a document begins and of nothing else.
class DocumentStart : public YAML::EventHandler {
public:
    [[nodiscard]] const YAML::Mark& mark() const { return mark_; }

    void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&,
                         const std::string&,
                         YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&,
                    const std::string&,
                    YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

private:
    YAML::Mark mark_;
};

// Walks forward over a text.
class LineCursor {
public:
    explicit LineCursor(std::string_view text) : rest_(text) {}

    /// What the text has from the start of `line` on; lines are asked for in rising order.
    std::string_view from(int line) {
        for (; line_ < line && !rest_.empty(); ++line_) {
            rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
        }
        return rest_;
    }

private:
    std::string_view rest_;
    int line_ = 0;
};

}  // namespace

std::optional<core::Problem> text_after_a_document(std::string_view text) {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    DocumentStart start;
    LineCursor cursor(text);
    int last = -1;
    while (parser.HandleNextDocument(start)) {
        const YAML::Mark mark = start.mark();
        const bool separated = mark.column == 0 && cursor.from(mark.line).starts_with("---");
        if (last >= 0 && (!separated || mark.pos <= last)) {
            return core::Problem{
                fmt::format("line {}, column {}: text after the document, and no "
                            "`---` before it",
                            mark.line + 1,
                            mark.column + 1)};
        }
        last = mark.pos;
    }
    return std::nullopt;
}

}  // namespace ome::wire
