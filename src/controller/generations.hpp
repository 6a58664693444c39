// What an API server would have numbered: the generation of a manifest that says none rises when
// its spec changes, through restarts too. Kept in a file of one line a change, rewritten when it
// has grown.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/wire/folder_identity.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ome::controller {

class Generations {
public:
    /// `path`: empty keeps them in memory alone.
    explicit Generations(std::string path) : path_(std::move(path)) {}

    /// Lines that cannot be read are left out; a missing file is an empty one.
    void load();

    /// `at_least`: what a map of the service already says, if the file was lost.
    [[nodiscard]] std::int64_t of(const core::ServiceKey& key,
                                  std::uint64_t spec_hash,
                                  std::int64_t at_least);

    /// Writes what is new. Problem: it could not be written, and is tried again next time.
    [[nodiscard]] std::optional<core::Problem> save();

private:
    std::string path_;
    wire::CountedGenerations entries_;
    std::string unsaved_;
    std::size_t lines_ = 0;  ///< in the file
    bool torn_ = false;      ///< its last line may have no end
};

/// A random uid (version 4).
[[nodiscard]] std::string random_uid();

}  // namespace ome::controller
