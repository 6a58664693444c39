// The drain annotation (contract/trafficmap.md 7.1 and 7.2). The first error wins, in the order of
// the text.
#include "json_cursor.hpp"
#include <ome/core/text.hpp>
#include <ome/core/utf8.hpp>
#include <ome/routing/drains.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace ome::routing {
namespace {

using Kind = JsonValue::Kind;

core::Problem problem(std::string message) {
    return {std::move(message), fmt::format("metadata.annotations[{}]", drain_annotation)};
}

core::Problem problem(std::string_view stage, const core::Problem& why) {
    return problem(fmt::format("{}: {}", stage, why.message));
}

// What is wrong with the white space of a text that must say something; empty: nothing.
std::string_view white_space_problem(std::string_view text) {
    bool first_is_space = false;
    bool last_is_space = false;
    bool blank = true;
    for (std::string_view rest = text; !rest.empty();) {
        const core::CodePoint next = core::first_code_point(rest);
        last_is_space = next.valid && core::is_white_space(next.value);
        first_is_space = rest.size() == text.size() ? last_is_space : first_is_space;
        blank = blank && last_is_space;
        rest.remove_prefix(next.length);
    }
    if (blank) {
        return "must be non-empty";
    }
    return first_is_space || last_is_space ? "must not have leading or trailing whitespace" : "";
}

// As the reference's %v prints a number.
std::string number_text(const std::string& written) {
    const double value = std::strtod(written.c_str(), nullptr);
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e6);
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(),
                      text.data() + text.size(),
                      value,
                      plain ? std::chars_format::fixed : std::chars_format::scientific);
    return error == std::errc() ? std::string(text.data(), end) : written;
}

std::string token_text(const JsonValue& value) {
    switch (value.kind) {
        case Kind::Object:
            return "{";
        case Kind::Array:
            return "[";
        case Kind::String:
            return value.text;
        case Kind::Number:
            return number_text(value.text);
        case Kind::True:
            return "true";
        case Kind::False:
            return "false";
        case Kind::Null:
            break;
    }
    return "<nil>";
}

std::string_view kind_name(Kind kind) {
    switch (kind) {
        case Kind::Object:
            return "object";
        case Kind::Array:
            return "array";
        case Kind::Number:
            return "number";
        default:
            return "bool";
    }
}

class DrainReader {
public:
    explicit DrainReader(std::string_view text) : cursor_(text) {}

    core::Result<std::vector<Drain>> read() {
        if (cursor_.at_end()) {
            // The first word is the contract's.
            return problem("decode top-level object", {"EOF"});
        }
        const core::Result<JsonValue> top = cursor_.open();
        if (!top) {
            return problem("decode top-level object", top.error());
        }
        if (top->kind != Kind::Object) {
            return problem("top-level value must be a JSON object keyed by override ID");
        }
        while (more()) {
            if (auto wrong = read_override()) {
                return *wrong;
            }
        }
        if (const core::Result<void> closed = cursor_.expect('}', "where } should be"); !closed) {
            return problem("close top-level object", closed.error());
        }
        if (auto wrong = check_nothing_follows()) {
            return *wrong;
        }
        return sorted();
    }

private:
    // The end of the text is no further member either; closing the object says so.
    bool more() {
        const char next = cursor_.peek();
        return !cursor_.at_end() && next != '}' && next != ']';
    }

    core::Result<JsonValue> next_key(bool first) {
        if (!first) {
            if (const core::Result<void> comma = cursor_.expect(',', "behind a value"); !comma) {
                return comma.error();
            }
        }
        return cursor_.key();
    }

