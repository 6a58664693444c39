// Capacity reports as reporters in the field send them (docs/field-cases.md), over HTTP.
#include "integration/by_hand.hpp"
#include "integration/homes.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <optional>
#include <sstream>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

std::string stamp_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
}

/// One body, and what it must come to: a ceiling, or the beginning of the reason why there is none.
struct Sent {
    std::string body;
    std::optional<int> ceiling;
    std::string reason;
};

Sent refused(std::string body) {
    return {std::move(body), std::nullopt, "capacity response is not a valid report: "};
}

std::string counted(const std::string& count) {
    return R"({"servable":)" + count + R"(,"observedAt":"@NOW@"})";
}

std::string stamped(const std::string& stamp) {
    return R"({"servable":4,"observedAt":)" + stamp + "}";
}

std::string beside(const std::string& ignored) {
    return R"({"x":)" + ignored + R"(,"servable":4,"observedAt":"@NOW@"})";
}

class FieldReports : public testing::Test {
protected:
    static json::object polled(const std::vector<std::string>& clusters,
                               const std::function<std::string(const std::string&)>& endpoint_of,
                               int samples,
                               int quorum) {
        json::object one = service("chat", clusters, endpoint_of);
        one["capacity"].as_object()["samples"] = samples;
        one["capacity"].as_object()["quorum"] = quorum;
        return one;
    }

    static std::string file(json::object one) {
        return json::serialize(json::array{std::move(one)});
    }

    static json::value capacity(const ObserverProcess& observer, const std::string& cluster) {
        const json::value home = observer.home("default/chat", cluster);
        return home.is_object() && home.as_object().contains("capacity") ? home.at("capacity")
                                                                         : json::value();
    }

    static bool has_ceiling(const ObserverProcess& observer,
                            const std::string& cluster,
                            int ceiling) {
        const json::value reading = capacity(observer, cluster);
        return reading.is_object() && reading.as_object().contains("ceiling") &&
               reading.at("ceiling") == ceiling;
    }

    static bool has_reason(const ObserverProcess& observer,
                           const std::string& cluster,
                           const std::string& begin) {
        const json::value reading = capacity(observer, cluster);
        return reading.is_object() && !reading.as_object().contains("ceiling") &&
               reading.at("fallbackReason").as_string().find(begin) == 0;
    }

    /// A home for each body, all polled by one observer.
    static void expect_all(const std::vector<Sent>& all) {
        ScriptedServer server([&all](Peer& peer) {
            for (std::string head = peer.read_request(); !head.empty();
                 head = peer.read_request()) {
                std::size_t index = 0;
                std::istringstream(head.substr(head.find("/c/") + 3)) >> index;
                std::string body = all.at(index).body;
                if (const std::size_t at = body.find("@NOW@"); at != std::string::npos) {
                    body.replace(at, 5, stamp_now());
                }
                if (!peer.write(response(body))) {
                    return;
                }
            }
        });
        std::vector<std::string> clusters;
        for (std::size_t i = 0; i < all.size(); ++i) {
            clusters.push_back("home-" + std::to_string(i));
        }
        const auto endpoint = [&](const std::string& cluster) {
            return fmt::format("http://127.0.0.1:{}/c/{}", server.port(), cluster.substr(5));
        };
        json::object one = polled(clusters, endpoint, 4, 1);
        one.erase("probe");
        const ObserverProcess observer(file(std::move(one)));
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_TRUE(eventually([&] {
                return all[i].ceiling ? has_ceiling(observer, clusters[i], *all[i].ceiling)
                                      : has_reason(observer, clusters[i], all[i].reason);
            })) << all[i].body.substr(0, 100)
                << json::serialize(capacity(observer, clusters[i]));
        }
    }
};

TEST_F(FieldReports, F50_NumbersThatAreNoCounts) {
    std::vector<Sent> all{
        {counted("2147483647"), 2147483647, {}},
        {counted("-0"), 0, {}},
        {counted("-1"), std::nullopt, "capacity report is negative (-1)"},
        {counted("null"), std::nullopt, "capacity report has no servable count"},
        {R"({"observedAt":"@NOW@"})", std::nullopt, "capacity report has no servable count"}};
    for (const char* odd : {"4.0",
                            "4.5",
                            "4e0",
                            "22e2222",
                            "\"4\"",
                            "true",
                            "[4]",
                            "{\"n\":4}",
                            "NaN",
                            "Infinity",
                            "-Infinity",
                            "0x4",
                            "04",
                            "+4",
                            "1e400",
                            "2147483648",
                            "18446744073709551616"}) {
        all.push_back(refused(counted(odd)));
    }
    expect_all(all);
}

