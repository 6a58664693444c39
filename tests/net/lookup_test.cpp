#include "../../src/net/lookup.hpp"

#include <gtest/gtest.h>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

constexpr core::SteadyTime start{1h};

DnsAnswer found(std::chrono::seconds ttl) {
    return {.status = ARES_SUCCESS, .addresses = {core::IpAddress{}}, .ttl = ttl};
}

class LookupTest : public testing::Test {
protected:
    void ask() {
        ++lookup.families[0].started;
        ++lookup.families[1].started;
    }

    Lookup lookup{"a.test"};
};

TEST_F(LookupTest, AFamilyWithoutAddressesIsAsGoodAsTheOtherInEitherOrder) {
    for (const bool first : {false, true}) {
        ask();
        lookup.finish(first, found(20s), start);
        lookup.finish(!first, {.status = ARES_ENODATA}, start + 1s);
        EXPECT_EQ(lookup.families[!first].expires, start + 20s);
        ask();
        lookup.finish(!first, {.status = ARES_ENODATA}, start);
        lookup.finish(first, found(20s), start + 1s);
        EXPECT_EQ(lookup.families[!first].expires, start + 21s);
        lookup = Lookup("a.test");
    }
}

TEST_F(LookupTest, AnAnswerIsGoodForItsTtlButNotBeyondThirtySeconds) {
    ask();
    lookup.finish(false, found(20s), start);
    EXPECT_TRUE(lookup.good(start + 20s - 1ns));
    EXPECT_FALSE(lookup.good(start + 20s));
    ask();
    lookup.finish(false, found(1h), start);
    EXPECT_TRUE(lookup.good(start + 30s - 1ns));
    EXPECT_FALSE(lookup.good(start + 30s));
}

TEST_F(LookupTest, AFailureIsNotReused) {
    ask();
    lookup.finish(false, {.status = ARES_ETIMEOUT}, start);
    lookup.finish(true, {.status = ARES_ETIMEOUT}, start);
    EXPECT_EQ(lookup.families[0].expires, start);
    EXPECT_FALSE(lookup.good(start));
}

TEST_F(LookupTest, WaitsForBothUntilOneSettlesAndFiftyMillisecondsHavePassed) {
    ask();
    const JoinedLookup joined(lookup);
    EXPECT_EQ(joined.patience(Families::Early), core::SteadyTime::max());
    lookup.finish(true, {.status = ARES_ENODATA}, start);
    EXPECT_EQ(joined.patience(Families::Early), core::SteadyTime::max());
    lookup.finish(false, found(20s), start);
    EXPECT_EQ(joined.patience(Families::Early), start + 50ms);
    EXPECT_EQ(joined.patience(Families::Both), core::SteadyTime::max());
    EXPECT_TRUE(joined.complete());
}

TEST_F(LookupTest, AnAnswerFromBeforeItsQuestionDoesNotCount) {
    ask();
    lookup.finish(false, found(0s), start);
    lookup.finish(true, found(0s), start);
    ask();
    const JoinedLookup joined(lookup);
    EXPECT_FALSE(joined.complete());
    EXPECT_TRUE(joined.result().addresses.empty());
}

}  // namespace
}  // namespace ome::net
