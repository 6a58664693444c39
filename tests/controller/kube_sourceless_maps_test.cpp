#include "kube_sourceless_maps.hpp"

#include "controller/fake_api.hpp"
#include "support/run.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const core::ServiceKey key{"prod", "chat"};
const std::string path = "/apis/ome.io/v1beta1/namespaces/prod/inferenceservices/chat";

class KubeSourcelessMapsTest : public testing::Test {
protected:
    ~KubeSourcelessMapsTest() override {
        test::run(io, maps.stop());
        client.stop();
    }
    static news::MapIs map(bool controlled) {
        routing::TrafficMap made;
        made.meta.key = key;
        made.meta.uid = "map";
        made.meta.resource_version = "7";
        made.spec.service = key.name;
        made.status.source_uid = "gone";
        if (controlled) {
            made.meta.owner_references.push_back({.api_version = std::string(routing::api_version),
                                                  .kind = "InferenceService",
                                                  .name = key.name,
                                                  .uid = "gone",
                                                  .controller = true});
        }
        return {std::make_shared<const routing::TrafficMap>(made)};
    }
    // Until the answer has come and was acted on.
    void settle() {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!answered && std::chrono::steady_clock::now() < end) {
            pass(10ms);
        }
        pass(50ms);
    }
    void pass(std::chrono::milliseconds time) {
        io.restart();
        io.run_for(time);
    }

    test::FakeApi api;
    net::asio::io_context io{1};
    bool answered = false;
    kube::ClientSettings settings() {
        kube::ClientSettings made;
        made.answered =
            [this](const std::string&, const std::string&, unsigned, const kube::Failure*) {
                answered = true;
            };
        return made;
    }
    kube::Client client{io, api.access(), settings()};
    bool known = false;
    std::vector<core::ServiceKey> gone;
    KubeSourcelessMaps maps{{io,
                             client,
                             [this](const core::ServiceKey&) { return known; },
                             [this](const core::ServiceKey& one) { gone.push_back(one); }}};
};

TEST_F(KubeSourcelessMapsTest, AServiceThatWentBeforeIsToldOnceTheListsAreThere) {
    maps.hear(map(false));
    pass(50ms);
    EXPECT_THAT(api.log(), IsEmpty()) << "its service may be in the list that is still to come";
    maps.listed();
    settle();
    EXPECT_THAT(gone, ElementsAre(key));
    EXPECT_THAT(api.log(), ElementsAre("GET " + path));
}

TEST_F(KubeSourcelessMapsTest, AMapThatLosesItsControllerLaterIsLookedAtThen) {
    maps.hear(map(true));
    maps.listed();
    pass(50ms);
    EXPECT_THAT(api.log(), IsEmpty());
    maps.hear(map(false));
    settle();
    EXPECT_THAT(gone, ElementsAre(key));
}

TEST_F(KubeSourcelessMapsTest, AServiceThatTheWatchLeavesOutIsNotGone) {
    api.put(path, {{"metadata", {{"name", "chat"}}}});
    maps.hear(map(false));
    maps.listed();
    settle();
    pass(50ms);
    EXPECT_THAT(api.log(), ElementsAre("GET " + path));
    EXPECT_THAT(gone, IsEmpty());
}

TEST_F(KubeSourcelessMapsTest, AKnownServiceIsNotAskedFor) {
    known = true;
    maps.hear(map(false));
    maps.listed();
    pass(50ms);
    EXPECT_THAT(api.log(), IsEmpty());
}

}  // namespace
}  // namespace ome::controller
