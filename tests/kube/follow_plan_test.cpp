#include <ome/kube/follow_plan.hpp>

#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;

constexpr BackoffSettings quick{.first = 100ms, .longest = 1s};

Failure broken() {
    return {Failure::Kind::Unreachable, "cannot reach it"};
}

Failure too_old() {
    Failure failure{Failure::Kind::Refused, "too old resource version"};
    failure.status.code = 410;
    return failure;
}

FollowPlan watching_from(const std::string& resource_version) {
    FollowPlan plan(quick);
    plan.listed(resource_version);
    return plan;
}

TEST(FollowPlan, ListsAndThenWatchesFromThere) {
    FollowPlan plan(quick);
    EXPECT_TRUE(plan.next().list());
    EXPECT_EQ(plan.next().pause, 0s);
    plan.listed("100");
    EXPECT_EQ(plan.next().watch_from, "100");
}

TEST(FollowPlan, GoesOnFromTheLastEventAfterABreak) {
    FollowPlan plan = watching_from("100");
    plan.heard("105");
    plan.failed(broken(), 1.0);
    EXPECT_EQ(plan.next().watch_from, "105");
    EXPECT_EQ(plan.next().pause, 100ms);
}

TEST(FollowPlan, ListsAtOnceAfterASilentWatch) {
    FollowPlan plan = watching_from("100");
    plan.heard("105");
    plan.silent();
    EXPECT_TRUE(plan.next().list());
    EXPECT_EQ(plan.next().pause, 0s);
}

TEST(FollowPlan, ListsAgainAtOnceWhenItsPlaceIsForgotten) {
    FollowPlan plan = watching_from("100");
    plan.heard("105");
    plan.failed(too_old(), 1.0);
    EXPECT_TRUE(plan.next().list());
    EXPECT_EQ(plan.next().pause, 0s);
}

TEST(FollowPlan, ListsWithPausesWhenEveryPlaceIsForgotten) {
    FollowPlan plan = watching_from("100");
    plan.failed(too_old(), 1.0);
    plan.listed("101");
    plan.failed(too_old(), 1.0);
    EXPECT_TRUE(plan.next().list());
    EXPECT_EQ(plan.next().pause, 200ms);
    plan.listed("102");
    plan.failed(too_old(), 1.0);
    EXPECT_EQ(plan.next().pause, 400ms);
}

TEST(FollowPlan, ListsAgainWhenAnEventCannotBeRead) {
    FollowPlan plan = watching_from("100");
    plan.failed({Failure::Kind::Unreadable, "not JSON"}, 1.0);
    EXPECT_TRUE(plan.next().list());
}

TEST(FollowPlan, ListsAgainAfterAPauseWhenItMayLookAgain) {
    for (const unsigned code : {403U, 404U}) {
        FollowPlan plan = watching_from("100");
        Failure refused{Failure::Kind::Refused, "not for you"};
        refused.status.code = code;
        plan.failed(refused, 1.0);
        EXPECT_TRUE(plan.next().list()) << "what comes back may be others";
        EXPECT_EQ(plan.next().pause, 100ms);
        plan.failed(refused, 1.0);
        EXPECT_EQ(plan.next().pause, 200ms);
    }
}

TEST(FollowPlan, KeepsWaitingLongerWhileTheServerIsAway) {
    FollowPlan plan = watching_from("100");
    for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
        plan.failed(broken(), 1.0);
        EXPECT_EQ(plan.next().pause, pause);
        EXPECT_EQ(plan.next().watch_from, "100");
    }
}

TEST(FollowPlan, DoesWhatAnOverloadedServerAsks) {
    FollowPlan plan = watching_from("100");
    Failure failure{Failure::Kind::Refused, "too many requests"};
    failure.status.code = 429;
    failure.retry_after = 7s;
    plan.failed(failure, 0.0);
    EXPECT_EQ(plan.next().pause, 7s);
    failure.status.code = 410;
    plan.failed(failure, 0.0);
    EXPECT_EQ(plan.next().pause, 7s) << "also when the place is forgotten";
}

TEST(FollowPlan, WatchesOnAtOnceAfterAProperEnd) {
    FollowPlan plan = watching_from("100");
    plan.ended(300s, 1.0);
    EXPECT_EQ(plan.next().watch_from, "100");
    EXPECT_EQ(plan.next().pause, 0s);
}

TEST(FollowPlan, TakesAWatchThatEndsAtOnceForAFailure) {
    FollowPlan plan = watching_from("100");
    plan.ended(1ms, 1.0);
    EXPECT_EQ(plan.next().pause, 100ms);
    plan.ended(1ms, 1.0);
    EXPECT_EQ(plan.next().pause, 200ms);
    plan.heard("101");
    plan.ended(1ms, 1.0);
    EXPECT_EQ(plan.next().pause, 0s) << "it told something";
}

TEST(FollowPlan, ForgetsItsFailuresAtTheFirstNews) {
    FollowPlan plan = watching_from("100");
    plan.failed(broken(), 1.0);
    plan.failed(broken(), 1.0);
    plan.heard("101");
    plan.failed(broken(), 1.0);
    EXPECT_EQ(plan.next().pause, 100ms);
}

TEST(FollowPlan, AnEventWithoutAPlaceKeepsTheLastOne) {
    FollowPlan plan = watching_from("100");
    plan.heard("");
    EXPECT_EQ(plan.next().watch_from, "100");
}

TEST(FollowPlan, WatchesLastFiveToTenMinutes) {
    EXPECT_EQ(watch_length(0.0), 300s);
    EXPECT_EQ(watch_length(0.5), 450s);
    EXPECT_EQ(watch_length(1.0), 600s);
}

}  // namespace
}  // namespace ome::kube
