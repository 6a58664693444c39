#include "store_teller.hpp"

#include <ome/net/reactor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ome::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

news::ServiceGone gone(const std::string& name) {
    return {{"demo", name}};
}

// What was told, in short: each call with all that came with it.
struct Heard {
    Store::Listener listener() {
        return {[this](const std::vector<StoreNews>& all) {
                    std::string names;
                    for (const StoreNews& one : all) {
                        names += " " + std::get<news::ServiceGone>(one).key.name;
                    }
                    told.push_back("news" + names);
                },
                [this](const std::vector<StoreResult>& all) {
                    told.push_back("result " + all.at(0).key.name);
                },
                [this](const std::vector<PublicationResult>& all) {
                    told.push_back("published " + all.at(0).source.name);
                },
                [this](bool leading) { told.emplace_back(leading ? "leads" : "leads not"); },
                [this](const StoreState& now) {
                    told.push_back("state " +
                                   (now.troubles.empty() ? "" : now.troubles.front().problem));
                }};
    }
    std::vector<std::string> told;
};

// Both threads are the test's: each takes its turn when it is told to.
class StoreTellerTest : public testing::Test {
protected:
    StoreTellerTest() { teller.start(heard.listener()); }

    void turn_of_store() {
        own.restart();
        own.poll();
    }
    std::vector<std::string> turn_of_user() {
        user.restart();
        user.poll();
        return std::exchange(heard.told, {});
    }
    std::vector<std::string> turn_of_both() {
        turn_of_store();
        return turn_of_user();
    }

    net::asio::io_context own{1};
    net::asio::io_context user{1};
    Heard heard;
    StoreTeller teller{own, user};
};

TEST_F(StoreTellerTest, WhatComesInOneTurnIsToldTogether) {
    teller.tell(gone("a"));
    teller.tell(gone("b"));
    EXPECT_THAT(turn_of_user(), IsEmpty()) << "there may be more of it";
    EXPECT_THAT(turn_of_both(), ElementsAre("news a b"));
    teller.tell(gone("c"));
    EXPECT_THAT(turn_of_both(), ElementsAre("news c"));
}

TEST_F(StoreTellerTest, WhatWasGatheredWhenALeadEndsIsDropped) {
    teller.tell_lead(true, 1);
    teller.tell(gone("a"));
    teller.tell_lead(false, 1);
    EXPECT_THAT(turn_of_both(), ElementsAre("leads", "leads not"));
    teller.tell_lead(true, 2);
    teller.tell(gone("b"));
    EXPECT_THAT(turn_of_both(), ElementsAre("leads", "news b"));
}

TEST_F(StoreTellerTest, TheUserKnowsOfALeadWhenItHasHeardOfIt) {
    teller.tell_lead(true, 7);
    turn_of_store();
    EXPECT_EQ(teller.lead(), 0U);
    turn_of_user();
    EXPECT_EQ(teller.lead(), 7U);
}

TEST_F(StoreTellerTest, ResultsAreToldOneByOne) {
    teller.tell(StoreResult{.key = {"demo", "a"}});
    teller.tell(StoreResult{.key = {"demo", "b"}});
    teller.tell(PublicationResult{.source = {"demo", "a"}});
    EXPECT_THAT(turn_of_user(), ElementsAre("result a", "result b", "published a"));
}

TEST_F(StoreTellerTest, AStateIsToldWhenItIsAnother) {
    teller.tell(StoreState{});
    EXPECT_THAT(turn_of_user(), IsEmpty());
    teller.tell(StoreState{.troubles = {{"watch", "no CRDs", {}}}});
    teller.tell(StoreState{.troubles = {{"watch", "no CRDs", {}}}});
    teller.tell(StoreState{});
    EXPECT_THAT(turn_of_user(), ElementsAre("state no CRDs", "state "));
}

TEST_F(StoreTellerTest, AfterTheEndNothingIsTold) {
    teller.tell_lead(true, 1);
    teller.tell(gone("a"));
    teller.tell(StoreResult{.key = {"demo", "a"}});
    teller.tell(PublicationResult{.source = {"demo", "a"}});
    teller.tell(StoreState{.troubles = {{"watch", "no CRDs", {}}}});
    turn_of_store();
    teller.stop();
    EXPECT_THAT(turn_of_user(), IsEmpty());
}

// As a store does it; for the thread sanitizer.
TEST(StoreTeller, PassesEverythingOnBetweenTwoThreads) {
    constexpr int count = 1000;
    net::asio::io_context user{1};
    net::Reactor store("store");
    StoreTeller teller(store.io(), user);
    int news = 0;
    int results = 0;
    std::vector<bool> leads;
    teller.start({[&](const std::vector<StoreNews>& all) { news += static_cast<int>(all.size()); },
                  [&](const std::vector<StoreResult>&) { ++results; },
                  {},
                  [&](bool leading) { leads.push_back(leading); },
                  {}});
    store.post([&] { teller.tell_lead(true, 1); });
    for (int i = 0; i < count; ++i) {
        store.post([&] {
            teller.tell(gone("a"));
            teller.tell(StoreResult{});
            teller.tell(StoreState{});
        });
    }
    store.start();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((teller.lead() == 0 || news < count || results < count) &&
           std::chrono::steady_clock::now() < until) {
        user.restart();
        user.run_one_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(news, count);
    EXPECT_EQ(results, count);
    EXPECT_THAT(leads, ElementsAre(true));
    EXPECT_EQ(teller.lead(), 1U);

    store.post([&] {
        teller.tell(gone("b"));
        teller.tell_lead(false, 1);
        store.stop();
    });
    store.join();
    teller.stop();
    user.restart();
    user.poll();
    EXPECT_EQ(news, count);
    EXPECT_THAT(leads, ElementsAre(true));
}

}  // namespace
}  // namespace ome::controller
