#include "service_shelf.hpp"

#include "manifest_tree.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/folder_identity.hpp>
#include <ome/wire/problem_line.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace ome::controller {
namespace {

constexpr std::string_view folder = "inferenceservices/";
constexpr std::string_view service_kind = "InferenceService";

std::string namespace_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

std::string place_of(const std::string& path, std::size_t line) {
    return line > 0 ? fmt::format("{}{}:{}", folder, path, line)
                    : fmt::format("{}{}", folder, path);
}

}  // namespace

void ServiceShelf::complain(const std::string& path, File& file, Trouble trouble) {
    file.complained = true;
    const wire::LineAndMessage said = wire::split_line(trouble.problem.message);
    // An event is about an object: about what the file is named after when nobody can tell better.
    news_.emplace_back(
        news::Unusable{place_of(path, said.line != 0 ? said.line : trouble.line),
                       trouble.key ? std::move(trouble.key) : key_of_path(path),
                       {wire::on_one_line(said.message), std::move(trouble.problem.field)},
                       std::move(trouble.holds)});
}

// Of a file in which nothing can be told apart: all that was in it stays. Of one that was never
// usable, its name is the best guess.
void ServiceShelf::complain_of_all(const std::string& path, File& file, core::Problem problem) {
    Trouble trouble{.problem = std::move(problem), .holds = file.keys};
    const auto guess = key_of_path(path);
    if (trouble.holds.empty() && guess && !services_.contains(*guess)) {
        trouble.holds.insert(*guess);
    }
    complain(path, file, std::move(trouble));
    set_troubled(path, file, true);
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
    stale_.erase(path);
    unsettled_ = true;
    File& file = files_[path];
    const bool complained = std::exchange(file.complained, false);
    if (!text) {
        complain_of_all(path, file, text.error());
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
                   return overrides_.patch_of(key);
               }});
    if (!documents) {
        complain_of_all(path, file, documents.error());
        return;
    }
    if (documents->blank && was_emptied(path, file)) {
        complain_of_all(path, file, {"the file is empty: delete it to remove its services"});
        return;
    }
    forget_loser(path);
    tell_warnings(path, file, text, *documents);
    const std::set<core::ServiceKey> before = std::exchange(file.keys, {});
    std::vector<Trouble> doubts;
    for (wire::FolderManifest& document : documents->services) {
        if (auto doubt = take_document(path, file, std::move(document))) {
            doubts.push_back(*std::move(doubt));
        }
    }
    if (auto doubt = other_kind(file, before, documents->others)) {
        doubts.push_back(*std::move(doubt));
    } else {
        file.others = documents->others.size();
    }
    set_troubled(path, file, !doubts.empty());
    std::set<core::ServiceKey> missing;
    std::set_difference(before.begin(),
                        before.end(),
                        file.keys.begin(),
                        file.keys.end(),
                        std::inserter(missing, missing.end()));
    if (doubts.empty()) {
        std::for_each(missing.begin(), missing.end(), [this](const auto& key) { take_away(key); });
        return;
    }
    file.keys.insert(missing.begin(), missing.end());
    for (Trouble& doubt : doubts) {
        doubt.holds.insert(missing.begin(), missing.end());
        complain(path, file, std::move(doubt));
    }
}

// And not made empty, to be filled later. Of one that was emptied while no controller ran, the map
// of the service that it is called after tells.
bool ServiceShelf::was_emptied(const std::string& path, const File& file) const {
    if (!file.keys.empty()) {
        return true;
    }
    const auto guess = key_of_path(path);
    return guess && !services_.contains(*guess) && observed_(*guess) > 0;
}

// Where a service was, there is an object of another kind: a slip more likely than a wish.
std::optional<ServiceShelf::Trouble> ServiceShelf::other_kind(
    const File& file,
    const std::set<core::ServiceKey>& before,
    const std::vector<wire::OtherDocument>& others) {
    const bool lost = std::any_of(before.begin(), before.end(), [&file](const auto& key) {
        return !file.keys.contains(key);
    });
    if (!lost || others.size() <= file.others) {
        return std::nullopt;
    }
    const wire::OtherDocument& other = others.back();
    return Trouble{
        .problem = {fmt::format("kind {} must be {}", core::go_quote(other.kind), service_kind),
                    "kind"},
        .line = other.line};
}

// Once for each text: the same file is also read again when something beside it has changed.
void ServiceShelf::tell_warnings(const std::string& path,
                                 File& file,
                                 const std::string& text,
                                 const wire::FolderManifests& documents) {
    const std::size_t version = std::hash<std::string>()(text);
    if (std::exchange(file.version, version) == version) {
        return;
    }
    for (const wire::OtherDocument& other : documents.others) {
        news_.emplace_back(news::Doubtful{place_of(path, other.line),
                                          {fmt::format("kind {} is not read here, {} {} is",
                                                       core::go_quote(other.kind),
                                                       routing::api_version,
                                                       service_kind),
                                           "kind"}});
    }
    for (const wire::FolderManifest& document : documents.services) {
        for (const core::Problem& warning : document.warnings) {
            const wire::LineAndMessage said = wire::split_line(warning.message);
            news_.emplace_back(
                news::Doubtful{place_of(path, said.line != 0 ? said.line : document.line),
                               {std::string(said.message), warning.field}});
        }
    }
}

