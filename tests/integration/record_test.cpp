// `serve --record`, and the replay of what it wrote.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

namespace ome::test {
namespace {

namespace json = boost::json;

const Rhythm rhythm{.period = "1s", .timeout = "300ms", .max_age = "60s"};
const std::vector<std::string> clusters{"good", "flapping", "gone", "stalled", "long"};

std::string member(const json::value& document, std::string_view pointer) {
    boost::system::error_code ec;
    const json::value* found = document.find_pointer(pointer, ec);
    return found == nullptr ? std::string() : json::serialize(*found);
}

std::string times(const json::value& reading) {
    return member(reading, "/capacity/lastAttemptTime") + member(reading, "/probe/lastProbeTime");
}

/// Without what a replay cannot know: the schedule's spread, and the home's clock and certificate.
json::value comparable(json::value reading) {
    reading.get_object().erase("clockSkewSeconds");
    reading.get_object().erase("tls");
    for (const char* part : {"capacity", "probe"}) {
        if (json::value* found = reading.get_object().if_contains(part)) {
            found->get_object().erase("nextAttemptTime");
        }
    }
    return reading;
}

class Record : public testing::Test {
protected:
    Record()
        : homes({"--home",
                 "good",
                 "--home",
                 "flapping",
                 "--home",
                 "gone",
                 "--home",
                 "stalled",
                 "--home",
                 "long"}) {
        homes.set("good", R"({"poll":{"report":[3,1,2],"cycle":true}})");
        homes.set("flapping", R"({"probe":{"status":[503,503,503,200],"cycle":true}})");
        homes.set("gone", R"({"poll":{"gone":true},"probe":{"reset":true}})");
        homes.set("stalled", R"({"poll":{"stall":"in-body"},"probe":{"stall":"before-head"}})");
        homes.set("long", R"({"poll":{"report":2,"oversize":2000}})");
    }

    [[nodiscard]] std::string services() const {
        const auto endpoint = [this](const std::string& cluster) {
            return homes.endpoint(cluster);
        };
        return json::serialize(json::array{service("chat", clusters, endpoint, rhythm)});
    }

    [[nodiscard]] std::string policies() const {
        return scratch.write("policies.json",
                             json::serialize(json::object{{"capacity", capacity_policy(rhythm)},
                                                          {"probe", probe_policy(rhythm)}}));
    }

    /// The readings after each event, as `replay` prints them.
    [[nodiscard]] std::vector<json::value> replayed(bool with_policies = true) const {
        std::vector<std::string> command{std::getenv("OME_OBSERVER"), "replay", recording};
        if (with_policies) {
            command.insert(command.end(), {"--policy", policies()});
        }
        Process replay(command);
        EXPECT_EQ(replay.wait_for_exit(), 0) << replay.output();
        std::vector<json::value> lines;
        std::istringstream text(replay.output());
        for (std::string line; std::getline(text, line);) {
            lines.push_back(json::parse(line));
        }
        return lines;
    }

    /// The service with one home, `flapping`, whose probes fail from the first on.
    [[nodiscard]] json::object failing(const std::string& slash = "") const {
        homes.set("flapping", R"({"probe":{"status":503}})");
        return service(
            "chat",
            {"flapping"},
            [&](const std::string& cluster) { return homes.endpoint(cluster) + slash; },
            rhythm);
    }

    /// What the last probe came to, once there were so many failures in a row.
    [[nodiscard]] static json::value failed(const ObserverProcess& observer, int failures) {
        json::value reading;
        EXPECT_TRUE(eventually([&] {
            reading = observer.home("default/chat", "flapping");
            return member(reading, "/probe/consecutiveFailures") == std::to_string(failures) &&
                   !member(reading, "/capacity/lastAttemptTime").empty();
        })) << json::serialize(reading);
        return reading;
    }

    static void put(const ObserverProcess& observer, const json::object& declared) {
        EXPECT_EQ(
            observer.call("PUT", "/v1/services/default/chat", json::serialize(declared)).status,
            200);
    }

    void expect_replayed(const std::vector<json::value>& served) const {
        const std::vector<json::value> lines = replayed(false);
        for (const json::value& reading : served) {
            const auto same =
                std::find_if(lines.begin(), lines.end(), [&](const json::value& line) {
                    const json::value* shown = line.as_object().if_contains("reading");
                    return shown != nullptr && comparable(*shown) == comparable(reading);
                });
            EXPECT_NE(same, lines.end()) << json::serialize(reading);
        }
    }

