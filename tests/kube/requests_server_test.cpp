// What a client relies on, against a real API server: conditions of writes, field managers, typed
// refusals, rights.
#include "kube/servers.hpp"
#include "support/run.hpp"
#include <ome/kube/client.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class RequestsTest : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            client = std::make_unique<kube::Client>(io, kube_servers().access());
            ns = make_namespace();
        }
    }

    [[nodiscard]] std::string path(const std::string& name, const char* sub = "") const {
        return object_path(kube::traffic_maps, ns, name, sub);
    }

    kube::Outcome<json::value> create(const std::string& name) {
        return run(io,
                   client->create(collection_path(kube::traffic_maps, ns),
                                  json::serialize(map(name, "Split")),
                                  "test"));
    }

    [[nodiscard]] static json::object map(const std::string& name, const char* mode) {
        return {{"apiVersion", "ome.io/v1beta1"},
                {"kind", "TrafficMap"},
                {"metadata", {{"name", name}}},
                {"spec", {{"service", name}, {"mode", mode}}}};
    }

    net::asio::io_context io{1};
    std::unique_ptr<kube::Client> client;
    std::string ns;
};

TEST_F(RequestsTest, AnObjectIsCreatedOnce) {
    const auto made = create("chat");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_FALSE(wire::identity_of(*made).uid.empty());
    const auto again = create("chat");
    ASSERT_FALSE(again);
    EXPECT_TRUE(again.error().already_exists()) << again.error().message;
    EXPECT_EQ(again.error().status.name, "chat");
}

TEST_F(RequestsTest, WhatIsNotThereIsNotFound) {
    EXPECT_TRUE(run(io, client->get(path("none"))).error().not_found());
    EXPECT_TRUE(run(io, client->remove(path("none"), {})).error().not_found());
}

TEST_F(RequestsTest, AWriteOnAnOldVersionIsAConflict) {
    const auto made = create("chat");
    ASSERT_TRUE(made);
    json::object newer = made->as_object();
    newer["spec"].as_object()["mode"] = "All";
    const auto written = run(io, client->replace(path("chat"), json::serialize(newer), "test"));
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->at("metadata").at("generation"), 2);
    const auto stale = run(io, client->replace(path("chat"), json::serialize(newer), "test"));
    ASSERT_FALSE(stale);
    EXPECT_TRUE(stale.error().conflict()) << stale.error().message;
    EXPECT_FALSE(stale.error().already_exists());
}

TEST_F(RequestsTest, AMergePatchMayCarryItsCondition) {
    const auto made = create("chat");
    ASSERT_TRUE(made);
    const std::string old_version = wire::identity_of(*made).resource_version;
    const auto patch = [&](const std::string& version) {
        const json::object body{{"metadata", {{"resourceVersion", version}}},
                                {"spec", {{"mode", "All"}, {"placementPlanID", version}}}};
        return run(io, client->merge_patch(path("chat"), json::serialize(body), "test"));
    };
    const auto patched = patch(old_version);
    ASSERT_TRUE(patched) << patched.error().message;
    EXPECT_EQ(patched->at("spec").at("service"), "chat") << "the rest stays";
    EXPECT_TRUE(patch(old_version).error().conflict());
}

TEST_F(RequestsTest, ADeleteMayCarryItsCondition) {
    const auto made = create("chat");
    ASSERT_TRUE(made);
    const wire::ApiIdentity is = wire::identity_of(*made);
    EXPECT_TRUE(run(io, client->remove(path("chat"), {"another-uid", ""})).error().conflict());
    EXPECT_TRUE(run(io, client->remove(path("chat"), {is.uid, "1"})).error().conflict());
    const auto gone = run(io, client->remove(path("chat"), {is.uid, is.resource_version}));
    EXPECT_TRUE(gone) << gone.error().message;
    EXPECT_TRUE(run(io, client->get(path("chat"))).error().not_found());
}

json::object applied(const json::array& conditions, const std::string& version) {
    json::object meta{{"name", "chat"}};
    if (!version.empty()) {
        meta["resourceVersion"] = version;
    }
    return {{"apiVersion", "ome.io/v1beta1"},
            {"kind", "TrafficMap"},
            {"metadata", meta},
            {"status", {{"conditions", conditions}}}};
}

json::object condition(const char* type, const char* reason) {
    return {{"type", type},
            {"status", "True"},
            {"reason", reason},
            {"message", "m"},
            {"lastTransitionTime", "2026-09-28T10:00:00Z"}};
}

