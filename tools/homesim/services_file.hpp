// A services file for the observer, so that a fleet of simulated homes can be observed at once.
#pragma once

#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::homesim {

struct ServicesFile {
    std::string address;
    std::vector<std::uint16_t> ports;  ///< not empty; homes take them in turn
    std::string poll_path;
    bool by_address = false;  ///< home n at indexed_address(n); otherwise by path
    std::size_t homes_per_service = 2;
    core::Duration period = std::chrono::seconds(1);
    core::Duration timeout = std::chrono::milliseconds(500);
    core::Duration max_age = std::chrono::seconds(4);
    std::int64_t samples = 4;
    std::int64_t quorum = 3;
    bool poll = true;
    bool probe = true;
};

/// A JSON list, one service a line.
[[nodiscard]] std::string services_file(const ServicesFile& settings,
                                        const std::vector<std::string>& homes);

}  // namespace ome::homesim