    std::optional<core::Problem> read_override() {
        const core::Result<JsonValue> key = next_key(drains_.empty());
        if (!key) {
            return problem("decode override ID", key.error());
        }
        const std::string& id = key->text;
        if (const std::string_view rule = white_space_problem(id); !rule.empty()) {
            return problem(fmt::format("override ID {}", rule));
        }
        if (drains_.contains(id)) {
            return problem(fmt::format("duplicate override ID {}", core::go_quote(id)));
        }
        Drain& drain = drains_[id];
        drain.id = id;
        const std::string name = fmt::format("override {}", core::go_quote(id));
        if (auto wrong = open_override(name)) {
            return wrong;
        }
        if (auto wrong = read_fields(name, drain)) {
            return wrong;
        }
        return check(name, drain);
    }

    std::optional<core::Problem> open_override(const std::string& name) {
        const core::Result<void> colon = cursor_.expect(':', "behind a key");
        const core::Result<JsonValue> value =
            colon ? cursor_.open() : core::Result<JsonValue>(colon.error());
        if (!value) {
            return problem(name + ": decode object", value.error());
        }
        return value->kind == Kind::Object
                   ? std::nullopt
                   : std::optional(problem(name + " must be a JSON object"));
    }

    std::optional<core::Problem> read_fields(const std::string& name, Drain& drain) {
        std::set<std::string> seen;
        while (more()) {
            const core::Result<JsonValue> key = next_key(seen.empty());
            if (!key) {
                return problem(name + ": decode field", key.error());
            }
            const std::string& field = key->text;
            if (!seen.insert(field).second) {
                return problem(
                    fmt::format("{} has duplicate field {}", name, core::go_quote(field)));
            }
            if (auto wrong = read_field(name, field, drain)) {
                return wrong;
            }
        }
        if (const core::Result<void> closed = cursor_.expect('}', "where } should be"); !closed) {
            return problem(name + ": close object", closed.error());
        }
        return std::nullopt;
    }

    // Whether the value is a text is asked before whether the field is known; null is an empty
    // text.
    std::optional<core::Problem> read_field(const std::string& name,
                                            const std::string& field,
                                            Drain& drain) {
        const std::string stage =
            fmt::format("{} field {} must be a string", name, core::go_quote(field));
        if (const core::Result<void> colon = cursor_.expect(':', "behind a key"); !colon) {
            return problem(stage, colon.error());
        }
        const core::Result<JsonValue> value = cursor_.whole();
        if (!value) {
            return problem(stage, value.error());
        }
        if (value->kind != Kind::String && value->kind != Kind::Null) {
            return problem(stage,
                           {fmt::format("json: cannot unmarshal {} into Go value of type string",
                                        kind_name(value->kind))});
        }
        if (field != "cluster" && field != "reason") {
            return problem(fmt::format("{} has unknown field {}", name, core::go_quote(field)));
        }
        (field == "cluster" ? drain.cluster : drain.reason) = value->text;
        return std::nullopt;
    }

    static std::optional<core::Problem> check(const std::string& name, const Drain& drain) {
        if (const std::string_view rule = white_space_problem(drain.cluster); !rule.empty()) {
            return problem(fmt::format("{} cluster {}", name, rule));
        }
        if (const std::string_view rule = white_space_problem(drain.reason); !rule.empty()) {
            return problem(fmt::format("{} reason {}", name, rule));
        }
        return std::nullopt;
    }

    std::optional<core::Problem> check_nothing_follows() {
        if (cursor_.at_end()) {
            return std::nullopt;
        }
        const core::Result<JsonValue> token = cursor_.open();
        if (!token) {
            return problem("decode trailing data", token.error());
        }
        return problem(fmt::format("unexpected trailing JSON token {}", token_text(*token)));
    }

    std::vector<Drain> sorted() {
        std::vector<Drain> drains;
        drains.reserve(drains_.size());
        for (auto& [id, drain] : drains_) {
            drains.push_back(std::move(drain));
        }
        return drains;
    }

    JsonCursor cursor_;
    std::map<std::string, Drain> drains_;
};

}  // namespace

core::Result<std::vector<Drain>> parse_drains(const std::optional<std::string>& annotation) {
    return annotation ? DrainReader(*annotation).read() : std::vector<Drain>();
}

}  // namespace ome::routing
