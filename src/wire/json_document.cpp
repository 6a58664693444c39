#include <ome/wire/json_document.hpp>
#include <ome/wire/json_text.hpp>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace ome::wire {
namespace {

namespace json = boost::json;

void append(std::string& out, const json::value& value);

void append_object(std::string& out, const json::object& object) {
    out += '{';
    bool first = true;
    for (const auto& member : object) {
        if (!first) {
            out += ',';
        }
        first = false;
        append_json_string(out, member.key());
        out += ':';
        append(out, member.value());
    }
    out += '}';
}

void append_array(std::string& out, const json::array& array) {
    out += '[';
    bool first = true;
    for (const json::value& element : array) {
        if (!first) {
            out += ',';
        }
        first = false;
        append(out, element);
    }
    out += ']';
}

void append(std::string& out, const json::value& value) {
    switch (value.kind()) {
        case json::kind::object:
            return append_object(out, value.get_object());
        case json::kind::array:
            return append_array(out, value.get_array());
        case json::kind::string:
            return append_json_string(out, value.get_string());
        case json::kind::double_:
            if (std::isfinite(value.get_double())) {
                fmt::format_to(std::back_inserter(out), "{}", value.get_double());
            } else {
                out += "null";
            }
            return;
        default:
            out += json::serialize(value);
    }
}

}  // namespace

std::string to_text(const json::value& document) {
    std::string out;
    append(out, document);
    return out;
}

}  // namespace ome::wire
