#include "integration/by_hand.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstdlib>

namespace ome::test {

namespace json = boost::json;

Rhythm by_hand() {
    return {.period = "24h", .timeout = "3s", .max_age = "4s"};
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

namespace {

/// Attempts that this machine was too busy for. One that was asked for is not tried again.
double stalled(const ObserverProcess& observer) {
    const std::string page = observer.call("GET", "/metrics").body;
    const std::string series = R"(ome_observer_attempts_without_result_total{reason="stalled"} )";
    const std::size_t at = page.find(series);
    return at == std::string::npos ? 0.0 : std::atof(page.c_str() + at + series.size());
}

}  // namespace

void try_now(const ObserverProcess& observer,
             const std::string& service,
             const std::vector<std::string>& clusters) {
    std::vector<json::value> before;
    for (const std::string& cluster : clusters) {
        ASSERT_TRUE(tried(observer, service, cluster));
        before.push_back(probe_member(observer, service, cluster, "lastProbeTime"));
    }
    double lost = stalled(observer);
    const auto ask = [&] {
        return eventually([&] {
            return observer.call("POST", "/v1/services/default/" + service + "/attempts").status ==
                   202;
        });
    };
    ASSERT_TRUE(ask());
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const auto changed = [&] {
            const double lost_now = clusters.size() == 1 ? stalled(observer) : lost;
            if (lost_now > lost) {
                lost = lost_now;
                EXPECT_TRUE(ask());
            }
            return probe_member(observer, service, clusters[i], "lastProbeTime") != before[i];
        };
        ASSERT_TRUE(eventually(changed, std::chrono::seconds(30))) << clusters[i];
    }
}

}  // namespace ome::test