std::optional<ServiceShelf::Trouble> ServiceShelf::take_document(const std::string& path,
                                                                 File& file,
                                                                 wire::FolderManifest document) {
    const std::size_t line = document.line;
    if (!document.key) {
        return Trouble{.problem = document.service.error(), .line = line};
    }
    const core::ServiceKey key = *document.key;
    if (key.ns != namespace_of(path)) {
        return Trouble{
            .problem = {fmt::format("metadata.namespace {} must be {}, the folder's name",
                                    core::go_quote(key.ns),
                                    core::go_quote(namespace_of(path))),
                        "metadata.namespace"},
            .line = document.namespace_line,
            .key = key};
    }
    if (loses(path, file, key)) {
        complain_of_loser(path, file, line, key);
        return std::nullopt;
    }
    take_over(key, path);
    file.keys.insert(key);
    if (document.service && !overrides_.unusable(key)) {
        give(key, std::move(document), path);
        return std::nullopt;
    }
    keep(key, path);
    if (document.service) {
        return std::nullopt;
    }
    return Trouble{.problem = document.service.error(), .line = line, .key = key, .holds = {key}};
}

// In this file, or in one before it.
bool ServiceShelf::loses(const std::string& path,
                         const File& file,
                         const core::ServiceKey& key) const {
    const auto held = services_.find(key);
    return file.keys.contains(key) || (held != services_.end() && held->second.file < path);
}

void ServiceShelf::complain_of_loser(const std::string& path,
                                     File& file,
                                     std::size_t line,
                                     const core::ServiceKey& key) {
    const bool twice_here = file.keys.contains(key);
    const std::string first = twice_here ? path : file_of(key);
    complain(path,
             file,
             {.problem = {fmt::format("InferenceService {}/{} is in {}{} already: the first {} "
                                      "counts",
                                      key.ns,
                                      key.name,
                                      folder,
                                      first,
                                      twice_here ? "document" : "file by path"),
                          "metadata.name"},
              .line = line,
              .key = key});
    if (!twice_here) {
        losers_[key].insert(path);
    }
}

// From the file that came first and sorts later; it is read again, and says so itself.
void ServiceShelf::take_over(const core::ServiceKey& key, const std::string& path) {
    const auto held = services_.find(key);
    if (held == services_.end() || held->second.file == path) {
        return;
    }
    const std::string later = std::exchange(held->second.file, path);
    losers_[key].insert(later);
    stale_.insert(later);
    if (const auto other = files_.find(later); other != files_.end()) {
        other->second.keys.erase(key);
    }
}

void ServiceShelf::forget_loser(const std::string& path) {
    for (auto at = losers_.begin(); at != losers_.end();) {
        at->second.erase(path);
        at = at->second.empty() ? losers_.erase(at) : std::next(at);
    }
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
    unsettled_ = true;
    for (const core::ServiceKey& key : found->second.keys) {
        take_away(key);
    }
    set_troubled(path, found->second, false);
    if (found->second.complained) {
        news_.emplace_back(news::UsableAgain{std::string(folder) + path});
    }
    files_.erase(found);
    forget_loser(path);
    stale_.erase(path);
}

void ServiceShelf::take_override(const std::string& path, const core::Result<std::string>& text) {
    overrides_.take_file(path, text);
    reread_overridden();
}

void ServiceShelf::drop_override(const std::string& path) {
    overrides_.drop_file(path);
    reread_overridden();
}

void ServiceShelf::reread_overridden() {
    unsettled_ = true;
    for (const core::ServiceKey& key : overrides_.take_changed()) {
        if (const auto held = services_.find(key); held != services_.end()) {
            stale_.insert(held->second.file);
        }
    }
}

void ServiceShelf::settle() {
    if (std::exchange(unsettled_, false)) {
        overrides_.settle([this](const core::ServiceKey& key) { return knows_absence(key); });
    }
}

std::set<std::string> ServiceShelf::take_stale() {
    return std::exchange(stale_, {});
}

std::set<std::string> ServiceShelf::take_settled() {
    return std::exchange(settled_, {});
}

std::vector<StoreNews> ServiceShelf::take_news() {
    std::vector<StoreNews> told = std::exchange(news_, {});
    std::vector<StoreNews> overrides = overrides_.take_news();
    std::move(overrides.begin(), overrides.end(), std::back_inserter(told));
    return told;
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
