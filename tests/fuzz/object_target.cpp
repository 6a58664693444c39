#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/object_document.hpp>
#include <ome/wire/override_document.hpp>

#include <boost/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace ome::fuzz {
namespace {

namespace json = boost::json;

// Whole numbers are written without a point, and then read as such: 2.0 as 2, -0.0 as 0.
json::value plain(const json::value& value) {
    if (const double* number = value.if_double()) {
        constexpr double exact = 9007199254740992.0;
        const bool whole = std::abs(*number) <= exact && std::trunc(*number) == *number;
        return whole ? json::value(static_cast<std::int64_t>(*number)) : value;
    }
    if (const json::object* object = value.if_object()) {
        json::object made;
        for (const auto& [name, member] : *object) {
            made[name] = plain(member);
        }
        return made;
    }
    if (const json::array* array = value.if_array()) {
        json::array made;
        for (const json::value& item : *array) {
            made.push_back(plain(item));
        }
        return made;
    }
    return value;
}

void check_text(const json::value& object, const std::string& text) {
    const auto again = wire::read_objects(text);
    require(again && again->size() == 1, "a written object is one object");
    require(plain(again->front()) == plain(object), "a written object reads back the same");
}

void check_object(const json::value& object) {
    const json::value sorted = wire::with_sorted_members(object);
    require(sorted == object, "sorting changes no value");
    require(wire::stable_hash(sorted) == wire::stable_hash(object),
            "the order of members does not matter");
    if (!object.is_object()) {
        return;  // left in for the caller, who says what is wrong with it
    }
    json::value patched = object;
    wire::merge_patch(patched, json::object{});
    require(patched == object, "an empty patch changes nothing");
    const auto alone = wire::read_objects(json::serialize(object));
    if (!alone || alone->size() != 1 || alone->front() != object) {
        return;  // a list in a list: its items would be written one by one
    }
    check_text(object, wire::to_yaml_text(object));
    check_text(object, wire::to_indented_text(object));
}

// Whatever else an override holds stays, and the same change again changes nothing.
void check_override(std::string_view input) {
    const std::vector<wire::AnnotationChange> changes = {{"ome.io/traffic-drain", "{\"a\": 1}"},
                                                         {"other.io/gone", std::nullopt, true}};
    const auto once = wire::with_annotations(input, changes);
    if (!once) {
        return require_readable(once.error().message);
    }
    const auto twice = wire::with_annotations(*once, changes);
    require(twice && *twice == *once, "the same change again changes nothing");
    const auto back = wire::with_annotations(
        *once, {{"ome.io/traffic-drain", std::nullopt}, {"other.io/gone", std::nullopt}});
    require(back.has_value(), "a change can be taken back");
}

}  // namespace

// Kubernetes objects as kubectl prints them and as folders hold them: one, several, or a list.
void check_object(std::string_view input) {
    const auto objects = wire::read_objects(input);
    if (!objects) {
        require_readable(objects.error().message);
    } else {
        for (const json::value& object : *objects) {
            check_object(object);
        }
    }
    check_override(input);
}

}  // namespace ome::fuzz
