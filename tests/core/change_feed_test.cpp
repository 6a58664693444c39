#include <ome/core/change_feed.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ome::core {
namespace {

const ServiceKey chat{"prod", "chat"};
const ServiceKey code{"prod", "code"};

std::vector<FeedItem> all_after(const ChangeFeed& feed, std::uint64_t revision) {
    return feed.after(revision, 1000);
}

TEST(ChangeFeed, TellsChangesInOrderAfterARevision) {
    ChangeFeed feed(10);
    EXPECT_EQ(feed.service_changed(chat), 1U);
    EXPECT_EQ(feed.home_changed(chat, "a"), 2U);
    EXPECT_EQ(feed.home_changed(chat, "b"), 3U);
    const std::vector<FeedItem> expected{{2, chat, "a", false}, {3, chat, "b", false}};
    EXPECT_EQ(all_after(feed, 1), expected);
    EXPECT_EQ(feed.after(0, 2).size(), 2U);
    EXPECT_TRUE(all_after(feed, 3).empty());
}

TEST(ChangeFeed, AHomeThatChangesAgainStandsAtItsNewestChangeOnly) {
    ChangeFeed feed(10);
    feed.service_changed(chat);
    for (int i = 0; i < 1000; ++i) {
        feed.home_changed(chat, "a");
        feed.home_changed(chat, "b");
    }
    EXPECT_EQ(feed.size(), 3U) << "its size follows the homes, not the changes";
    EXPECT_EQ(all_after(feed, 1).size(), 2U);
    EXPECT_EQ(feed.revision(), 2001U);
}

TEST(ChangeFeed, AForgottenHomeIsToldUntilItIsBack) {
    ChangeFeed feed(10);
    feed.home_changed(chat, "a");
    feed.home_forgotten(chat, "a");
    const std::vector<FeedItem> gone{{2, chat, "a", true}};
    EXPECT_EQ(all_after(feed, 0), gone);
    feed.home_changed(chat, "a");
    const std::vector<FeedItem> back{{3, chat, "a", false}};
    EXPECT_EQ(all_after(feed, 0), back);
}

TEST(ChangeFeed, AForgottenServiceTakesItsHomesAlongAndIsToldEvenWhenItIsBack) {
    ChangeFeed feed(10);
    feed.service_changed(chat);
    feed.home_changed(chat, "a");
    feed.home_changed(chat, "b");
    feed.home_forgotten(chat, "b");
    feed.service_changed(code);
    EXPECT_EQ(feed.service_forgotten(chat), 6U);
    feed.service_changed(chat);
    feed.home_changed(chat, "c");
    const std::vector<FeedItem> expected{
        {5, code, "", false}, {6, chat, "", true}, {7, chat, "", false}, {8, chat, "c", false}};
    EXPECT_EQ(all_after(feed, 0), expected) << "a reader that still has home a must drop it";
}

TEST(ChangeFeed, WhatWasNeverKnownIsNotToldAsForgotten) {
    ChangeFeed feed(10);
    EXPECT_EQ(feed.service_forgotten(chat), 0U);
    EXPECT_EQ(feed.home_forgotten(chat, "a"), 0U);
    feed.service_changed(chat);
    feed.service_forgotten(chat);
    EXPECT_EQ(feed.service_forgotten(chat), 2U);
    EXPECT_EQ(feed.size(), 1U);
}

TEST(ChangeFeed, WhoIsBehindTheOldestKeptTraceMustListAgain) {
    ChangeFeed feed(2);
    for (const char* name : {"a", "b", "c"}) {
        feed.home_changed(chat, name);  // 1, 2, 3
    }
    EXPECT_TRUE(feed.reaches(0));
    for (const char* name : {"a", "b", "c"}) {
        feed.home_forgotten(chat, name);  // 4, 5, 6
    }
    EXPECT_FALSE(feed.reaches(3)) << "it never heard that a is gone, and never would";
    EXPECT_TRUE(feed.reaches(4));
    EXPECT_TRUE(feed.reaches(6));
    EXPECT_FALSE(feed.reaches(7)) << "a revision that has not been";
    EXPECT_EQ(feed.size(), 2U);
}

TEST(ChangeFeed, ClearedItReachesNobody) {
    ChangeFeed feed(10);
    feed.home_changed(chat, "a");
    feed.clear();
    EXPECT_EQ(feed.size(), 0U);
    EXPECT_FALSE(feed.reaches(1));
    EXPECT_TRUE(feed.reaches(2));
}

// A reader at any pace ends up with what is there.
TEST(ChangeFeed, AReaderAtAnyPaceEndsUpWithWhatIsThere) {
    std::mt19937 random(7);
    ChangeFeed feed(100000);
    std::map<ServiceKey, std::set<std::string>> truth;
    std::map<ServiceKey, std::set<std::string>> heard;
    std::uint64_t at = 0;
    const auto read = [&](std::size_t limit) {
        for (const FeedItem& item : feed.after(at, limit)) {
            at = item.revision;
            if (item.cluster.empty()) {
                item.forgotten ? void(heard.erase(item.service)) : void(heard[item.service]);
            } else if (item.forgotten) {
                heard[item.service].erase(item.cluster);
            } else {
                heard[item.service].insert(item.cluster);
            }
        }
    };
    for (int step = 0; step < 20000; ++step) {
        const ServiceKey service{"ns", std::to_string(random() % 5)};
        const std::string cluster = std::to_string(random() % 7);
        const bool known = truth.contains(service);
        switch (known ? random() % 5 : 4) {
            case 0:
                feed.service_forgotten(service);
                truth.erase(service);
                break;
            case 1:
                feed.home_forgotten(service, cluster);
                truth[service].erase(cluster);
                break;
            case 4:
                feed.service_changed(service);
                truth[service];
                break;
            default:
                feed.home_changed(service, cluster);
                truth[service].insert(cluster);
        }
        if (random() % 10 == 0) {
            read(random() % 4);
        }
    }
    read(1000000);
    EXPECT_EQ(heard, truth);
}

}  // namespace
}  // namespace ome::core
