#include "host_template.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ome::routing {
namespace {

using Call = HostTemplate::Call;
using Node = HostTemplate::Node;
using Operand = HostTemplate::Operand;
using Pipeline = HostTemplate::Pipeline;

struct Value {
    std::string text;
    bool truth = false;  ///< in conditions; a text is true when it is not empty
};

Value text_value(std::string text) {
    const bool truth = !text.empty();
    return {std::move(text), truth};
}

Value truth_value(bool truth) {
    return {truth ? "true" : "false", truth};
}

// After a fault the output means nothing.
class Renderer {
public:
    explicit Renderer(const HostFields& fields) : fields_(fields) {}

    void run(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (node.kind == Node::Kind::Text) {
                out_ += node.text;
            } else if (node.kind == Node::Kind::Action) {
                out_ += evaluate(node.pipeline).text;
            } else {
                run(evaluate(node.pipeline).truth ? node.then : node.otherwise);
            }
        }
    }

    [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }
    [[nodiscard]] std::string take_output() { return std::move(out_); }

private:
    Value fail(std::string message) {
        if (!fault_) {
            fault_ = std::move(message);
        }
        return {};
    }

    Value evaluate(const Pipeline& pipeline) {
        std::optional<Value> last;
        for (const Call& call : pipeline) {
            std::vector<Value> values;
            for (const Operand& operand : call.operands) {
                values.push_back(value_of(operand));
            }
            if (last) {
                values.push_back(*std::move(last));
            }
            last = apply(call.function, values);
        }
        return last.value_or(Value{});
    }

    Value value_of(const Operand& operand) {
        if (operand.kind == Operand::Kind::Nested) {
            return evaluate(operand.nested);
        }
        if (operand.kind == Operand::Kind::Literal) {
            return text_value(operand.text);
        }
        if (operand.text == "Name") {
            return text_value(fields_.name);
        }
        if (operand.text == "Namespace") {
            return text_value(fields_.ns);
        }
        return fail(
            fmt::format("there is no field .{}: it must be .Name or .Namespace", operand.text));
    }

    Value apply(const std::string& function, const std::vector<Value>& values) {
        if (function.empty()) {
            return values.empty() ? Value{} : values.front();
        }
        if (function == "print") {
            std::string joined;
            for (const Value& value : values) {
                joined += value.text;
            }
            return text_value(std::move(joined));
        }
        return function == "printf" ? formatted(values) : decide(function, values);
    }

    Value formatted(const std::vector<Value>& values) {
        if (values.empty()) {
            return fail("printf needs a format");
        }
        const std::string& format = values.front().text;
        std::string out;
        std::size_t next = 1;
        for (std::size_t i = 0; i < format.size(); ++i) {
            if (format[i] != '%') {
                out += format[i];
                continue;
            }
            const char verb = ++i < format.size() ? format[i] : '\0';
            if (verb == '%') {
                out += '%';
            } else if ((verb == 's' || verb == 'v') && next < values.size()) {
                out += values[next++].text;
            } else {
                return does_not_fit(format);
            }
        }
        return next == values.size() ? text_value(std::move(out)) : does_not_fit(format);
    }

    Value does_not_fit(const std::string& format) {
        return fail(
            fmt::format("printf {} does not fit its arguments: only %s, %v and %% are "
                        "supported, one argument for each",
                        core::go_quote(format)));
    }

    Value decide(const std::string& function, const std::vector<Value>& values) {
        const std::size_t least = function == "eq" || function == "ne" ? 2 : 1;
        const bool exact = function == "ne" || function == "not";
        if (values.size() < least || (exact && values.size() != least)) {
            return fail(fmt::format("{} has the wrong number of arguments", function));
        }
        const std::string& first = values.front().text;
        if (function == "not") {
            return truth_value(!values.front().truth);
        }
        if (function == "ne") {
            return truth_value(first != values[1].text);
        }
        if (function == "eq") {
            return truth_value(std::any_of(values.begin() + 1, values.end(), [&](const Value& one) {
                return one.text == first;
            }));
        }
        // The first value that decides, else the last.
        const bool until = function == "or";
        const auto found = std::find_if(
            values.begin(), values.end(), [&](const Value& one) { return one.truth == until; });
        return found == values.end() ? values.back() : *found;
    }

    const HostFields& fields_;
    std::string out_;
    std::optional<std::string> fault_;
};

}  // namespace

core::Result<std::string> HostTemplate::render(const HostFields& fields) const {
    Renderer renderer(fields);
    renderer.run(nodes_);
    if (renderer.fault()) {
        return core::Problem{*renderer.fault()};
    }
    return core::Result<std::string>(boost::system::in_place_value, renderer.take_output());
}

}  // namespace ome::routing
