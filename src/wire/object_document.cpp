#include "source.hpp"
#include "yaml_writer.hpp"
#include <ome/wire/json_document.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

bool is_list_of_objects(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* kind = object != nullptr ? object->if_contains("kind") : nullptr;
    const json::value* items = object != nullptr ? object->if_contains("items") : nullptr;
    return kind != nullptr && kind->is_string() && items != nullptr && items->is_array() &&
           std::string_view(kind->get_string()).ends_with("List");
}

void indent(std::string& out, std::size_t level) {
    out.append(level * 4, ' ');
}

void append_indented(std::string& out, const json::value& value, std::size_t level);

void append_members(std::string& out, const json::object& object, std::size_t level) {
    out += "{\n";
    std::size_t left = object.size();
    for (const auto& member : object) {
        indent(out, level + 1);
        append_json_string(out, member.key());
        out += ": ";
        append_indented(out, member.value(), level + 1);
        out += --left > 0 ? ",\n" : "\n";
    }
    indent(out, level);
    out += '}';
}

void append_items(std::string& out, const json::array& array, std::size_t level) {
    out += "[\n";
    std::size_t left = array.size();
    for (const json::value& item : array) {
        indent(out, level + 1);
        append_indented(out, item, level + 1);
        out += --left > 0 ? ",\n" : "\n";
    }
    indent(out, level);
    out += ']';
}

void append_indented(std::string& out, const json::value& value, std::size_t level) {
    if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
        append_members(out, *object, level);
    } else if (const json::array* array = value.if_array(); array != nullptr && !array->empty()) {
        append_items(out, *array, level);
    } else {
        out += to_text(value);
    }
}

void write_yaml(YamlWriter& out, const json::value& value) {
    if (const json::object* object = value.if_object()) {
        out.begin_object();
        for (const auto& member : *object) {
            out.key(member.key());
            write_yaml(out, member.value());
        }
        out.end_object();
    } else if (const json::array* array = value.if_array()) {
        out.begin_list();
        for (const json::value& item : *array) {
            write_yaml(out, item);
        }
        out.end_list();
    } else if (const json::string* text = value.if_string()) {
        out.text(*text);
    } else {
        out.literal(to_text(value));
    }
}

}  // namespace

core::Result<std::vector<json::value>> read_objects(std::string_view text) {
    auto sources = parse_sources(text, Locate::No);
    if (!sources) {
        return sources.error();
    }
    std::vector<json::value> objects;
    for (Source& source : *sources) {
        if (!is_list_of_objects(source.value)) {
            objects.push_back(std::move(source.value));
            continue;
        }
        for (json::value& item : source.value.get_object()["items"].get_array()) {
            objects.push_back(std::move(item));
        }
    }
    return objects;
}

std::string to_indented_text(const json::value& document) {
    std::string out;
    append_indented(out, document, 0);
    out += '\n';
    return out;
}

std::string to_yaml_text(const json::value& document) {
    std::string out;
    YamlWriter writer(out);
    write_yaml(writer, document);
    return out;
}

json::value with_sorted_members(const json::value& document) {
    if (const json::array* array = document.if_array()) {
        json::array sorted;
        for (const json::value& item : *array) {
            sorted.push_back(with_sorted_members(item));
        }
        return sorted;
    }
    const json::object* object = document.if_object();
    if (object == nullptr) {
        return document;
    }
    std::vector<const json::key_value_pair*> members;
    for (const json::key_value_pair& member : *object) {
        members.push_back(&member);
    }
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
        return a->key() < b->key();
    });
    json::object sorted;
    for (const json::key_value_pair* member : members) {
        sorted.emplace(member->key(), with_sorted_members(member->value()));
    }
    return sorted;
}

}  // namespace ome::wire
