#include "kube_publication.hpp"

#include "controller/fake_api.hpp"
#include "support/run.hpp"
#include <ome/net/clock.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/published_object_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

namespace json = boost::json;
using Outcome = StoreResult::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const core::ServiceKey source{"prod", "chat"};
const std::string route_path =
    "/apis/gateway.networking.k8s.io/v1/namespaces/prod/httproutes/chat-global";
const std::string map_target = "/apis/ome.io/v1beta1/namespaces/prod/trafficmaps/chat";

routing::PublishedObject route_with(std::int64_t weight) {
    routing::PublishedObject route;
    route.meta.key = {"prod", "chat-global"};
    route.meta.labels = routing::source_labels(source);
    route.spec = routing::HttpRouteSpec{
        .parents = {{"infra", "global"}},
        .hostnames = {"chat.example.com"},
        .backends = {{.service = "tmb-1", .ns = "prod", .port = 443, .weight = weight}}};
    return route;
}

class KubePublicationTest : public testing::Test {
protected:
    template <typename Request>
    PublicationResult carry_out(const Request& request) {
        return test::run(io, publication.carry_out(request));
    }
    // A decision on what is stored.
    PublicationResult write(const routing::PublishedObject& object) {
        ObjectWriteRequest request{source, {object}};
        request.write.uid = member(route_path, "/metadata/uid");
        request.write.resource_version = member(route_path, "/metadata/resourceVersion");
        return carry_out(request);
    }
    PublicationResult remove() {
        ObjectDeleteRequest request{source, {route_with(0).key(), "", ""}};
        request.remove.uid = member(route_path, "/metadata/uid");
        request.remove.resource_version = member(route_path, "/metadata/resourceVersion");
        return carry_out(request);
    }
    void put_route() { api.put(route_path, wire::written_object(route_with(1), nullptr)); }
    // Somebody else's doing.
    void edit(const std::string& path, std::string_view merge) {
        json::value object = api.get(path);
        wire::merge_patch(object, json::parse(merge));
        api.put(path, object);
    }
    std::string member(const std::string& path, std::string_view pointer) {
        const json::value object = api.get(path);
        boost::system::error_code error;
        const json::value* found = object.find_pointer(pointer, error);
        return found == nullptr     ? std::string()
               : found->is_string() ? std::string(found->get_string())
                                    : json::serialize(*found);
    }
    std::vector<std::string> methods() const {
        std::vector<std::string> all;
        for (const std::string& line : api.log()) {
            all.push_back(line.substr(0, line.find(' ')));
        }
        return all;
    }

