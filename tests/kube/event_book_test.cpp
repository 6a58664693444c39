#include <ome/kube/event_book.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;

core::Now at(core::Duration after) {
    return {core::SteadyTime(1000s) + after, core::WallTime{1'790'000'000, 0} + after};
}

EventNote frozen(const std::string& name = "chat", const std::string& message = "bad policy") {
    return {inference_services, "demo", name, "uid-1", true, "RoutingFrozen", message};
}

EventBook book() {
    return EventBook({.component = "ome-trafficmap", .instance = "pod-1"});
}

TEST(EventBook, WritesWhatHappenedToWhom) {
    EventBook events = book();
    const auto write = events.admit(frozen(), at(0s));
    ASSERT_TRUE(write);
    EXPECT_TRUE(write->create);
    EXPECT_EQ(write->ns, "demo");
    const auto event = boost::json::parse(write->body);
    EXPECT_EQ(event.at_pointer("/metadata/name").as_string(), write->name);
    EXPECT_EQ(event.at_pointer("/involvedObject/kind").as_string(), "InferenceService");
    EXPECT_EQ(event.at_pointer("/involvedObject/apiVersion").as_string(), "ome.io/v1beta1");
    EXPECT_EQ(event.at_pointer("/involvedObject/uid").as_string(), "uid-1");
    EXPECT_EQ(event.at("type").as_string(), "Warning");
    EXPECT_EQ(event.at("message").as_string(), "bad policy");
    EXPECT_EQ(event.at("firstTimestamp").as_string(), "2026-09-21T14:13:20.000Z");
    EXPECT_EQ(event.at("count").as_int64(), 1);
}

TEST(EventBook, CountsTheSameUp) {
    EventBook events = book();
    const auto first = events.admit(frozen(), at(0s));
    const auto second = events.admit(frozen(), at(60s));
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(second->create);
    EXPECT_EQ(second->name, first->name);
    EXPECT_EQ(second->body, R"({"count":2,"lastTimestamp":"2026-09-21T14:14:20.000Z"})");
}

TEST(EventBook, BeginsAnewAfterAWhile) {
    EventBook events = book();
    const auto first = events.admit(frozen(), at(0s));
    EXPECT_FALSE(events.admit(frozen(), at(10min - 1ns))->create);
    const auto later = events.admit(frozen(), at(20min));
    EXPECT_TRUE(later->create);
    EXPECT_NE(later->name, first->name);
}

TEST(EventBook, AnotherMessageIsAnotherEvent) {
    EventBook events = book();
    EXPECT_TRUE(events.admit(frozen("chat", "a"), at(0s))->create);
    EXPECT_TRUE(events.admit(frozen("chat", "b"), at(0s))->create);
    EXPECT_TRUE(events.admit(frozen("other", "a"), at(0s))->create);
}

TEST(EventBook, OneObjectHasNoMoreThanItsShare) {
    EventBook events = book();
    for (int i = 0; i < 25; ++i) {
        EXPECT_TRUE(events.admit(frozen("chat", std::to_string(i)), at(0s))) << i;
    }
    EXPECT_FALSE(events.admit(frozen("chat", "one more"), at(0s)));
    EXPECT_EQ(events.dropped(), 1U);
    EXPECT_TRUE(events.admit(frozen("other"), at(0s))) << "others have theirs";
    EXPECT_FALSE(events.admit(frozen("chat", "one more"), at(5min - 1s)));
    EXPECT_TRUE(events.admit(frozen("chat", "one more"), at(5min + 1s)));
}

TEST(EventBook, KnowsNoMoreThanItMay) {
    EventBook events(EventBookSettings{.component = "c", .instance = "i", .most_known = 10});
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(events.admit(frozen(fmt::format("s{}", i)), at(std::chrono::seconds(i))));
    }
    EXPECT_FALSE(events.admit(frozen("s99"), at(100s))->create);
    EXPECT_TRUE(events.admit(frozen("s0"), at(100s))->create) << "the longest unused is forgotten";
}

TEST(EventBook, WritesAnewWhatWasLost) {
    EventBook events = book();
    static_cast<void>(events.admit(frozen(), at(0s)));
    events.lost(frozen());
    EXPECT_TRUE(events.admit(frozen(), at(1s))->create);
}

TEST(EventBook, CutsLongMessagesAndCleansThem) {
    EventBook events = book();
    const auto write = events.admit(frozen("chat", std::string(5000, 'x') + "\x1b[31m"), at(0s));
    EXPECT_LE(boost::json::parse(write->body).at("message").as_string().size(), 1024U);
}

}  // namespace
}  // namespace ome::kube
