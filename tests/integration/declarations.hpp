// Services for the observer under test, with periods short enough for a test and legal all the
// same.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ome::test {

struct Rhythm {
    std::string period = "1s";
    std::string timeout = "500ms";
    std::string max_age = "4s";
};

[[nodiscard]] boost::json::object capacity_policy(const Rhythm& rhythm = {});
[[nodiscard]] boost::json::object probe_policy(const Rhythm& rhythm = {});

/// `default/NAME` with a home per endpoint, called as `cluster_of` says.
[[nodiscard]] boost::json::object service(
    const std::string& name,
    const std::vector<std::string>& clusters,
    const std::function<std::string(const std::string&)>& endpoint_of,
    const Rhythm& rhythm = {});

/// `count` homes `home-0`... in services of `per_service`, with the kinds that are asked for.
[[nodiscard]] std::string fleet(std::size_t count,
                                std::size_t per_service,
                                const std::function<std::string(const std::string&)>& endpoint_of,
                                const Rhythm& rhythm,
                                bool polls = true,
                                bool probes = true);

}  // namespace ome::test
