#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/override_document.hpp>

#include <boost/json.hpp>

namespace ome::wire {
namespace {

namespace json = boost::json;

json::object& object_in(json::object& around, std::string_view name) {
    json::value& member = around[name];
    if (!member.is_object()) {
        member = json::object();
    }
    return member.get_object();
}

void remove_empty(json::object& around, std::string_view name) {
    const json::value* member = around.if_contains(name);
    if (member != nullptr && member->is_object() && member->get_object().empty()) {
        around.erase(name);
    }
}

}  // namespace

core::Result<std::string> with_annotations(std::string_view text,
                                           const std::vector<AnnotationChange>& changes) {
    json::value patch = json::object();
    if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        auto read = read_manifest_patch(text);
        if (!read) {
            return read.error();
        }
        patch = *std::move(read);
    }
    json::object& whole = patch.get_object();
    json::object& meta = object_in(whole, "metadata");
    json::object& annotations = object_in(meta, "annotations");
    for (const AnnotationChange& change : changes) {
        if (change.value) {
            annotations[change.name] = *change.value;
        } else if (change.in_manifest) {
            annotations[change.name] = nullptr;
        } else {
            annotations.erase(change.name);
        }
    }
    remove_empty(meta, "annotations");
    remove_empty(whole, "metadata");
    return core::Result<std::string>(boost::system::in_place_value,
                                     whole.empty() ? std::string() : to_yaml_text(patch));
}

}  // namespace ome::wire
