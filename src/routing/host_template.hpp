// The template of global hostnames (contract/publisher-cli.md 1.2): the part of Go's text/template
// that hostnames need. Text, `{{ .Name }}`, `{{ .Namespace }}`, string literals, `print`, `printf`
// with %s, %v and %%, pipelines, comments, trim markers, and `if`/`else if`/`else`/`end` with `eq`,
// `ne`, `and`, `or`, `not`. Anything else is a problem that names it.
#pragma once

#include <ome/core/problem.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

struct HostFields {
    std::string name;
    std::string ns;
};

class HostTemplate {
public:
    [[nodiscard]] static core::Result<HostTemplate> parse(std::string_view text);
    /// A problem: a field that there is none of, or a call that does not fit its arguments.
    [[nodiscard]] core::Result<std::string> render(const HostFields& fields) const;

    /// A value of the template: a text, or the outcome of a comparison.
    struct Call;
    struct Operand {
        enum class Kind : std::uint8_t { Field, Literal, Nested };
        Kind kind = Kind::Literal;
        std::string text;          ///< name of the field, or the literal
        std::vector<Call> nested;  ///< a pipeline in parentheses
    };
    struct Call {
        std::string function;  ///< empty: the operand itself
        std::vector<Operand> operands;
    };
    using Pipeline = std::vector<Call>;
    struct Node {
        enum class Kind : std::uint8_t { Text, Action, If };
        Kind kind = Kind::Text;
        std::string text;
        Pipeline pipeline;
        std::vector<Node> then;
        std::vector<Node> otherwise;
    };

private:
    std::vector<Node> nodes_;
};

}  // namespace ome::routing