    Homes homes;
    Scratch scratch;
    std::string recording = scratch.path("record");
};

TEST_F(Record, FollowsAServiceThatIsForgottenAndDeclaredAgain) {
    std::vector<json::value> served;
    {
        ObserverProcess observer("", {"--record", recording});
        put(observer, failing());
        served.push_back(failed(observer, 3));
        EXPECT_EQ(observer.call("DELETE", "/v1/services/default/chat").status, 204);
        put(observer, failing());
        served.push_back(failed(observer, 1));
        observer.process().signal(SIGTERM);
        EXPECT_EQ(observer.process().wait_for_exit(), 0);
    }
    EXPECT_EQ(member(served[0], "/probe/gated"), "true");
    EXPECT_EQ(member(served[1], "/probe/gated"), "false");
    expect_replayed(served);
}

TEST_F(Record, FollowsAChangedPolicyAndASuspensionAndKeepsTheSpelling) {
    std::vector<json::value> served;
    {
        ObserverProcess observer("", {"--record", recording});
        put(observer, failing("/"));
        served.push_back(failed(observer, 2));
        json::object declared = failing("/");
        declared["suspended"] = true;
        put(observer, declared);
        declared["suspended"] = false;
        declared["probe"].as_object()["failureThreshold"] = 1;
        put(observer, declared);
        served.push_back(failed(observer, 1));
        observer.process().signal(SIGTERM);
        EXPECT_EQ(observer.process().wait_for_exit(), 0);
    }
    EXPECT_EQ(member(served[0], "/probe/gated"), "false");
    EXPECT_EQ(member(served[1], "/probe/gated"), "true");
    EXPECT_TRUE(served[0].at("endpoint").as_string().ends_with("/"));
    expect_replayed(served);
}

TEST_F(Record, ReplaysToTheReadingsThatWereServed) {
    std::vector<json::value> served;
    {
        ObserverProcess observer(services(), {"--record", recording});
        EXPECT_TRUE(eventually([&] { return homes.count("/poll/requests") >= 15; }));
        EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") >= 15; }));
        for (const std::string& cluster : clusters) {
            served.push_back(observer.home("default/chat", cluster));
        }
        observer.process().signal(SIGTERM);
        EXPECT_EQ(observer.process().wait_for_exit(), 0);
    }
    const std::vector<json::value> lines = replayed();
    for (const json::value& reading : served) {
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const json::value& line) {
            return line.as_object().contains("home") && line.at("home") == reading.at("cluster") &&
                   times(line.at("reading")) == times(reading);
        });
        ASSERT_NE(same, lines.end()) << json::serialize(reading);
        EXPECT_EQ(comparable(same->at("reading")), comparable(reading));
        EXPECT_EQ(same->at("service"), "default/chat");
    }
}

TEST_F(Record, AFullDiskCostsLinesAndNoAttempt) {
    ObserverProcess observer(services(), {"--record", "/dev/full"});
    const auto lost = [&] {
        return observer.call("GET", "/metrics")
                   .body.find("ome_observer_recorded_attempts_total{result=\"lost\"} 0") ==
               std::string::npos;
    };
    EXPECT_TRUE(eventually([&] { return homes.count("/probe/requests") >= 15; }));
    EXPECT_TRUE(eventually(lost));
    EXPECT_TRUE(observer.process().wait_for_line("recording loses lines"));
    observer.process().signal(SIGTERM);
    EXPECT_EQ(observer.process().wait_for_exit(), 0);
    const std::string& log = observer.process().output();
    EXPECT_EQ(log.find("recording loses lines"), log.rfind("recording loses lines"));
}

TEST_F(Record, AFileThatCannotBeWrittenIsToldAtTheStart) {
    Process observer(
        {std::getenv("OME_OBSERVER"), "serve", "--listen", "127.0.0.1:0", "--record", "/no/such"});
    EXPECT_TRUE(observer.wait_for_line("--record \"/no/such\" must be a file"));
    EXPECT_EQ(observer.wait_for_exit(), 78);
}

}  // namespace
}  // namespace ome::test
