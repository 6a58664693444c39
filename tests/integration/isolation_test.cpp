// A name server that never answers, a handshake that stalls, a body that drips: each attempt ends
// at its time-out, and a thousand other homes do not notice (promise 10).
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "support/scripted_dns.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t healthy = 1000;
constexpr int bad_of_a_kind = 6;

/// How long clients stayed on connections that led nowhere.
class Stays {
public:
    void add(Clock::duration stay) {
        const std::lock_guard lock(mutex_);
        stays_.push_back(stay);
    }
    std::vector<Clock::duration> all() const {
        const std::lock_guard lock(mutex_);
        return stays_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Clock::duration> stays_;
};

class Isolation : public testing::Test {
protected:
    static json::object bad_service(const std::string& name, const std::string& endpoint) {
        std::vector<std::string> clusters;
        for (int i = 0; i < bad_of_a_kind; ++i) {
            clusters.push_back("bad-" + std::to_string(i));
        }
        return service(name, clusters, [&](const std::string& cluster) {
            std::string url = endpoint;
            if (const std::size_t at = url.find('*'); at != std::string::npos) {
                url.replace(at, 1, cluster);
            }
            return url;
        });
    }

    static bool all_gated(const ObserverProcess& observer, const std::string& name) {
        for (int i = 0; i < bad_of_a_kind; ++i) {
            const json::value home = observer.home("default/" + name, "bad-" + std::to_string(i));
            if (!home.is_object() || !home.as_object().contains("probe") ||
                home.at("probe").at("gated") != true) {
                return false;
            }
        }
        return true;
    }

    static std::string message(const ObserverProcess& observer, const std::string& name) {
        const json::value home = observer.home("default/" + name, "bad-0");
        return std::string(home.at("probe").at("message").as_string());
    }
};

TEST_F(Isolation, Promise10BadHomesEndAtTheirTimeoutAndDelayNobody) {
    Stays stays;
    const auto hold = [&stays](Peer& peer) {
        const auto begin = Clock::now();
        peer.wait_until_gone();
        stays.add(Clock::now() - begin);
    };
    ScriptedServer stalled_handshake(hold);
    ScriptedServer dripping([&stays](Peer& peer) {
        const auto begin = Clock::now();
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        peer.drip(std::string(1000, 'x'), 50ms);
        stays.add(Clock::now() - begin);
    });
    ScriptedDns dns([](const std::string&, bool) { return DnsReply{.silent = true}; });
    Homes homes({"--homes", std::to_string(healthy), "--ports", "2"});

    const Rhythm rhythm{.period = "2s", .timeout = "500ms", .max_age = "20s"};
    json::array services =
        json::parse(fleet(
                        healthy,
                        4,
                        [&](const std::string& name) { return homes.endpoint(name); },
                        rhythm,
                        true,
                        false))
            .as_array();
    services.push_back(bad_service("lookup", "http://*.example.test:9"));
    services.push_back(
        bad_service("handshake", "https://127.0.0.1:" + std::to_string(stalled_handshake.port())));
    services.push_back(bad_service("drip", "http://127.0.0.1:" + std::to_string(dripping.port())));
    const ObserverProcess observer(json::serialize(services),
                                   {"--dns-servers",
                                    dns.address(),
                                    "--reactors",
                                    "1",
                                    "--max-concurrent-requests",
                                    "64",
                                    "--log-level",
                                    "error"});
    for (const char* name : {"lookup", "handshake", "drip"}) {
        EXPECT_TRUE(eventually([&] { return all_gated(observer, name); }, 30s)) << name;
    }
    EXPECT_EQ(message(observer, "lookup"), "transport error: context deadline exceeded");
    EXPECT_EQ(message(observer, "handshake"), "transport error: context deadline exceeded");
    EXPECT_EQ(message(observer, "drip"), "response body error: context deadline exceeded");

    // 500 ms each; the bound is loose for busy machines, the exact figure is printed.
    std::vector<Clock::duration> all = stays.all();
    ASSERT_GT(all.size(), 3U * bad_of_a_kind);
    std::sort(all.begin(), all.end());
    const auto ms = [](Clock::duration d) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    };
    RecordProperty("stay_median_ms", static_cast<int>(ms(all[all.size() / 2])));
    RecordProperty("stay_max_ms", static_cast<int>(ms(all.back())));
    std::printf("attempts of bad homes lasted %ld ms (median), %ld ms (longest) of 500\n",
                static_cast<long>(ms(all[all.size() / 2])),
                static_cast<long>(ms(all.back())));
    EXPECT_LT(all.back(), 5s);

    // The others kept their rhythm: what was late was late by less than a period.
    const json::value lateness = observer.get("/v1/status").at("lateness");
    std::printf("lateness of all homes: %s\n", json::serialize(lateness).c_str());
    EXPECT_LT(lateness.at("p99Seconds").to_number<double>(), 2);
    EXPECT_EQ(observer.get("/v1/status").at("gated"), 3 * bad_of_a_kind);
}

}  // namespace
}  // namespace ome::test
