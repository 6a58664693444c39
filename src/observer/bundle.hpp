// What a bug report should hold of a running observer, redacted.
#pragma once

#include "archive.hpp"
#include <ome/net/local_client.hpp>

#include <string>
#include <vector>

namespace ome::observer {

struct Bundle {
    std::vector<ArchivedFile> files;   ///< the last one, `missing.txt`, only when something is
    std::vector<std::string> missing;  ///< what the observer did not answer, and why
};

/// Problem: the observer cannot be reached or is none. `collected_at` is for the reader.
[[nodiscard]] core::Result<Bundle> collect_bundle(const net::LocalUrl& url,
                                                  const std::string& collected_at);

}  // namespace ome::observer
