// What a Trust holds.
#pragma once

#include "pem.hpp"
#include "tls.hpp"
#include <ome/net/trust.hpp>

#include <map>
#include <memory>
#include <string>

namespace ome::net {

/// How one cluster is met: its own context, or why its files give none.
struct ClusterTrust {
    SslContextPtr context;
    std::string problem;  ///< empty exactly when there is a context
};

struct Trust::State {
    std::shared_ptr<SSL_CTX> common;  ///< of clusters without files of their own
    std::map<std::string, std::shared_ptr<const ClusterTrust>, std::less<>> clusters;
};

/// How a cluster is met: its own files, or what is common; the problem if there is no way.
struct Meeting {
    SSL_CTX* context = nullptr;
    std::string problem = {};
};
[[nodiscard]] Meeting meeting(const Trust* trust, const std::string& cluster);

/// The store of `Trust::load()`.
[[nodiscard]] core::Result<StorePtr> load_store(const std::vector<std::string>& ca_files);

/// A client's context that trusts `store`, which may be shared.
[[nodiscard]] SslContextPtr context_trusting(X509_STORE& store);

/// Null: no memory.
[[nodiscard]] StorePtr new_store();

}  // namespace ome::net
