// The InferenceServices of a folder: what the files say, with the overrides merged in, and what is
// kept of a file that cannot be used for now. No file is read here: texts come in, news go out.
#pragma once

#include "generations.hpp"
#include "override_shelf.hpp"
#include "store.hpp"
#include <ome/wire/folder_manifest.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

/// Of several files that hold one service the first by path, in byte order, counts, in whichever
/// order they came; so it does not change when everything is read again.
class ServiceShelf {
public:
    /// `observed`: the generation that the service's map shows; 0 without one.
    using Observed = std::function<std::int64_t(const core::ServiceKey&)>;

    ServiceShelf(Generations& generations, Observed observed)
        : generations_(generations), observed_(std::move(observed)) {}

    /// A file's text, or why it cannot be read. `path`: `demo/chat.yaml`.
    void take_file(const std::string& path, const core::Result<std::string>& text);
    void drop_file(const std::string& path);

    /// An override that cannot be used freezes what it belongs to: the service stays as it was.
    void take_override(const std::string& path, const core::Result<std::string>& text);
    void drop_override(const std::string& path);

    /// To be called when everything has been taken: what is wrong with overrides shows then.
    void settle();

    /// Services whose file must be read again, since another file or an override made room or
    /// changed.
    [[nodiscard]] std::set<std::string> take_stale();

    /// Namespaces whose files are all usable again.
    [[nodiscard]] std::set<std::string> take_settled();

    /// Since the last call, in order.
    [[nodiscard]] std::vector<StoreNews> take_news();

    [[nodiscard]] const routing::InferenceService* find(const core::ServiceKey& key) const;
    /// The file it stands in, below the folder; empty when there is none.
    [[nodiscard]] std::string file_of(const core::ServiceKey& key) const;
    /// False while a file of the namespace cannot be used: the service may be in it.
    [[nodiscard]] bool knows_absence(const core::ServiceKey& key) const;
    [[nodiscard]] std::size_t size() const { return services_.size(); }

private:
    struct File {
        std::set<core::ServiceKey> keys;
        std::size_t others = 0;  ///< objects of other kinds
        bool troubled = false;   ///< there may be other services in it than can be told
        bool complained = false;
        std::size_t version = 0;  ///< a hash of the text whose warnings were told
    };
    /// What is wrong with a file.
    struct Trouble {
        core::Problem problem;
        std::size_t line = 0;
        std::optional<core::ServiceKey> key = {};
        std::set<core::ServiceKey> holds = {};
    };
    struct Held {
        std::shared_ptr<const routing::InferenceService> service;  ///< null: never usable
        std::string file;
    };

    void take_documents(const std::string& path, File& file, const std::string& text);
    /// Why there may be another service in it than it seems.
    std::optional<Trouble> take_document(const std::string& path,
                                         File& file,
                                         wire::FolderManifest document);
    [[nodiscard]] bool was_emptied(const std::string& path, const File& file) const;
    [[nodiscard]] static std::optional<Trouble> other_kind(
        const File& file,
        const std::set<core::ServiceKey>& before,
        const std::vector<wire::OtherDocument>& others);
    void give(const core::ServiceKey& key, wire::FolderManifest document, const std::string& path);
    void keep(const core::ServiceKey& key, const std::string& path);
    void take_away(const core::ServiceKey& key);
    [[nodiscard]] bool loses(const std::string& path,
                             const File& file,
                             const core::ServiceKey& key) const;
    void take_over(const core::ServiceKey& key, const std::string& path);
    void complain(const std::string& path, File& file, Trouble trouble);
    void complain_of_all(const std::string& path, File& file, core::Problem problem);
    void complain_of_loser(const std::string& path,
                           File& file,
                           std::size_t line,
                           const core::ServiceKey& key);
    void tell_warnings(const std::string& path,
                       File& file,
                       const std::string& text,
                       const wire::FolderManifests& documents);
    void forget_loser(const std::string& path);
    void reread_overridden();
    void set_troubled(const std::string& path, File& file, bool troubled);

    Generations& generations_;
    Observed observed_;
    std::map<std::string, File> files_;
    std::map<core::ServiceKey, Held> services_;
    OverrideShelf overrides_;
    bool unsettled_ = false;                                    ///< since the last settle()
    std::map<core::ServiceKey, std::set<std::string>> losers_;  ///< files that name it, too
    std::map<std::string, std::size_t> troubled_;               ///< files, by namespace
    std::set<std::string> stale_;
    std::set<std::string> settled_;
    std::vector<StoreNews> news_;
};

}  // namespace ome::controller