    routing::TrafficMap put_map(std::vector<std::string> finalizers = {}) {
        routing::TrafficMap map;
        map.meta.key = source;
        map.meta.generation = 4;
        map.meta.finalizers = std::move(finalizers);
        map.spec.service = "chat";
        map.status.source_uid = "isvc";
        map.status.conditions = {
            {.type = "Routable", .status = "True", .reason = "Routable", .message = ""}};
        std::string text;
        wire::append_traffic_map_json(text, map);
        api.put(map_target, json::parse(text));
        return stored_map();
    }
    routing::TrafficMap stored_map() { return wire::read_traffic_map(api.get(map_target)).value(); }
    PublicationResult say(routing::Publication what) {
        const routing::TrafficMap map = stored_map();
        routing::PublicationPlan plan;
        plan.source = source;
        plan.route = route_with(0).key();
        return carry_out(MapStatusWrite{
            source,
            {map.meta.uid, map.meta.resource_version},
            routing::publication_status(map, what, &plan, core::WallTime{1'790'000'000, 0})});
    }

    test::FakeApi api;
    net::asio::io_context io{1};
    kube::Client client{io, api.access()};
    bool leads = true;
    KubeSender sender{
        io, client, [this] {
            return leads ? std::optional(net::read_clock().steady + std::chrono::minutes(1))
                         : std::nullopt;
        }};
    std::vector<std::string> stored;
    KubePublication publication{sender,
                                [this](const core::ServiceKey& key, const std::string& version) {
                                    stored.push_back(key.name + " " + version);
                                },
                                [this](const routing::ObjectKey& key, const std::string& version) {
                                    stored.push_back(key.name + " " + version);
                                }};
};

TEST_F(KubePublicationTest, ANewObjectIsMadeUnderOurName) {
    const PublicationResult made = carry_out(ObjectWriteRequest{source, {route_with(2)}});
    ASSERT_EQ(made.outcome, Outcome::Done) << made.problem.message;
    EXPECT_EQ(made.source, source);
    EXPECT_EQ(made.object, route_with(2).key());
    EXPECT_EQ(made.stored->spec, route_with(2).spec);
    EXPECT_FALSE(made.stored->meta.uid.empty());
    EXPECT_THAT(api.log(),
                ElementsAre("POST /apis/gateway.networking.k8s.io/v1/namespaces/prod/httproutes"
                            "?fieldManager=ome-trafficmap-publisher"));
    EXPECT_THAT(stored, ElementsAre("chat-global " + made.stored->meta.resource_version));
}

TEST_F(KubePublicationTest, OneThatIsThereAlreadyIsAConflict) {
    api.put(route_path, json::parse(R"({"metadata":{"namespace":"prod","name":"chat-global"},
        "spec":{"hostnames":["mine.example.com"]}})"));
    const json::value before = api.get(route_path);
    const PublicationResult made = carry_out(ObjectWriteRequest{source, {route_with(2)}});
    EXPECT_EQ(made.outcome, Outcome::Conflict);
    ASSERT_NE(made.stored, nullptr) << "so that the next decision knows of it";
    EXPECT_FALSE(routing::belongs_to(made.stored->meta, source));
    EXPECT_EQ(api.get(route_path), before);
}

TEST_F(KubePublicationTest, AnUpdateLeavesWhatOthersPutThere) {
    put_route();
    edit(route_path, R"({"metadata":{"annotations":{"note":"kept"}}})");
    edit(route_path, R"({"metadata":{"labels":{"team":"a"}}})");
    edit(route_path, R"({"metadata":{"finalizers":["hold"]}})");
    edit(route_path, R"({"spec":{"timeouts":{"request":"5s"}}})");
    edit(route_path, R"({"status":{"parents":[]}})");
    const PublicationResult done = write(route_with(7));
    ASSERT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_EQ(member(route_path, "/spec/rules/0/backendRefs/0/weight"), "7");
    EXPECT_EQ(member(route_path, "/metadata/annotations/note"), "kept");
    EXPECT_EQ(member(route_path, "/metadata/labels/team"), "a");
    EXPECT_EQ(member(route_path, "/metadata/finalizers/0"), "hold");
    EXPECT_EQ(member(route_path, "/status/parents"), "[]");
    EXPECT_EQ(member(route_path, "/spec/timeouts"), "") << "the spec is ours";
    EXPECT_TRUE(routing::satisfies(*done.stored, route_with(7)));
    EXPECT_THAT(methods(), ElementsAre("GET", "PUT"));
}

TEST_F(KubePublicationTest, ADecisionOnAnOldObjectWritesNothing) {
    put_route();
    ObjectWriteRequest request{source, {route_with(7)}};
    request.write.uid = member(route_path, "/metadata/uid");
    request.write.resource_version = "1";
    const PublicationResult old = carry_out(request);
    EXPECT_EQ(old.outcome, Outcome::Conflict);
    EXPECT_EQ(old.stored->spec, route_with(1).spec);
    request.write.uid = "another";
    request.write.resource_version = member(route_path, "/metadata/resourceVersion");
    EXPECT_EQ(carry_out(request).outcome, Outcome::Conflict);
    EXPECT_THAT(methods(), ElementsAre("GET", "GET"));
}

TEST_F(KubePublicationTest, SomebodyWhoComesInBetweenIsSeen) {
    put_route();
    api.before = [this](const std::string& line) {
        if (line.starts_with("PUT")) {
            api.before = {};
            edit(route_path, R"({"spec":{"hostnames":["theirs.example.com"]}})");
        }
    };
    const PublicationResult late = write(route_with(7));
    EXPECT_EQ(late.outcome, Outcome::Conflict);
    EXPECT_THAT(std::get<routing::HttpRouteSpec>(late.stored->spec).hostnames,
                ElementsAre("theirs.example.com"));
    EXPECT_EQ(member(route_path, "/spec/rules/0/backendRefs/0/weight"), "1");
}

TEST_F(KubePublicationTest, AnObjectThatIsNotOursIsNotWritten) {
    put_route();
    edit(route_path, R"({"metadata":{"labels":{"ome.io/managed-by":"somebody"}}})");
    EXPECT_EQ(write(route_with(7)).outcome, Outcome::Conflict);
    EXPECT_THAT(methods(), ElementsAre("GET"));
}

TEST_F(KubePublicationTest, OneThatIsGoneIsAConflict) {
    ObjectWriteRequest request{source, {route_with(7), "u", "7"}};
    const PublicationResult gone = carry_out(request);
    EXPECT_EQ(gone.outcome, Outcome::Conflict);
    EXPECT_EQ(gone.stored, nullptr);
}

TEST_F(KubePublicationTest, DeletesTheOneThatWasSeen) {
    put_route();
    ObjectDeleteRequest request{source, {route_with(1).key(), "another", "1"}};
    EXPECT_EQ(carry_out(request).outcome, Outcome::Conflict);
    EXPECT_FALSE(api.get(route_path).is_null());
    const PublicationResult done = remove();
    EXPECT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_EQ(done.stored, nullptr);
    EXPECT_TRUE(api.get(route_path).is_null());
    request.remove.resource_version = "2";
    EXPECT_EQ(carry_out(request).outcome, Outcome::Done) << "it is not there, as was asked for";
}

TEST_F(KubePublicationTest, WhatAFinalizerHoldsIsThereAndGoing) {
    put_route();
    edit(route_path, R"({"metadata":{"finalizers":["hold"]}})");
    const PublicationResult done = remove();
    EXPECT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    ASSERT_NE(done.stored, nullptr);
    EXPECT_TRUE(done.stored->terminating());
}

TEST_F(KubePublicationTest, NothingIsDeletedWithoutKnowingWhat) {
    put_route();
    const PublicationResult refused =
        carry_out(ObjectDeleteRequest{source, {route_with(1).key(), "", "7"}});
    EXPECT_EQ(refused.outcome, Outcome::Failed);
    EXPECT_EQ(refused.problem.message, "delete observed HTTPRoute prod/chat-global: UID is empty");
    EXPECT_THAT(api.log(), IsEmpty());
}

TEST_F(KubePublicationTest, OfAStatusOnlyOurPartIsWritten) {
    put_map();
    const PublicationResult done = say(routing::Publication::Published);
    ASSERT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_EQ(done.map->status.published, true);
    EXPECT_EQ(done.map->status.observed_traffic_map_generation, 4);
    EXPECT_EQ(done.map->status.source_uid, "isvc");
    EXPECT_EQ(done.map->status.conditions.size(), 3U) << "Routable is there as before";
    EXPECT_FALSE(done.object);
    EXPECT_THAT(api.log().back(),
                HasSubstr("/status?fieldManager=ome-trafficmap-publisher&force=true"));
    EXPECT_THAT(methods(), ElementsAre("GET", "PATCH"));
    EXPECT_THAT(stored, ElementsAre("chat " + done.map->meta.resource_version));
}

TEST_F(KubePublicationTest, NobodySeesPublishedWithoutItsCondition) {
    put_map();
    say(routing::Publication::Published);
    std::vector<std::string> seen;
    api.before = [&](const std::string&) {
        const routing::TrafficMap now = stored_map();
        seen.push_back((now.status.published.value_or(false) ? "published " : "withheld ") +
                       routing::find_condition(now.status, "Published")->status);
    };
    const PublicationResult done = say(routing::Publication::Withdrawn);
    api.before = {};
    ASSERT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_THAT(seen, ElementsAre("published True", "published True", "withheld False"));
    EXPECT_FALSE(done.map->status.gateway_ref);
    EXPECT_EQ(done.map->status.published, false);
    EXPECT_EQ(done.map->status.conditions.front().type, "Routable");
}

TEST_F(KubePublicationTest, TheJournalGoesWithTheLastStatus) {
    put_map();
    say(routing::Publication::Published);
    EXPECT_NE(member(map_target, "/status/publisher"), "");
    const PublicationResult done = say(routing::Publication::Removed);
    ASSERT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_FALSE(done.map->status.publisher);
    EXPECT_FALSE(done.map->status.gateway_ref);
}

// Whatever the watches have told: the server is asked.
TEST_F(KubePublicationTest, TheJournalStaysWhileAnythingIsLeft) {
    put_map();
    say(routing::Publication::Published);
    const std::string services = "/api/v1/namespaces/prod/services";
    api.put(services,
            {{"metadata", json::object()},
             {"items", {json::object{{"metadata", {{"name", "tmb-1"}}}}}}});
    const PublicationResult refused = say(routing::Publication::Removed);
    EXPECT_EQ(refused.outcome, Outcome::Failed);
    EXPECT_EQ(refused.problem.message, "global backend Service prod/tmb-1 is still there");
    EXPECT_NE(member(map_target, "/status/publisher"), "");
    EXPECT_THAT(
        api.log().back(),
        HasSubstr(services + "?limit=1&labelSelector=ome.io%2Fmanaged-by%3D"
                             "placement-endpoint%2Come.io%2Fplacement-endpoint-isvc%3Dchat"));
    api.put(services, {{"metadata", json::object()}, {"items", json::array()}});
    EXPECT_EQ(say(routing::Publication::Removed).outcome, Outcome::Done);
}

TEST_F(KubePublicationTest, AMapThatIsKnownIsNotLookedAtBefore) {
    const auto known = [this] { return std::make_shared<const routing::TrafficMap>(stored_map()); };
    put_map();
    const auto first = known();
    const Precondition state{first->meta.uid, first->meta.resource_version};
    EXPECT_EQ(carry_out(MapFinalizerWrite{source, state, true, first}).outcome, Outcome::Done);
    EXPECT_THAT(methods(), ElementsAre("PATCH"));
    const PublicationResult late =
        carry_out(MapStatusWrite{source, state, routing::PublicationStatus(), first});
    EXPECT_EQ(late.outcome, Outcome::Conflict) << "the server knows better";
    EXPECT_EQ(late.map->meta.resource_version, known()->meta.resource_version);
    EXPECT_THAT(methods(), ElementsAre("PATCH", "PATCH", "GET"));
}

TEST_F(KubePublicationTest, AStatusForAnOldMapIsAConflict) {
    routing::TrafficMap map = put_map();
    const PublicationResult old =
        carry_out(MapStatusWrite{source, {map.meta.uid, "1"}, routing::PublicationStatus()});
    EXPECT_EQ(old.outcome, Outcome::Conflict);
    EXPECT_EQ(old.map->meta.resource_version, map.meta.resource_version);
    api.before = [this](const std::string& line) {
        if (line.starts_with("PATCH")) {
            api.before = {};
            edit(map_target, R"({"spec":{"mode":"All"}})");
        }
    };
    const PublicationResult late = say(routing::Publication::Published);
    EXPECT_EQ(late.outcome, Outcome::Conflict);
    EXPECT_EQ(late.map->spec.mode, "All");
    EXPECT_FALSE(late.map->status.published);
}

TEST_F(KubePublicationTest, TheFinalizerComesAndGoesAmongOthers) {
    routing::TrafficMap map = put_map({"theirs"});
    const auto state = [&map] { return Precondition{map.meta.uid, map.meta.resource_version}; };
    PublicationResult done = carry_out(MapFinalizerWrite{source, state(), true});
    ASSERT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_THAT(done.map->meta.finalizers, ElementsAre("theirs", "ome.io/trafficmap-publisher"));
    EXPECT_EQ(carry_out(MapFinalizerWrite{source, state(), false}).outcome, Outcome::Conflict);
    map = stored_map();
    done = carry_out(MapFinalizerWrite{source, state(), false});
    EXPECT_THAT(done.map->meta.finalizers, ElementsAre("theirs"));
    EXPECT_THAT(api.log().back(), Not(HasSubstr("/status")));
}

TEST_F(KubePublicationTest, AMapThatWasToGoGoesWithOurFinalizer) {
    put_map({"ome.io/trafficmap-publisher"});
    edit(map_target, R"({"metadata":{"deletionTimestamp":"2026-11-30T00:00:00Z"}})");
    const routing::TrafficMap map = stored_map();
    const PublicationResult done =
        carry_out(MapFinalizerWrite{source, {map.meta.uid, map.meta.resource_version}, false});
    EXPECT_EQ(done.outcome, Outcome::Done) << done.problem.message;
    EXPECT_EQ(done.map, nullptr);
    EXPECT_TRUE(api.get(map_target).is_null());
}

TEST_F(KubePublicationTest, WithoutALeadNothingIsAskedFor) {
    leads = false;
    const PublicationResult refused = carry_out(ObjectWriteRequest{source, {route_with(1)}});
    EXPECT_EQ(refused.outcome, Outcome::Failed);
    EXPECT_THAT(refused.problem.message, HasSubstr("does not lead"));
    EXPECT_EQ(carry_out(MapFinalizerWrite{source, {"u", "1"}, true}).outcome, Outcome::Failed);
    EXPECT_THAT(api.log(), IsEmpty());
}

}  // namespace
}  // namespace ome::controller