TEST_F(FieldReports, F52_StampsThatEveryoneReadsDifferently) {
    std::vector<Sent> all{
        {stamped("null"), std::nullopt, "capacity report has no observedAt stamp"},
        {R"({"servable":4})", std::nullopt, "capacity report has no observedAt"},
        {stamped("\"@NOW@\""), 4, {}}};
    for (const char* odd : {"\"2026-09-28T10:00:00\"",
                            "\"2026-09-28T10:00:00+0000\"",
                            "\"2026-09-28 10:00:00Z\"",
                            "\"2026-09-28\"",
                            "\"20260928T100000Z\"",
                            "\"2026-02-30T10:00:00Z\"",
                            "\"2026-09-28T24:00:00Z\"",
                            "\"now\"",
                            "17"}) {
        all.push_back(refused(stamped(odd)));
    }
    expect_all(all);
}

TEST_F(FieldReports, F54_NestingBombsAndBrokenText) {
    std::string wide = "[0";
    for (int i = 0; i < 20000; ++i) {
        wide += ",0";
    }
    expect_all({refused(beside(std::string(60000, '['))),
                refused(beside(std::string(20000, '[') + std::string(20000, ']'))),
                refused(beside("\"a\x01\"")),
                refused(beside("\"\xc3\x28\"")),
                refused(beside(R"("\ud800")")),
                {beside(wide + "]"), 4, {}},
                {beside("\"" + std::string(60000, 'x') + "\""), 4, {}}});
}

TEST_F(FieldReports, F55_A200SaysNothingAboutCapacity) {
    Homes homes({"--home",
                 "zeros",
                 "--home",
                 "one-zero",
                 "--home",
                 "fours",
                 "--home",
                 "ones",
                 "--home",
                 "page"});
    homes.set("zeros", R"({"poll":{"report":0}})");
    homes.set("one-zero", R"({"poll":{"report":[4,0,4]}})");
    homes.set("fours", R"({"poll":{"report":[4,1,4],"cycle":true}})");
    homes.set("ones", R"({"poll":{"report":[1,4,1],"cycle":true}})");
    homes.set("page", R"({"poll":{"body":"<html>all is well</html>"}})");
    const auto endpoint = [&](const std::string& name) { return homes.endpoint(name); };
    const ObserverProcess observer(
        file(polled({"zeros", "one-zero", "fours", "ones", "page"}, endpoint, 3, 2)));
    EXPECT_TRUE(eventually([&] { return has_ceiling(observer, "zeros", 0); }));
    EXPECT_TRUE(
        eventually([&] { return probe_member(observer, "chat", "zeros", "result") == "Passing"; }));
    EXPECT_TRUE(eventually(
        [&] { return has_reason(observer, "page", "capacity response is not a valid report: "); }));
    for (const char* name : {"one-zero", "fours", "ones"}) {
        EXPECT_TRUE(eventually([&] {
            return homes.home(name).at("poll").at("requests").to_number<int>() >= 5;
        })) << name;
    }
    EXPECT_TRUE(eventually([&] { return has_ceiling(observer, "one-zero", 4); }));
    EXPECT_TRUE(eventually([&] { return has_ceiling(observer, "fours", 4); }));
    EXPECT_TRUE(eventually([&] { return has_ceiling(observer, "ones", 1); }));
}

TEST_F(FieldReports, F49_StaleFutureAndFrozenReportsFallOpen) {
    Homes homes({"--home", "aged", "--home", "stale", "--home", "future"});
    homes.set("aged", R"({"poll":{"report":1,"age":"2s"}})");
    homes.set("stale", R"({"poll":{"report":1,"age":"4s"}})");
    homes.set("future", R"({"poll":{"report":1,"skew":"1h"}})");
    ScriptedServer frozen(
        answer_all(response(R"({"servable":2,"observedAt":")" + stamp_now() + "\"}")));
    const auto endpoint = [&](const std::string& name) {
        return name == "frozen" ? "http://127.0.0.1:" + std::to_string(frozen.port())
                                : homes.endpoint(name);
    };
    json::object one = polled({"aged", "stale", "future", "frozen"}, endpoint, 4, 1);
    one.erase("probe");
    const ObserverProcess observer(file(std::move(one)));
    EXPECT_TRUE(eventually([&] { return has_ceiling(observer, "aged", 1); }));
    EXPECT_TRUE(eventually([&] {
        return has_reason(
            observer, "stale", "capacity report is stale (at least configured maximum age 4s)");
    }));
    EXPECT_TRUE(eventually([&] {
        return has_reason(observer, "future", "capacity report timestamp is in the future");
    }));
    EXPECT_TRUE(
        eventually([&] { return has_reason(observer, "frozen", "capacity report is stale"); }));
    EXPECT_FALSE(has_ceiling(observer, "frozen", 0));
}

}  // namespace
}  // namespace ome::test
