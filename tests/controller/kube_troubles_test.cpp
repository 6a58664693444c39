#include "kube_troubles.hpp"

#include "support/fake_clock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* lease = "/apis/coordination.k8s.io/v1/namespaces/o/leases/l";
constexpr const char* maps = "/apis/ome.io/v1beta1/trafficmaps?limit=500";
constexpr const char* watch_of_maps = "/apis/ome.io/v1beta1/trafficmaps?watch=true";
constexpr const char* services = "/apis/ome.io/v1beta1/inferenceservices?limit=500";
constexpr const char* map = "/apis/ome.io/v1beta1/namespaces/demo/trafficmaps/chat?fieldManager=m";
constexpr const char* events = "/api/v1/namespaces/demo/events";

class KubeTroublesTest : public testing::Test {
protected:
    void refuse(const char* method,
                const char* target,
                unsigned code,
                const std::string& words = "no") {
        kube::Failure failure{kube::Failure::Kind::Refused, fmt::format("{} {}", code, words)};
        failure.status.code = code;
        failure.status.message = words;
        troubles.heard(method, target, code, &failure, clock.now());
    }
    void answer(const char* method, const char* target) {
        troubles.heard(method, target, 200, nullptr, clock.now());
    }
    void lose(const char* method,
              const char* target,
              kube::Failure::Kind kind = kube::Failure::Kind::Unreachable) {
        troubles.unanswered(method, target, {kind, "nobody answers"}, clock.now());
    }
    [[nodiscard]] std::vector<std::string> told() {
        std::vector<std::string> texts;
        for (const StoreTrouble& one : troubles.all(clock.now().steady)) {
            texts.push_back(fmt::format("{}: {}", one.at, one.problem));
        }
        return texts;
    }

    test::FakeClock clock;
    KubeTroubles troubles;
};

TEST_F(KubeTroublesTest, WhatFailsStandsUntilItSucceeds) {
    refuse("PUT", lease, 500);
    const core::WallTime since{clock.now().wall.seconds, 0};
    clock.advance(2s);
    lose("PUT", lease);
    EXPECT_THAT(told(), ElementsAre("lease: nobody answers"));
    EXPECT_EQ(troubles.all(clock.now().steady).front().since, since) << "the first time";
    answer("GET", maps);
    EXPECT_THAT(told(), SizeIs(1)) << "something else has succeeded";
    answer("GET", lease);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(KubeTroublesTest, WhoIsLetInOnceIsLetIn) {
    refuse("PUT", lease, 401);
    refuse("GET", watch_of_maps, 401);
    refuse("PATCH", map, 401);
    lose("GET", services, kube::Failure::Kind::Login);
    EXPECT_THAT(
        told(),
        ElementsAre("lease: 401 no", "watch: nobody answers", "watch: 401 no", "write: 401 no"));
    answer("GET", lease);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(KubeTroublesTest, AWatchIsWellWhenItsCollectionIsRead) {
    refuse("GET", watch_of_maps, 500);
    answer("GET", services);
    EXPECT_THAT(told(), ElementsAre("watch: 500 no"));
    answer("GET", maps);
    EXPECT_THAT(told(), IsEmpty());
    refuse("GET", maps, 400, "unable to parse");
    EXPECT_THAT(told(), ElementsAre("watch: 400 unable to parse"));
}

TEST_F(KubeTroublesTest, WhatIsOfOneObjectOrOfARightIsToldElsewhere) {
    for (const unsigned code : {400U, 403U, 404U, 409U, 422U}) {
        refuse("PATCH", map, code);
    }
    refuse("GET", maps, 403, R"(User "a" cannot list resource "trafficmaps")");
    refuse("GET", watch_of_maps, 410);
    refuse("GET", maps, 404);
    refuse("GET", lease, 404);
    refuse("PUT", lease, 409);
    refuse("POST", events, 500);
    lose("GET", maps, kube::Failure::Kind::Stopped);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(KubeTroublesTest, AWriteThatTheServerLooksAtShowsThatItWritesAgain) {
    refuse("PATCH", map, 503);
    EXPECT_THAT(told(), ElementsAre("write: 503 no"));
    refuse("PATCH", map, 409);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(KubeTroublesTest, WhatNobodyTriesAnyMoreIsForgotten) {
    refuse("PATCH", map, 503);
    clock.advance(KubeTroubles::forgotten_after - 1s);
    EXPECT_THAT(told(), SizeIs(1));
    clock.advance(1s);
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(KubeTroublesTest, ALeadBeginsWithTheLeaseAlone) {
    refuse("PATCH", map, 503);
    refuse("PUT", lease, 503);
    troubles.lead_begins();
    EXPECT_THAT(told(), ElementsAre("lease: 503 no"));
}

TEST_F(KubeTroublesTest, ManyAreNotToldAtOnce) {
    for (std::size_t ns = 0; ns < KubeTroubles::most + 5; ++ns) {
        const std::string target =
            fmt::format("/apis/ome.io/v1beta1/namespaces/n{}/trafficmaps?limit=500", ns);
        refuse("GET", target.c_str(), 500);
    }
    EXPECT_THAT(told(), SizeIs(KubeTroubles::most));
}

}  // namespace
}  // namespace ome::controller
