// The three files of one cluster, and the TLS context they make.
#pragma once

#include "trust_state.hpp"
#include <ome/core/problem.hpp>

#include <map>
#include <string>
#include <vector>

namespace ome::net {

struct ClusterFiles {
    std::string ca;  ///< paths; empty: there is no such file
    std::string certificate;
    std::string key;

    /// Changes when one of them does.
    [[nodiscard]] std::string signature() const;
};

/// By cluster. Problem: the folder cannot be read.
[[nodiscard]] core::Result<std::map<std::string, ClusterFiles>> find_cluster_files(
    const std::string& folder);

/// Without a `.ca.pem` what is in `common` counts. Problem: the file, and the reason.
[[nodiscard]] core::Result<SslContextPtr> load_cluster(const ClusterFiles& files,
                                                       X509_STORE& common,
                                                       std::vector<std::string>& warnings);

}  // namespace ome::net
