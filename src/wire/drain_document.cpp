#include "member_reader.hpp"
#include "source.hpp"
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/drain_document.hpp>
#include <ome/wire/json_text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

// As Go's encoder writes it: these may stand in HTML.
std::string html_safe(std::string_view text) {
    std::string quoted;
    append_json_string(quoted, text);
    std::string out;
    for (const char c : quoted) {
        switch (c) {
            case '<':
                out += "\\u003c";
                break;
            case '>':
                out += "\\u003e";
                break;
            case '&':
                out += "\\u0026";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string fields_of(const routing::Drain& drain) {
    return fmt::format(
        "\"cluster\":{},\"reason\":{}", html_safe(drain.cluster), html_safe(drain.reason));
}

core::Problem problem(const core::Problem& why) {
    const std::string field =
        fmt::format("metadata.annotations[{}]", routing::drain_expiry_annotation);
    return {fmt::format("parse {}: {}", routing::drain_expiry_annotation, why.message), field};
}

routing::DrainExpiry read_expiry(std::string id, Members members) {
    routing::DrainExpiry expiry;
    expiry.drain.id = std::move(id);
    expiry.drain.cluster = members.required_text("cluster").value_or("");
    expiry.drain.reason = members.required_text("reason").value_or("");
    if (!members.contains("until")) {
        members.refuse("until", "must be there");
    }
    expiry.until = members.time("until").value_or(core::WallTime{});
    return expiry;
}

}  // namespace

std::string drains_text(std::vector<routing::Drain> drains) {
    std::sort(
        drains.begin(), drains.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    std::string text = "{";
    for (const routing::Drain& drain : drains) {
        text += fmt::format(
            "{}{}:{{{}}}", text.size() > 1 ? "," : "", html_safe(drain.id), fields_of(drain));
    }
    return text + "}";
}

std::string drain_expiries_text(std::vector<routing::DrainExpiry> expiries) {
    std::sort(expiries.begin(), expiries.end(), [](const auto& a, const auto& b) {
        return a.drain.id < b.drain.id;
    });
    std::string text = "{";
    for (const routing::DrainExpiry& expiry : expiries) {
        const std::string stamp =
            core::format_timestamp({expiry.until.seconds, 0}).substr(0, 19) + "Z";
        text += fmt::format("{}{}:{{{},\"until\":\"{}\"}}",
                            text.size() > 1 ? "," : "",
                            html_safe(expiry.drain.id),
                            fields_of(expiry.drain),
                            stamp);
    }
    return text + "}";
}

core::Result<std::vector<routing::DrainExpiry>> read_drain_expiries(
    const std::optional<std::string>& annotation) {
    std::vector<routing::DrainExpiry> expiries;
    if (!annotation) {
        return expiries;
    }
    auto source = parse_json_source(*annotation, Locate::No);
    if (!source) {
        return problem(source.error());
    }
    if (!source->duplicates.empty()) {
        return problem(source->duplicates.front());
    }
    const json::object* object = source->value.if_object();
    if (object == nullptr) {
        return problem({fmt::format("{} must be an object", shown(source->value))});
    }
    Notes notes;
    for (const auto& member : *object) {
        const std::string id(member.key());
        if (const json::object* fields = member.value().if_object()) {
            expiries.push_back(read_expiry(id, Members(*fields, member_path("", id), notes)));
        } else {
            notes.errors.push_back({fmt::format("{} must be an object", core::go_quote(id))});
        }
    }
    if (!notes.errors.empty()) {
        return problem(as_one(notes.errors));
    }
    std::sort(expiries.begin(), expiries.end(), [](const auto& a, const auto& b) {
        return a.drain.id < b.drain.id;
    });
    return expiries;
}

}  // namespace ome::wire
