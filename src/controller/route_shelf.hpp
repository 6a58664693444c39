// The objects of the Gateway API in a folder, with what an API server would do for them: identity,
// preconditions, finalizers. Those of one map are together in `routes/<namespace>/<name>.yaml`,
// plain manifests that can be applied to a cluster as they are; other files there are other
// people's, and their routes count when hostnames collide.
#pragma once

#include "manifest_tree.hpp"
#include "store.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ome::controller {

using ObjectRequest = std::variant<ObjectWriteRequest, ObjectDeleteRequest>;

class RouteShelf {
public:
    explicit RouteShelf(ManifestTree& tree) : tree_(tree) {}

    /// The file has changed, perhaps because of us.
    void take_file(const std::string& path);
    void drop_file(const std::string& path);

    /// In order of the requests. The files are flushed together.
    [[nodiscard]] std::vector<PublicationResult> apply(const std::vector<ObjectRequest>& requests,
                                                       core::WallTime now);

    [[nodiscard]] std::vector<StoreNews> take_news();

private:
    /// One document of a file.
    struct Document {
        boost::json::value content;
        /// Null: of another kind, or unusable; it is kept as it is.
        std::shared_ptr<const routing::PublishedObject> object = {};
    };
    struct File {
        std::vector<Document> documents;
        std::string signature = {};
        bool unreadable = false;  ///< `documents` are those from before
    };
    using Files = std::map<std::string, File>;
    static constexpr std::string_view folder = "routes/";

    /// What a group of requests makes of the files, before it is on the disk.
    struct Draft {
        Files files;
        std::vector<PublicationResult> results;
        std::vector<std::string> paths;  ///< of each result; empty: it changed no file
    };

    /// Where objects of a source go that are nowhere yet.
    [[nodiscard]] static std::string place_of(const core::ServiceKey& source);
    [[nodiscard]] core::Result<File> read(const std::string& path);
    [[nodiscard]] Document identified(boost::json::value content, const std::string& path);
    enum class Tell : bool { No, Yes };
    void replace(const std::string& path, File file, Tell tell = Tell::Yes);
    void finish_deletions(const std::string& path);
    void complain(const std::string& path, const core::Problem& problem);
    void take_unreadable(const std::string& path, std::string signature, const core::Problem& why);
    void look_again(const std::string& path);
    [[nodiscard]] std::string path_of(const routing::ObjectKey& key,
                                      const core::ServiceKey& source) const;
    [[nodiscard]] std::shared_ptr<const routing::PublishedObject> find(
        const Draft& draft, const std::string& path, const routing::ObjectKey& key) const;
    void take(const ObjectWriteRequest& request, Draft& draft);
    void take(const ObjectDeleteRequest& request, core::WallTime now, Draft& draft);
    [[nodiscard]] File& drafted(Draft& draft, const std::string& path);
    void flush(Draft& draft);

    ManifestTree& tree_;
    Files files_;
    std::map<routing::ObjectKey, std::string> places_;  ///< the file of each object
    std::uint64_t last_version_ = 0;
    std::vector<StoreNews> news_;
};

}  // namespace ome::controller
