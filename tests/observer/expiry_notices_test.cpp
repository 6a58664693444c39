#include "expiry_notices.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <tuple>
#include <vector>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

class ExpiryNoticesTest : public testing::Test {
protected:
    std::optional<std::size_t> note(const std::string& home, std::int64_t expiry) {
        return notices.note(home, expiry, now);
    }

    core::SteadyTime now{1h};
    ExpiryNotices notices{10s, 2};
    static constexpr std::optional<std::size_t> nothing = std::nullopt;
};

TEST_F(ExpiryNoticesTest, EveryHomesCertificateIsToldOnce) {
    EXPECT_EQ(note("a", 40), 0U);
    EXPECT_EQ(note("b", 200'000), 0U);
    now += 1h;
    EXPECT_EQ(note("a", 40), nothing);
    EXPECT_EQ(note("b", 200'000), nothing);
}

TEST_F(ExpiryNoticesTest, OfManyAFewAreToldInOneIntervalAndTheOthersLater) {
    std::vector<std::size_t> told;
    for (int interval = 0; interval < 3; ++interval) {
        std::size_t in_this = 0;
        for (int again = 0; again < 3; ++again) {  // attempts go on meanwhile
            for (const char* home : {"a", "b", "c", "d", "e"}) {
                in_this += note(home, 40) ? 1U : 0U;
            }
        }
        told.push_back(in_this);
        now += 10s;
    }
    EXPECT_EQ(told, (std::vector<std::size_t>{2, 2, 1}));
}

TEST_F(ExpiryNoticesTest, OthersAreTheHomesThatWait) {
    for (const char* home : {"a", "b", "c", "d", "e", "c", "e"}) {
        std::ignore = note(home, 40);
    }
    now += 10s;
    EXPECT_EQ(note("c", 40), 2U);
    EXPECT_EQ(note("d", 40), 1U);
    EXPECT_EQ(note("e", 40), nothing);
    now += 10s;
    EXPECT_EQ(note("e", 40), 0U);
}

TEST_F(ExpiryNoticesTest, AnotherCertificateIsToldAgain) {
    EXPECT_EQ(note("a", 40), 0U);
    EXPECT_EQ(note("a", 41), 0U);
    EXPECT_EQ(note("a", 40), nothing);
}

TEST_F(ExpiryNoticesTest, OneThatWasRenewedWaitsNoMoreAndIsNotToldAnew) {
    EXPECT_EQ(note("a", 40), 0U);
    EXPECT_EQ(note("b", 40), 0U);
    EXPECT_EQ(note("c", 40), nothing);
    EXPECT_EQ(note("d", 40), nothing);
    notices.note_renewed("a");
    notices.note_renewed("c");
    now += 10s;
    EXPECT_EQ(note("d", 40), 0U);
    EXPECT_EQ(note("a", 40), nothing);
}

TEST_F(ExpiryNoticesTest, OfAHomeThatIsGoneNothingStays) {
    for (const char* home : {"a", "b", "c"}) {
        std::ignore = note(home, 40);
        notices.forget(home);
        notices.forget(home);
        notices.note_renewed(home);
    }
    EXPECT_EQ(notices.homes(), 0U);
    now += 10s;
    EXPECT_EQ(note("a", 40), 0U);
}

TEST_F(ExpiryNoticesTest, WhatIsRememberedOfAHomeIsBounded) {
    for (std::int64_t expiry = 0; expiry < 6; ++expiry) {
        EXPECT_EQ(note("a", expiry), 0U);
        now += 10s;
    }
    EXPECT_EQ(note("a", 5), nothing);
    EXPECT_EQ(note("a", 0), 0U);
}

}  // namespace
}  // namespace ome::observer