TEST_F(RequestsTest, TwoManagersShareAStatusByItsConditions) {
    ASSERT_TRUE(create("chat"));
    const auto apply = [&](const json::object& object, const char* manager, bool force) {
        return run(
            io, client->apply(path("chat", "status"), json::serialize(object), {manager, force}));
    };
    ASSERT_TRUE(
        apply(applied({condition("Routable", "Routable")}, ""), "ome-trafficmap-routing", true));
    const auto both =
        apply(applied({condition("Published", "Published")}, ""), "ome-trafficmap-publisher", true);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->at("status").at("conditions").as_array().size(), 2U);

    const auto taken = apply(applied({condition("Routable", "Other")}, ""), "somebody", false);
    ASSERT_FALSE(taken);
    EXPECT_TRUE(taken.error().conflict());
    EXPECT_THAT(taken.error().message, HasSubstr("ome-trafficmap-routing"));
    EXPECT_FALSE(taken.error().status.causes.empty());

    EXPECT_TRUE(
        apply(applied({condition("Routable", "Other")}, "1"), "ome-trafficmap-routing", true)
            .error()
            .conflict())
        << "an old version";
    const auto fewer = apply(applied({}, ""), "ome-trafficmap-publisher", true);
    ASSERT_TRUE(fewer);
    EXPECT_EQ(fewer->at("status").at("conditions").as_array().size(), 1U) << "what it had is gone";
}

TEST_F(RequestsTest, AStatusIsNoWayToWriteASpec) {
    ASSERT_TRUE(create("chat"));
    const auto patched =
        run(io,
            client->merge_patch(path("chat", "status"),
                                R"({"spec":{"mode":"All"},"status":{"sourceUID":"u"}})",
                                "test"));
    ASSERT_TRUE(patched) << patched.error().message;
    EXPECT_EQ(patched->at("spec").at("mode"), "Split");
    EXPECT_EQ(patched->at("status").at("sourceUID"), "u");
}

TEST_F(RequestsTest, RightsAreThoseOfTheToken) {
    kube::Client stranger(io, kube_servers().access("stranger"));
    const auto refused = run(io, stranger.get(path("chat")));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().forbidden()) << refused.error().message;
    EXPECT_THAT(refused.error().message, HasSubstr("cannot get resource \"trafficmaps\""));
}

TEST_F(RequestsTest, AWrongTokenIsReadAgain) {
    const Scratch scratch;
    kube::Access access = kube_servers().access();
    access.user.token.clear();
    access.user.token_file = scratch.write("token", "revoked");
    kube::Client rotating(io, access);
    EXPECT_TRUE(run(io, rotating.get("/api/v1/namespaces/default")).error().is(401));
    scratch.write("token", KubeServers::token_of("admin"));
    const auto ns_object = run(io, rotating.get("/api/v1/namespaces/default"));
    EXPECT_TRUE(ns_object) << ns_object.error().message;
}

TEST_F(RequestsTest, AServerThatNobodyVouchesForIsNotTalkedTo) {
    kube::Access access = kube_servers().access();
    access.authority = certificate_pem(Authority("another").identity());
    access.authority_file.clear();
    kube::Client client_of_another(io, access);
    const auto refused = run(io, client_of_another.get("/version"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, kube::Failure::Kind::Unreachable);
    EXPECT_THAT(refused.error().message, HasSubstr("unknown authority"));
    access.insecure = true;
    kube::Client careless(io, access);
    EXPECT_TRUE(run(io, careless.get("/version")));
}

TEST_F(RequestsTest, ADeletedNamespaceTakesItsObjectsAlong) {
    ASSERT_TRUE(create("chat"));
    ASSERT_TRUE(run(io, client->remove(object_path(kube::namespaces, "", ns), {})));
    EXPECT_TRUE(eventually([&] { return run(io, client->get(path("chat"))).has_error(); }));
}

TEST_F(RequestsTest, AMapGoesWithItsOwner) {
    const auto owner = run(
        io,
        client->create(
            collection_path(kube::inference_services, ns),
            R"({"apiVersion":"ome.io/v1beta1","kind":"InferenceService","metadata":{"name":"chat"},"spec":{}})",
            "test"));
    ASSERT_TRUE(owner) << owner.error().message;
    json::object owned = map("chat", "All");
    owned["metadata"].as_object()["ownerReferences"] =
        json::array{{{"apiVersion", "ome.io/v1beta1"},
                     {"kind", "InferenceService"},
                     {"name", "chat"},
                     {"uid", wire::identity_of(*owner).uid},
                     {"controller", true},
                     {"blockOwnerDeletion", true}}};
    ASSERT_TRUE(run(
        io,
        client->create(collection_path(kube::traffic_maps, ns), json::serialize(owned), "test")));
    ASSERT_TRUE(run(io, client->remove(object_path(kube::inference_services, ns, "chat"), {})));
    EXPECT_TRUE(eventually([&] { return run(io, client->get(path("chat"))).has_error(); }));
}

}  // namespace
}  // namespace ome::test
