#include "cluster_files.hpp"
#include "trust_state.hpp"
#include <ome/net/small_file.hpp>
#include <ome/net/tls_files.hpp>

#include <utility>

namespace ome::net {

struct TlsFiles::State {
    /// What was read of one cluster, and when it is worth reading again.
    struct Known {
        std::string signature;
        std::shared_ptr<const ClusterTrust> trust;
    };

    State(std::vector<std::string> files, std::string named_folder)
        : ca_files(std::move(files)), folder(std::move(named_folder)) {}

    News look(bool all_anew);
    bool load_common(News& news);
    bool look_at_clusters(bool all_anew, News& news);
    void load_one(const std::string& cluster, const ClusterFiles& files, News& news);
    [[nodiscard]] std::string ca_signature() const;
    [[nodiscard]] std::shared_ptr<const Trust> trust() const;

    std::vector<std::string> ca_files;
    std::string folder;
    std::string ca_seen;      // signature of the CA files when they were last looked at
    std::string folder_told;  // the problem of the folder that was told last
    StorePtr store;
    std::shared_ptr<SSL_CTX> common;
    std::map<std::string, Known> clusters;
};

TlsFiles::News TlsFiles::State::look(bool all_anew) {
    News news;
    const std::string signature = ca_signature();
    const bool common_anew = all_anew || signature != ca_seen;
    ca_seen = signature;
    bool changed = common_anew && load_common(news);
    if (store == nullptr) {
        return news;
    }
    // A cluster without authorities of its own shares the common ones.
    changed = look_at_clusters(common_anew, news) || changed;
    if (changed) {
        news.trust = trust();
    }
    return news;
}

bool TlsFiles::State::load_common(News& news) {
    core::Result<StorePtr> fresh = load_store(ca_files);
    if (!fresh) {
        news.problems.push_back(fresh.error());
        return false;
    }
    SslContextPtr context = context_trusting(**fresh);
    if (context == nullptr) {
        news.problems.push_back({"TLS cannot start: no memory", "ca-file"});
        return false;
    }
    store = *std::move(fresh);
    common = std::move(context);
    news.read.emplace_back("the system's authorities");
    news.read.insert(news.read.end(), ca_files.begin(), ca_files.end());
    return true;
}

bool TlsFiles::State::look_at_clusters(bool all_anew, News& news) {
    if (folder.empty()) {
        return false;
    }
    const auto found = find_cluster_files(folder);
    if (!found) {
        if (std::exchange(folder_told, found.error().message) != found.error().message) {
            news.problems.push_back(found.error());
        }
        return false;
    }
    folder_told.clear();
    bool changed = std::erase_if(clusters, [&](const auto& known) {
                       const bool gone = found->find(known.first) == found->end();
                       if (gone) {
                           news.read.push_back("no files of " + known.first);
                       }
                       return gone;
                   }) > 0;
    for (const auto& [cluster, files] : *found) {
        const std::string signature = files.signature();
        if (all_anew || clusters[cluster].signature != signature) {
            clusters[cluster].signature = signature;
            load_one(cluster, files, news);
            changed = true;
        }
    }
    return changed;
}

void TlsFiles::State::load_one(const std::string& cluster, const ClusterFiles& files, News& news) {
    Known& known = clusters[cluster];
    core::Result<SslContextPtr> context = load_cluster(files, *store, news.warnings);
    const bool was_good = known.trust != nullptr && known.trust->context != nullptr;
    if (!context) {
        news.problems.push_back(context.error());
        if (was_good) {
            return;
        }
    }
    auto trust = std::make_shared<ClusterTrust>();
    if (context) {
        news.read.push_back("files of " + cluster);
        trust->context = *std::move(context);
    } else {
        trust->problem = "the files of the cluster in --tls-dir cannot be used";
    }
    known.trust = std::move(trust);
}

std::string TlsFiles::State::ca_signature() const {
    std::string all;
    for (const std::string& file : ca_files) {
        all += file_signature(file) + "|";
    }
    return all;
}

std::shared_ptr<const Trust> TlsFiles::State::trust() const {
    auto state = std::make_unique<Trust::State>();
    state->common = common;
    for (const auto& [cluster, known] : clusters) {
        state->clusters.emplace(cluster, known.trust);
    }
    return std::make_shared<const Trust>(std::move(state));
}

TlsFiles::TlsFiles(std::vector<std::string> ca_files, std::string folder)
    : state_(std::make_unique<State>(std::move(ca_files), std::move(folder))) {}

TlsFiles::~TlsFiles() = default;

TlsFiles::News TlsFiles::load() {
    News news = state_->look(true);
    // A folder that was named and cannot be read must not pass for an empty one.
    if (!state_->folder_told.empty()) {
        news.trust = nullptr;
    }
    return news;
}

TlsFiles::News TlsFiles::refresh() {
    return state_->look(false);
}

}  // namespace ome::net
