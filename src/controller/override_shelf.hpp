// What is laid over the services of a folder: a patch for each, and what is wrong with the file it
// stands in. No file is read here: texts come in, news go out.
#pragma once

#include "store.hpp"
#include <ome/wire/folder_manifest.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

class OverrideShelf {
public:
    /// A file's text, or why it cannot be read. `path`: `demo/chat.yaml`; one that names no service
    /// is told, and used for nothing.
    void take_file(const std::string& path, const core::Result<std::string>& text);
    void drop_file(const std::string& path);

    /// Null: there is none, or it cannot be used. Of two files of one service the first by path, in
    /// byte order, counts.
    [[nodiscard]] const boost::json::value* patch_of(const core::ServiceKey& key) const;
    /// There is one and it cannot be used: its service is to stay as it was.
    [[nodiscard]] bool unusable(const core::ServiceKey& key) const;

    /// Services whose override may be another one since the last call.
    [[nodiscard]] std::set<core::ServiceKey> take_changed();

    /// To be called when everything has been taken: tells what is wrong, once for each change of
    /// it, and what is over. `missing`: there is certainly no service of that name.
    void settle(const std::function<bool(const core::ServiceKey&)>& missing);

    /// Since the last call, in order.
    [[nodiscard]] std::vector<StoreNews> take_news();

private:
    struct File {
        std::optional<core::ServiceKey> key;  ///< absent: its name is not that of a service
        core::Result<boost::json::value> patch = boost::json::value();
        std::size_t version = 0;            ///< a hash of the text whose warnings were told
        std::optional<core::Problem> told;  ///< what was complained of
    };

    [[nodiscard]] const std::string* path_for(const core::ServiceKey& key) const;
    [[nodiscard]] const File* file_for(const core::ServiceKey& key) const;
    [[nodiscard]] std::optional<core::Problem> problem_of(
        const std::string& path,
        const File& file,
        const std::function<bool(const core::ServiceKey&)>& missing) const;
    void complain(const std::string& path, const File& file, const core::Problem& problem);
    void tell_warnings(const std::string& path, const wire::ManifestPatch& patch);

    std::map<std::string, File> files_;
    std::map<core::ServiceKey, std::set<std::string>> paths_;
    std::set<core::ServiceKey> changed_;
    std::vector<StoreNews> news_;
};

}  // namespace ome::controller
