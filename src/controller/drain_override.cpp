#include "drain_override.hpp"

#include <ome/net/file_lock.hpp>
#include <ome/net/replaced_file.hpp>
#include <ome/net/safe_write.hpp>
#include <ome/net/small_file.hpp>
#include <ome/routing/drain_expiry.hpp>
#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/override_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

namespace json = boost::json;

// Others hold it while they write one small file.
constexpr core::Duration patience = 200ms;

// Null when it is not there; a `null` of an override is a value.
const json::value* annotation_in(const json::value& object, std::string_view name) {
    const json::value* at = &object;
    for (const std::string_view part :
         {std::string_view("metadata"), std::string_view("annotations"), name}) {
        const json::object* around = at->if_object();
        at = around != nullptr ? around->if_contains(part) : nullptr;
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at;
}

std::optional<std::string> text_of(const json::value* value) {
    return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string()))
                                                  : std::nullopt;
}

core::Result<json::value> service_in(const std::string& manifest, const core::ServiceKey& key) {
    const auto file = net::read_small_file(manifest);
    if (!file) {
        return file.error();
    }
    auto objects = wire::read_objects(file->bytes);
    if (!objects) {
        return objects.error();
    }
    for (json::value& object : *objects) {
        const json::object* members = object.if_object();
        const json::value* meta = members != nullptr ? members->if_contains("metadata") : nullptr;
        const json::object* named = meta != nullptr ? meta->if_object() : nullptr;
        const json::value* name = named != nullptr ? named->if_contains("name") : nullptr;
        if (name != nullptr && name->is_string() && name->get_string() == key.name) {
            return std::move(object);
        }
    }
    return core::Problem{fmt::format("{}: holds no InferenceService {}", manifest, key.name)};
}

// The one that counts; where there is none, one that may be there all the same.
std::string override_path(const std::string& root, const core::ServiceKey& key) {
    for (const bool unseen : {false, true}) {
        for (const char* extension : {".json", ".yaml", ".yml"}) {
            const std::string path =
                fmt::format("{}/overrides/{}/{}{}", root, key.ns, key.name, extension);
            if (unseen ? net::may_be_there(path) : !net::file_signature(path).empty()) {
                return path;
            }
        }
    }
    return fmt::format("{}/overrides/{}/{}.yaml", root, key.ns, key.name);
}

// What to write into the override; absent: the annotations are not those of the decision any more.
std::optional<std::vector<wire::AnnotationChange>> changes_of(const DrainLapse& lapse,
                                                              const json::value& manifest,
                                                              const json::value& over) {
    struct Wanted {
        std::string_view name;
        const std::optional<std::string>& before;
        const std::optional<std::string>& after;
    };
    const std::array<Wanted, 2> both{
        {{routing::drain_annotation, lapse.service->drains, lapse.drains},
         {routing::drain_expiry_annotation, lapse.service->drain_expiries, lapse.expiries}}};
    std::vector<wire::AnnotationChange> changes;
    for (const Wanted& wanted : both) {
        const json::value* below = annotation_in(manifest, wanted.name);
        const json::value* above = annotation_in(over, wanted.name);
        if (text_of(above != nullptr ? above : below) != wanted.before) {
            return std::nullopt;
        }
        changes.push_back({.name = std::string(wanted.name),
                           .value = wanted.after,
                           .in_manifest = below != nullptr});
    }
    return changes;
}

core::Result<json::value> patch_of(const std::string& text) {
    return text.empty() ? core::Result<json::value>(json::object())
                        : wire::read_manifest_patch(text);
}

std::optional<core::Problem> replace(const std::string& path, const std::string& text) {
    if (text.empty()) {
        return net::delete_safely(path);
    }
    std::vector<net::FileWrite> files{{path, text}};
    net::write_safely(files);
    return files.front().problem;
}

}  // namespace

core::Result<bool> write_lapse(const std::string& root,
                               const std::string& manifest,
                               const DrainLapse& lapse) {
    const auto lock = net::FileLock::take(root + "/overrides.lock", patience);
    if (!lock) {
        return lock.error();
    }
    const core::ServiceKey& key = lapse.key;
    const std::string path = override_path(root, key);
    const auto text = net::read_to_replace(path);
    if (!text) {
        return text.error();
    }
    const auto below = service_in(manifest, key);
    const auto over = patch_of(*text);
    if (!below || !over) {
        return below ? over.error() : below.error();
    }
    const auto changes = changes_of(lapse, *below, *over);
    if (!changes) {
        return false;
    }
    const auto next = wire::with_annotations(*text, *changes);
    if (!next) {
        return next.error();
    }
    if (const auto problem = replace(path, *next)) {
        return *problem;
    }
    return true;
}

}  // namespace ome::controller
