#include <ome/kube/election.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using Move = Election::Move;
using testing::HasSubstr;

constexpr core::SteadyTime start{1000s};
constexpr core::WallTime wall{1'790'000'000, 123'456'789};

ElectionSettings us() {
    return {.identity = "us"};
}

LeaseRecord held_by(const std::string& holder, const std::string& version) {
    return {holder, 15, "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z", 3, version};
}

TEST(Election, CreatesALeaseThatIsNotThere) {
    Election election(us());
    election.observed(std::nullopt, start);
    EXPECT_EQ(election.next(start), Move::Create);
    const LeaseRecord wanted = election.wanted(wall);
    EXPECT_EQ(wanted.holder, "us");
    EXPECT_EQ(wanted.duration_seconds, 15);
    EXPECT_EQ(wanted.renew_time, "2026-09-21T14:13:20.123456Z");
    EXPECT_EQ(wanted.acquire_time, wanted.renew_time);
    EXPECT_EQ(wanted.transitions, 0);
    EXPECT_EQ(wanted.resource_version, "");
}

TEST(Election, WaitsUntilItHasNotSeenALeaseChangeForAsLongAsItLasts) {
    Election election(us());
    election.observed(held_by("them", "1"), start);
    EXPECT_EQ(election.next(start + 15s - 1ns), Move::Wait);
    EXPECT_EQ(election.next(start + 15s), Move::Take);
    election.observed(held_by("them", "2"), start + 14s);
    EXPECT_EQ(election.next(start + 29s - 1ns), Move::Wait);
    EXPECT_EQ(election.next(start + 29s), Move::Take);
}

TEST(Election, SeeingTheSameAgainIsNoChange) {
    Election election(us());
    election.observed(held_by("them", "1"), start);
    election.observed(held_by("them", "1"), start + 14s);
    EXPECT_EQ(election.next(start + 15s), Move::Take);
}

TEST(Election, BelievesNoClockButItsOwn) {
    Election election(us());
    LeaseRecord theirs = held_by("them", "1");
    theirs.renew_time = "2001-01-01T00:00:00.000000Z";
    election.observed(theirs, start);
    EXPECT_EQ(election.next(start), Move::Wait) << "their clock may be years behind";
}

TEST(Election, TakesAReleasedLeaseAtOnce) {
    Election election(us());
    election.observed(held_by("", "7"), start);
    EXPECT_EQ(election.next(start), Move::Take);
    const LeaseRecord wanted = election.wanted(wall);
    EXPECT_EQ(wanted.transitions, 4);
    EXPECT_EQ(wanted.resource_version, "7") << "whoever is faster makes it a conflict";
}

TEST(Election, LeadsForItsDeadlineFromWhenItAsked) {
    Election election(us());
    election.observed(held_by("", "7"), start);
    EXPECT_FALSE(election.leading(start));
    election.written(held_by("us", "8"), start);
    EXPECT_TRUE(election.leading(start + 10s - 1ns));
    EXPECT_FALSE(election.leading(start + 10s)) << "five seconds before anybody else may begin";
    EXPECT_EQ(election.leads_until(), start + 10s);
    EXPECT_EQ(election.next(start + 2s), Move::Renew);
    EXPECT_EQ(election.wanted(wall).transitions, 3);
    EXPECT_EQ(election.wanted(wall).acquire_time, "2026-01-01T00:00:00.000000Z");
    election.written(held_by("us", "9"), start + 2s);
    EXPECT_EQ(election.leads_until(), start + 12s);
}

TEST(Election, LeadsNoMoreWhenSomebodyElseHasIt) {
    Election election(us());
    election.written(held_by("us", "8"), start);
    election.observed(held_by("them", "9"), start + 1s);
    EXPECT_FALSE(election.leading(start + 1s));
    EXPECT_EQ(election.next(start + 1s), Move::Wait);
}

TEST(Election, ALeaseOfOursIsNoLeadUntilItIsRenewed) {
    Election election(us());
    election.observed(held_by("us", "8"), start);
    EXPECT_FALSE(election.leading(start)) << "it may be from a life before";
    EXPECT_EQ(election.next(start), Move::Renew);
}

TEST(Election, AWriteOfOursThatLandedUnseenKeepsTheLead) {
    Election election(us());
    election.written(held_by("us", "8"), start);
    election.observed(held_by("us", "9"), start + 3s);
    EXPECT_TRUE(election.leading(start + 3s));
    EXPECT_EQ(election.leads_until(), start + 10s) << "and makes it no longer";
}

TEST(Election, ReleasesWhatOthersMayTakeAtOnce) {
    Election election(us());
    election.written(held_by("us", "8"), start);
    const LeaseRecord released = election.released(wall);
    EXPECT_EQ(released.holder, "");
    EXPECT_EQ(released.duration_seconds, 1);
    EXPECT_EQ(released.resource_version, "8");
    election.gave_up();
    EXPECT_FALSE(election.leading(start));
}

TEST(Election, ALeaseThatSaysNothingLastsAsLongAsOurs) {
    Election election(us());
    LeaseRecord theirs = held_by("them", "1");
    theirs.duration_seconds = 0;
    election.observed(theirs, start);
    EXPECT_EQ(election.next(start + 15s - 1ns), Move::Wait);
    EXPECT_EQ(election.next(start + 15s), Move::Take);
}

TEST(Election, ItsSettingsMustFitTogether) {
    EXPECT_FALSE(check(us()));
    ElectionSettings long_deadline = us();
    long_deadline.renew_deadline = 15s;
    EXPECT_EQ(check(long_deadline)->message,
              "renew-deadline (15s) must be shorter than lease-duration (15s)");
    ElectionSettings long_retry = us();
    long_retry.retry_period = 10s;
    EXPECT_THAT(check(long_retry)->message, HasSubstr("retry-period (10s)"));
    ElectionSettings no_retry = us();
    no_retry.retry_period = 0s;
    EXPECT_TRUE(check(no_retry));
}

TEST(Lease, IsReadAsItWasWritten) {
    const LeaseRecord record = held_by("us", "5");
    const auto read = read_lease(boost::json::parse(lease_text("ns", "lock", record)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, record);
}

TEST(Lease, MayBeEmptyButNotAnythingElse) {
    const auto empty = read_lease(boost::json::parse(
        R"({"metadata":{"resourceVersion":"1"},"spec":{"holderIdentity":null,"leaseDurationSeconds":"x"}})"));
    ASSERT_TRUE(empty);
    EXPECT_EQ(empty->holder, "");
    EXPECT_EQ(empty->duration_seconds, 0);
    EXPECT_FALSE(read_lease(boost::json::parse("{}")));
    EXPECT_FALSE(read_lease(boost::json::parse("5")));
}

}  // namespace
}  // namespace ome::kube
