// What an API server would have numbered: the generation of a manifest that says none rises when
// its spec changes, through restarts too. Kept in a file of one line a change, rewritten when it
// has grown.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>

#include <cstdint>
#include <map>
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
    struct Entry {
        std::uint64_t spec_hash = 0;
        std::int64_t generation = 0;
    };
    [[nodiscard]] static std::string line_of(const core::ServiceKey& key, const Entry& entry);

    std::string path_;
    std::map<core::ServiceKey, Entry> entries_;
    std::string unsaved_;
    std::size_t lines_ = 0;  ///< in the file
};

/// The uid of a service whose manifest has none: the same for the same name, always.
[[nodiscard]] std::string derived_uid(const core::ServiceKey& key);

/// A random one (version 4).
[[nodiscard]] std::string random_uid();

}  // namespace ome::controller
