#include "service_shelf.hpp"

#include "manifest_tree.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/folder_identity.hpp>
#include <ome/wire/problem_line.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::controller {
namespace {

constexpr std::string_view folder = "inferenceservices/";
constexpr std::string_view override_folder = "overrides/";

std::string namespace_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

std::string place_of(std::string_view tree, const std::string& path, std::size_t line) {
    return line > 0 ? fmt::format("{}{}:{}", tree, path, line) : fmt::format("{}{}", tree, path);
}

std::string override_place(const core::ServiceKey& key) {
    return fmt::format("{}{}/{}", override_folder, key.ns, key.name);
}

bool is_blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

void ServiceShelf::complain(const std::string& path,
                            File& file,
                            std::size_t line,
                            std::optional<core::ServiceKey> key,
                            core::Problem problem) {
    file.complained = true;
    const wire::LineAndMessage said = wire::split_line(problem.message);
    // An event is about an object: about what the file is named after when nobody can tell better.
    news_.emplace_back(news::Unusable{place_of(folder, path, said.line != 0 ? said.line : line),
                                      key ? std::move(key) : key_of_path(path),
                                      {wire::on_one_line(said.message), std::move(problem.field)}});
}

void ServiceShelf::set_troubled(const std::string& path, File& file, bool troubled) {
    if (file.troubled != troubled) {
        file.troubled = troubled;
        std::size_t& count = troubled_[namespace_of(path)];
        count = troubled ? count + 1 : count - 1;
        if (count == 0) {
            settled_.insert(namespace_of(path));
        }
    }
}

void ServiceShelf::take_file(const std::string& path, const core::Result<std::string>& text) {
    File& file = files_[path];
    const bool complained = std::exchange(file.complained, false);
    if (!text) {
        complain(path, file, 0, {}, text.error());
        set_troubled(path, file, true);
    } else if (is_blank(*text) && !file.keys.empty()) {
        complain(path, file, 0, {}, {"the file is empty: delete it to remove its services"});
        set_troubled(path, file, true);
    } else {
        take_documents(path, file, *text);
    }
    if (complained && !file.complained) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
}

void ServiceShelf::take_documents(const std::string& path, File& file, const std::string& text) {
    auto documents = wire::read_folder_manifests(
        text, {.ns = namespace_of(path), .patch = [this](const core::ServiceKey& key) {
                   return patch_of(key);
               }});
    if (!documents) {
        complain(path, file, 0, {}, documents.error());
        set_troubled(path, file, true);
        return;
    }
    const std::set<core::ServiceKey> before = std::exchange(file.keys, {});
    bool doubtful = false;
    for (wire::FolderManifest& document : documents->services) {
        doubtful = !take_document(path, file, std::move(document)) || doubtful;
    }
    // Where a service was, there is an object of another kind: a slip more likely than a wish.
    const bool lost = std::any_of(before.begin(), before.end(), [&file](const auto& key) {
        return !file.keys.contains(key);
    });
    if (lost && documents->others.size() > file.others) {
        const wire::OtherDocument& other = documents->others.back();
        complain(
            path,
            file,
            other.line,
            {},
            {fmt::format("kind {} must be InferenceService", core::go_quote(other.kind)), "kind"});
        doubtful = true;
    } else {
        file.others = documents->others.size();
    }
    set_troubled(path, file, doubtful);
    for (const core::ServiceKey& key : before) {
        if (file.keys.contains(key)) {
            continue;
        }
        if (doubtful) {
            file.keys.insert(key);
        } else {
            take_away(key);
        }
    }
}

bool ServiceShelf::take_document(const std::string& path,
                                 File& file,
                                 wire::FolderManifest document) {
    const std::size_t line = document.line;
    if (!document.key) {
        complain(path, file, line, {}, document.service.error());
        return false;
    }
    const core::ServiceKey key = *document.key;
    if (key.ns != namespace_of(path)) {
        complain(path,
                 file,
                 line,
                 key,
                 {fmt::format("metadata.namespace {} must be {}, the folder's name",
                              core::go_quote(key.ns),
                              core::go_quote(namespace_of(path))),
                  "metadata.namespace"});
        return false;
    }
    const auto held = services_.find(key);
    if (file.keys.contains(key) || (held != services_.end() && held->second.file != path)) {
        const std::string& first = held != services_.end() ? held->second.file : path;
        complain(path,
                 file,
                 line,
                 key,
                 {fmt::format(
                      "InferenceService {}/{} is in {}{} already", key.ns, key.name, folder, first),
                  "metadata.name"});
        if (first != path) {
            losers_[key].insert(path);
        }
        return true;
    }
    file.keys.insert(key);
    const auto found = overrides_.find(key);
    const bool overridden_badly = found != overrides_.end() && !found->second.patch;
    if (document.service && !overridden_badly) {
        give(key, std::move(document), path);
        return true;
    }
    keep(key, path);
    if (!document.service) {
        complain(path, file, line, key, document.service.error());
    }
    return document.service.has_value();
}

void ServiceShelf::give(const core::ServiceKey& key,
                        wire::FolderManifest document,
                        const std::string& path) {
    routing::InferenceService& service = *document.service;
    service.key = key;
    if (service.uid.empty()) {
        service.uid = wire::derived_uid(key);
    }
    if (service.generation == 0) {
        service.generation = generations_.of(key, document.spec_hash, observed_(key));
    }
    Held& held = services_[key];
    held.file = path;
    held.service = std::make_shared<const routing::InferenceService>(std::move(service));
    news_.emplace_back(news::ServiceIs{held.service});
}

void ServiceShelf::keep(const core::ServiceKey& key, const std::string& path) {
    services_.try_emplace(key, Held{nullptr, path});
}

void ServiceShelf::take_away(const core::ServiceKey& key) {
    services_.erase(key);
    news_.emplace_back(news::ServiceGone{key});
    if (const auto found = losers_.find(key); found != losers_.end()) {
        stale_.insert(found->second.begin(), found->second.end());
        losers_.erase(found);
    }
}

void ServiceShelf::drop_file(const std::string& path) {
    const auto found = files_.find(path);
    if (found == files_.end()) {
        return;
    }
    for (const core::ServiceKey& key : found->second.keys) {
        take_away(key);
    }
    set_troubled(path, found->second, false);
    if (found->second.complained) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
    files_.erase(found);
}

void ServiceShelf::take_override(const core::ServiceKey& key,
                                 const core::Result<std::string>& text) {
    Override& override = overrides_[key];
    const bool usable_before = override.patch.has_value() || !override.complained;
    auto patch =
        text ? wire::read_manifest_patch(*text) : core::Result<boost::json::value>(text.error());
    if (patch) {
        override.patch = *std::move(patch);
        override.complained = false;
        if (!usable_before) {
            news_.emplace_back(news::UsableAgain{override_place(key)});
        }
    } else {
        override.patch.reset();
        override.complained = true;
        news_.emplace_back(news::Unusable{override_place(key), key, patch.error()});
    }
    if (const auto held = services_.find(key); held != services_.end()) {
        stale_.insert(held->second.file);
    }
}

void ServiceShelf::drop_override(const core::ServiceKey& key) {
    const auto found = overrides_.find(key);
    if (found == overrides_.end()) {
        return;
    }
    if (found->second.complained) {
        news_.emplace_back(news::UsableAgain{override_place(key)});
    }
    overrides_.erase(found);
    if (const auto held = services_.find(key); held != services_.end()) {
        stale_.insert(held->second.file);
    }
}

const boost::json::value* ServiceShelf::patch_of(const core::ServiceKey& key) const {
    const auto found = overrides_.find(key);
    return found != overrides_.end() && found->second.patch ? &*found->second.patch : nullptr;
}

std::set<std::string> ServiceShelf::take_stale() {
    return std::exchange(stale_, {});
}

std::set<std::string> ServiceShelf::take_settled() {
    return std::exchange(settled_, {});
}

std::vector<StoreNews> ServiceShelf::take_news() {
    return std::exchange(news_, {});
}

const routing::InferenceService* ServiceShelf::find(const core::ServiceKey& key) const {
    const auto found = services_.find(key);
    return found == services_.end() ? nullptr : found->second.service.get();
}

std::string ServiceShelf::file_of(const core::ServiceKey& key) const {
    const auto found = services_.find(key);
    return found == services_.end() ? std::string() : found->second.file;
}

bool ServiceShelf::knows_absence(const core::ServiceKey& key) const {
    const auto troubled = troubled_.find(key.ns);
    return !services_.contains(key) && (troubled == troubled_.end() || troubled->second == 0);
}

}  // namespace ome::controller
