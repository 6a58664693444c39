#include "json_patch.hpp"

#include "members.hpp"

#include <boost/json.hpp>

#include <optional>
#include <vector>

namespace ome::kubectl {
namespace {

std::string unescaped(std::string_view part) {
    std::string name;
    for (std::size_t i = 0; i < part.size(); ++i) {
        const bool escape = part[i] == '~' && i + 1 < part.size();
        name += escape ? (part[++i] == '1' ? '/' : '~') : part[i];
    }
    return name;
}

// The parts of `/a/b`; absent for what is no pointer to a member.
std::optional<std::vector<std::string>> parts_of(std::string_view pointer) {
    if (!pointer.starts_with('/')) {
        return std::nullopt;
    }
    std::vector<std::string> parts;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        parts.push_back(unescaped(pointer.substr(0, end)));
        pointer.remove_prefix(end);
    }
    return parts;
}

json::object* parent_of(json::value& target, const std::vector<std::string>& parts) {
    json::value* at = &target;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        json::object* object = at->if_object();
        at = object != nullptr ? object->if_contains(parts[i]) : nullptr;
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at->if_object();
}

Patched apply_one(json::value& target, const json::value& operation) {
    const std::string verb = text_at(operation, {"op"});
    const auto parts = parts_of(text_at(operation, {"path"}));
    json::object* parent = parts ? parent_of(target, *parts) : nullptr;
    if (parent == nullptr) {
        return verb == "test" ? Patched::TestFailed : Patched::Malformed;
    }
    const std::string& name = parts->back();
    const json::value* value = operation.get_object().if_contains("value");
    const json::value* held = parent->if_contains(name);
    if (verb == "remove" && held != nullptr) {
        parent->erase(name);
        return Patched::Done;
    }
    if (value == nullptr || (verb == "replace" && held == nullptr)) {
        return Patched::Malformed;
    }
    if (verb == "test") {
        return held != nullptr && *held == *value ? Patched::Done : Patched::TestFailed;
    }
    if (verb != "add" && verb != "replace") {
        return Patched::Malformed;
    }
    (*parent)[name] = *value;
    return Patched::Done;
}

}  // namespace

Patched apply_json_patch(json::value& target, const json::array& operations) {
    json::value next = target;
    for (const json::value& operation : operations) {
        if (const Patched one = apply_one(next, operation); one != Patched::Done) {
            return one;
        }
    }
    target = std::move(next);
    return Patched::Done;
}

std::string pointer_part(std::string_view name) {
    std::string part;
    for (const char c : name) {
        part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return part;
}

}  // namespace ome::kubectl
