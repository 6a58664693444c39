#include "override_shelf.hpp"

#include "manifest_tree.hpp"
#include <ome/wire/problem_line.hpp>

#include <fmt/format.h>

#include <utility>

namespace ome::controller {
namespace {

constexpr std::string_view folder = "overrides/";

// The line of a problem belongs to its place.
std::string place_of(const std::string& path, std::size_t line) {
    return line > 0 ? fmt::format("{}{}:{}", folder, path, line)
                    : fmt::format("{}{}", folder, path);
}

}  // namespace

void OverrideShelf::take_file(const std::string& path, const core::Result<std::string>& text) {
    File& file = files_[path];
    file.key = key_of_path(path);
    if (file.key) {
        paths_[*file.key].insert(path);
        changed_.insert(*file.key);
    }
    auto patch =
        text ? wire::read_override(*text) : core::Result<wire::ManifestPatch>(text.error());
    if (!patch) {
        file.patch = patch.error();
        return;
    }
    if (const std::size_t version = std::hash<std::string>()(*text); version != file.version) {
        file.version = version;
        tell_warnings(path, *patch);
    }
    file.patch = std::move(patch->value);
}

void OverrideShelf::tell_warnings(const std::string& path, const wire::ManifestPatch& patch) {
    for (const core::Problem& warning : patch.warnings) {
        const wire::LineAndMessage said = wire::split_line(warning.message);
        news_.emplace_back(
            news::Doubtful{place_of(path, said.line), {std::string(said.message), warning.field}});
    }
}

void OverrideShelf::drop_file(const std::string& path) {
    const auto found = files_.find(path);
    if (found == files_.end()) {
        return;
    }
    if (const auto& key = found->second.key) {
        changed_.insert(*key);
        const auto paths = paths_.find(*key);
        paths->second.erase(path);
        if (paths->second.empty()) {
            paths_.erase(paths);
        }
    }
    if (found->second.told) {
        news_.emplace_back(news::UsableAgain{place_of(path, 0)});
    }
    files_.erase(found);
}

const std::string* OverrideShelf::path_for(const core::ServiceKey& key) const {
    const auto found = paths_.find(key);
    return found == paths_.end() ? nullptr : &*found->second.begin();
}

const OverrideShelf::File* OverrideShelf::file_for(const core::ServiceKey& key) const {
    const std::string* path = path_for(key);
    return path == nullptr ? nullptr : &files_.find(*path)->second;
}

const boost::json::value* OverrideShelf::patch_of(const core::ServiceKey& key) const {
    const File* file = file_for(key);
    return file != nullptr && file->patch ? &*file->patch : nullptr;
}

bool OverrideShelf::unusable(const core::ServiceKey& key) const {
    const File* file = file_for(key);
    return file != nullptr && !file->patch;
}

std::set<core::ServiceKey> OverrideShelf::take_changed() {
    return std::exchange(changed_, {});
}

std::optional<core::Problem> OverrideShelf::problem_of(
    const std::string& path,
    const File& file,
    const std::function<bool(const core::ServiceKey&)>& missing) const {
    if (!file.key) {
        return core::Problem{fmt::format("a file here is called after its service: {}",
                                         service_named_by(path).error().message)};
    }
    const core::ServiceKey& key = *file.key;
    if (const std::string& first = *path_for(key); first != path) {
        return core::Problem{
            fmt::format("the override of {}/{} is in {}{} already: of two files "
                        "the first by path counts",
                        key.ns,
                        key.name,
                        folder,
                        first)};
    }
    if (!file.patch) {
        return file.patch.error();
    }
    if (missing(key)) {
        return core::Problem{fmt::format("there is no InferenceService {} in inferenceservices/{} "
                                         "that it could be laid over",
                                         key.name,
                                         key.ns),
                             "metadata.name"};
    }
    return std::nullopt;
}

void OverrideShelf::complain(const std::string& path,
                             const File& file,
                             const core::Problem& problem) {
    const wire::LineAndMessage said = wire::split_line(problem.message);
    news::Unusable told{
        place_of(path, said.line), file.key, {wire::on_one_line(said.message), problem.field}};
    const bool counts = file.key && *path_for(*file.key) == path;
    if (counts && !file.patch) {
        told.holds.insert(*file.key);
    }
    news_.emplace_back(std::move(told));
}

void OverrideShelf::settle(const std::function<bool(const core::ServiceKey&)>& missing) {
    for (auto& [path, file] : files_) {
        std::optional<core::Problem> problem = problem_of(path, file, missing);
        if (problem == file.told) {
            continue;
        }
        if (problem) {
            complain(path, file, *problem);
        } else {
            news_.emplace_back(news::UsableAgain{place_of(path, 0)});
        }
        file.told = std::move(problem);
    }
}

std::vector<StoreNews> OverrideShelf::take_news() {
    return std::exchange(news_, {});
}

}  // namespace ome::controller
