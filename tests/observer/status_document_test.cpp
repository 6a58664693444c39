#include "status_document.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

StatusFigures two_reactors() {
    StatusFigures figures;
    figures.version = "1.2.3";
    figures.uptime = 90s;
    figures.services = 3;
    figures.limits = {8, 16, 65536, 1s, 100};
    figures.busy_seconds = {0.5, 0.25};
    for (int i = 0; i < 2; ++i) {
        ShardStats shard;
        shard.fleet.homes = 5;
        shard.fleet.waiting = 4;
        shard.fleet.in_flight = 3;
        shard.fleet.gated = 1;
        shard.in_use = 3;
        shard.allowance = 8;
        shard.needed = 15.3;
        shard.attempts_per_second = 2.5;
        shard.recent_lateness.add(4200ms);
        figures.shards.push_back(shard);
    }
    return figures;
}

TEST(StatusDocument, AddsTheReactorsUp) {
    const json::object status = status_document(two_reactors());
    EXPECT_EQ(status.at("homes"), 10);
    EXPECT_EQ(status.at("gated"), 2);
    EXPECT_EQ(status.at("waiting"), 8);
    EXPECT_EQ(status.at("due"), 14) << "waiting and in flight";
    EXPECT_EQ(status.at("inFlight"), 6);
    EXPECT_EQ(status.at("budget").at("needed").to_number<double>(), 30.6);
    EXPECT_EQ(status.at("limits").at("minPeriod"), "1s");
    EXPECT_EQ(status.at("reactors").as_array().size(), 2U);
    EXPECT_NEAR(status.at("lateness").at("p50Seconds").to_number<double>(), 4.2, 0.15);
}

TEST(StatusDocument, AdvisesOnAShortBudget) {
    const json::array advice = status_document(two_reactors()).at("advice").as_array();
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_EQ(advice[0].as_string().find("16 slots, 31 needed: attempts are 4."), 0U)
        << advice[0].as_string();
}

TEST(StatusText, SaysTheSameInATableThatLinesUp) {
    const std::string text = status_text(two_reactors());
    EXPECT_NE(text.find("homes       10 (2 gated, 0 without a ceiling)\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("6 of 16 slots in use, 30.6 needed on average"), std::string::npos) << text;
    EXPECT_NE(text.find("advice      16 slots, 31 needed"), std::string::npos) << text;
    EXPECT_NE(text.find("\nREACTOR  SERVICES  HOMES  ALLOWANCE"), std::string::npos) << text;
    EXPECT_NE(text.find("\n1        0         5      8 "), std::string::npos) << text;
}

TEST(StatusText, HintsAtWhatLetsRefusedAddressesBeObserved) {
    StatusFigures figures = two_reactors();
    EXPECT_EQ(status_text(figures).find("hint"), std::string::npos);
    figures.shards[0].fleet.refused = 2;
    figures.shards[1].fleet.refused = 1;
    figures.shards[1].fleet.observations = 20;
    const std::string text = status_text(figures);
    EXPECT_NE(text.find("hint        \"address refused by policy\" (3 of 20 polls and probes): "
                        "endpoints on this machine are observed only with serve --allow-loopback"),
              std::string::npos)
        << text;
    EXPECT_EQ(status_document(figures).at("refused"), 3);
}

}  // namespace
}  // namespace ome::observer
