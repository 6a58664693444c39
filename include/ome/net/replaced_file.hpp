// Reading a small file in order to write another in its place. Only what is not there at all has no
// content: anything else that cannot be read holds what would be lost.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/net/small_file.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace ome::net {

/// Also of a link to nowhere, and of what nobody may look at: false is certain.
[[nodiscard]] inline bool may_be_there(const std::string& path) {
    std::error_code error;
    return std::filesystem::symlink_status(path, error).type() !=
           std::filesystem::file_type::not_found;
}

/// Empty when nothing is there. Problem: as that of read_small_file().
[[nodiscard]] inline core::Result<std::string> read_to_replace(const std::string& path) {
    auto file = read_small_file(path);
    if (file || may_be_there(path)) {
        return file ? core::Result<std::string>(boost::system::in_place_value,
                                                std::move(file->bytes))
                    : core::Result<std::string>(file.error());
    }
    return core::Result<std::string>(boost::system::in_place_value);
}

}  // namespace ome::net
