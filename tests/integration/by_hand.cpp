#include "integration/by_hand.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::test {

namespace json = boost::json;

Rhythm by_hand() {
    return {.period = "24h", .timeout = "500ms", .max_age = "4s"};
}

std::vector<std::string> by_hand_flags() {
    return {"--min-period", "100ms"};
}

json::value probe_member(const ObserverProcess& observer,
                         const std::string& service,
                         const std::string& cluster,
                         std::string_view member) {
    const json::value home = observer.home("default/" + service, cluster);
    boost::system::error_code ec;
    const json::value* found = home.find_pointer("/probe/" + std::string(member), ec);
    return found == nullptr ? json::value() : *found;
}

bool tried(const ObserverProcess& observer,
           const std::string& service,
           const std::string& cluster) {
    return eventually(
        [&] { return !probe_member(observer, service, cluster, "lastProbeTime").is_null(); });
}

void try_now(const ObserverProcess& observer,
             const std::string& service,
             const std::vector<std::string>& clusters) {
    std::vector<json::value> before;
    for (const std::string& cluster : clusters) {
        ASSERT_TRUE(tried(observer, service, cluster));
        before.push_back(probe_member(observer, service, cluster, "lastProbeTime"));
    }
    const std::string path = "/v1/services/default/" + service + "/attempts";
    ASSERT_TRUE(eventually([&] { return observer.call("POST", path).status == 202; }));
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        ASSERT_TRUE(eventually([&] {
            return probe_member(observer, service, clusters[i], "lastProbeTime") != before[i];
        }));
    }
}

}  // namespace ome::test
