#include "action_text.hpp"
#include "kubectl/fake_cluster.hpp"
#include "members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* drain =
    "kubectl ome traffic drain chat -n prod --workload-cluster worker-a --id maintenance-a "
    "--reason 'planned maintenance'";

class DrainCommand : public testing::Test {
protected:
    DrainCommand() { world.cluster.put(Kind::InferenceService, sample_service()); }

    json::object& meta() {
        return world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
            .as_object()["metadata"]
            .as_object();
    }
    void annotate(const char* name, const std::string& value) {
        meta()["annotations"].emplace_object()[name] = value;
    }
    std::string annotation(const char* name) {
        return text_at(world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}}),
                       {"metadata", "annotations", name});
    }
    std::string error_of(const std::string& command) {
        world.terminal.errors.clear();
        EXPECT_EQ(world.run(command), 1) << command;
        const auto all = lines_of(world.terminal.errors);
        return all.empty() ? "" : all.back();
    }

    World world;
};

TEST_F(DrainCommand, ShowsWhatItWillDo) {
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0) << world.terminal.errors;
    EXPECT_EQ(world.terminal.errors,
              "ALPHA guarded traffic action (not TrafficMap convergence)\n"
              "FIELD             VALUE\n"
              "Action            traffic drain\n"
              "Context           hub\n"
              "Workload NS       prod\n"
              "Target            InferenceService/chat\n"
              "UID               2f6c1d9e\n"
              "ResourceVersion   1284711\n"
              "Dry-run           none\n"
              "Override ID       maintenance-a\n"
              "Cluster           worker-a\n"
              "Reason            \"planned maintenance\"\n"
              "Override count    0 -> 1\n"
              "Annotation        ome.io/traffic-drain\n"
              "Follow-up         kubectl ome traffic status chat -n prod --context=hub\n"
              "API acceptance is not TrafficMap convergence or data-plane realization.\n"
              "The exact InferenceService UID/resourceVersion is tested atomically.\n"
              "Other annotations and traffic-drain override IDs are preserved.\n"
              "Run the previewed traffic status command to observe controller evidence.\n");
    EXPECT_EQ(annotation("ome.io/traffic-drain"),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"}})");
    EXPECT_EQ(field_of(world.terminal.output, "applied"), "Yes");
    EXPECT_EQ(field_of(world.terminal.output, "message"),
              "API accepted traffic annotation request; not TrafficM...");
}

TEST(Action, TheFollowUpAsksWhereTheDrainWent) {
    Action action;
    action.request = {.ns = "prod", .service = "chat", .id = "m"};
    action.context = "my hub";
    EXPECT_EQ(action.follow_up(), "kubectl ome traffic status chat -n prod --context='my hub'");
    action.context = "dir:store";
    EXPECT_EQ(action.follow_up(), "kubectl ome traffic status chat -n prod --store=dir:store");
    action.context = "";  // a pod's
    EXPECT_EQ(action.follow_up(), "kubectl ome traffic status chat -n prod");
}

TEST(Action, AFollowUpIsWholeBelowTheTableOfAFolder) {
    Action action;
    action.request = {.ns = "prod", .service = "chat", .id = "m"};
    action.context = "dir:/var/lib/ome-trafficmap/store";
    EXPECT_THAT(result_table(action, false),
                EndsWith("\nkubectl ome traffic status chat -n prod "
                         "--store=dir:/var/lib/ome-trafficmap/store\n"));
    action.context = "a-context-with-a-name-that-does-not-fit";
    EXPECT_THAT(result_table(action, false), EndsWith("for full values.\n"));
    action.context = "dir:s";
    EXPECT_THAT(result_table(action, false), EndsWith("for full values.\n")) << "it fits";
}

TEST_F(DrainCommand, AClusterThatIsInNoPlacementIsWarnedOf) {
    auto& placement = world.cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
                          .as_object()["status"]
                          .as_object()["placement"]
                          .as_object();
    placement["candidates"] =
        json::array{json::object{{"cluster", "worker-b"}}, json::object{{"cluster", "worker-c"}}};
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("warning: --workload-cluster worker-a is no home of prod/chat; known "
                          "clusters: worker-b, worker-c; did you mean worker-b? The drain holds "
                          "nothing until it is one\n"));
    world.terminal.errors.clear();
    EXPECT_EQ(world.run("kubectl ome traffic drain chat -n prod --workload-cluster worker-b --id x "
                        "--reason r --yes"),
              0);
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("warning")));
}

TEST_F(DrainCommand, TellsWhichFlagIsMissing) {
    const std::string drains = "kubectl ome traffic drain chat -n prod --workload-cluster worker-a";
    EXPECT_EQ(world.run(drains + " --reason r"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("error: traffic override ID must be a DNS-1123 label\nhint: --id is "
                          "missing; it names the drain, and undrain takes it off by that name: "));
    EXPECT_EQ(world.run(drains + " --id x"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("non-secret\nhint: --reason is missing; "));
    world.terminal.errors.clear();
    EXPECT_EQ(world.run("kubectl ome traffic undrain chat -n prod"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("label\nhint: --id is missing; the IDs of "));
    world.terminal.errors.clear();
    EXPECT_EQ(world.run(drains + " --id X --reason r"), 1);
    EXPECT_EQ(world.run(drains + " --id x --reason ' r'"), 1);
    EXPECT_THAT(world.terminal.errors, Not(HasSubstr("hint")));
}

TEST_F(DrainCommand, TellsWhereElseTheServiceIs) {
    EXPECT_EQ(world.run("kubectl ome traffic drain chat --workload-cluster worker-a --id x "
                        "--reason r --yes"),
              1);
    EXPECT_THAT(
        world.terminal.errors,
        HasSubstr("check access and connectivity: NotFound\nhint: there is an InferenceService of "
                  "this name in prod: -n prod\n"));
}

TEST_F(DrainCommand, MakesAnnotationsWhereThereAreNone) {
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0);
    const json::array& patch = world.cluster.patches.at(0).operations;
    ASSERT_EQ(patch.size(), 4U);
    EXPECT_EQ(patch[2], json::parse(R"({"op":"add","path":"/metadata/annotations","value":{}})"));
}

TEST_F(DrainCommand, NeverCutsAValueOfThePreview) {
    const std::string reason(130, 'x');
    EXPECT_EQ(world.run("kubectl ome traffic drain chat -n prod --workload-cluster worker-a "
                        "--id m --dry-run client --yes --reason " +
                        reason),
              0);
    EXPECT_THAT(
        world.terminal.errors,
        HasSubstr("Reason            \"" + std::string(59, 'x') + "\n(continued)       " +
                  std::string(60, 'x') + "\n(continued)       " + std::string(11, 'x') + "\"\n"));
    EXPECT_THAT(world.cluster.patches, IsEmpty());
}

// A command that is broken inside of a word cannot be copied.
TEST(Action, TheFollowUpOfThePreviewIsBrokenAtBlanks) {
    Action action;
    action.request = {.ns = "qwen3-0-6b", .service = "qwen3-0-6b", .id = "m"};
    action.context = "admin-of-hub";
    EXPECT_THAT(preview_text(action),
                HasSubstr("\nFollow-up         kubectl ome traffic status qwen3-0-6b -n qwen3-0-6b "
                          "\\\n(continued)       --context=admin-of-hub\nAPI acceptance"));
    action.context = "my hub, which has a name that fills a whole row and then some";
    EXPECT_THAT(preview_text(action),
                HasSubstr("\n(continued)       --context='my hub, which has a name that fills a "
                          "whole row and then some'\n"))
        << "a blank inside of quotes is none to break at";
    action.request.service = std::string(60, 's');
    action.context = "";
    EXPECT_THAT(preview_text(action),
                HasSubstr("\nFollow-up         kubectl ome traffic status \\\n(continued)       " +
                          action.request.service + " \\\n(continued)       -n qwen3-0-6b\n"));
}

TEST_F(DrainCommand, AsksAndTakesOnlyAYes) {
    EXPECT_THAT(error_of(drain),
                HasSubstr("action not confirmed; noninteractive input requires --yes"));
    world.terminal.person = true;
    for (const Line& no : {Line{Line::End::Complete, "n"},
                           Line{Line::End::Complete, ""},
                           Line{Line::End::Complete, "yess"},
                           Line{Line::End::NoInput},
                           Line{Line::End::TooLong}}) {
        world.terminal.answers = {no};
        EXPECT_THAT(error_of(drain), EndsWith("noninteractive input requires --yes"));
    }
    world.terminal.answers = {{Line::End::Interrupted}};
    EXPECT_THAT(error_of(drain), EndsWith("error: context canceled"));
    world.terminal.answers = {{Line::End::TimedOut}};
    EXPECT_THAT(error_of(drain), EndsWith("error: context deadline exceeded"));
    EXPECT_THAT(world.cluster.patches, IsEmpty());
    world.terminal.answers = {{Line::End::Complete, "YES"}};
    EXPECT_EQ(world.run(drain), 0);
    EXPECT_EQ(world.cluster.patches.size(), 1U);
}

TEST_F(DrainCommand, ChecksArgumentsInTheOrderOfTheContractAndAsksNobody) {
    const std::string base = "kubectl ome traffic drain ";
    EXPECT_EQ(error_of(base + "--bogus"), "error: invalid traffic action flags; use --help");
    EXPECT_EQ(error_of(base + "a b -o xml"), "error: exactly one inference service is required");
    EXPECT_EQ(error_of(base + "Chat -o xml --dry-run x"),
              "error: output must be table, wide, json or yaml");
    EXPECT_EQ(error_of(base + "Chat --dry-run x"), "error: dry-run must be none, client or server");
    EXPECT_EQ(error_of(base + "Chat"), "error: invalid inference service name");
    EXPECT_EQ(error_of(base + "chat --cluster worker-a"),
              "error: traffic drain requires --workload-cluster; --cluster selects the Kubernetes "
              "API cluster");
    EXPECT_EQ(error_of(base + "chat --workload-cluster A --id X"),
              "error: traffic override ID must be a DNS-1123 label");
    EXPECT_EQ(error_of(base + "chat --workload-cluster A --id x"),
              "error: traffic drain cluster must be a DNS-1123 subdomain");
    for (const char* reason : {"''", "' padded'", "'sk-abcdefgh12345678'", "'password=hunter2'"}) {
        EXPECT_EQ(error_of(base + "chat --workload-cluster a --id x --reason " + reason),
                  "error: traffic drain reason must be bounded, trimmed, printable, and non-secret")
            << reason;
    }
    EXPECT_EQ(error_of(base + "chat --workload-cluster a --id x --reason r -n Prod"),
              "error: resolved workload namespace is invalid");
    EXPECT_THAT(world.cluster.requests, IsEmpty());
}

TEST_F(DrainCommand, RefusesWhatItMustNotTouch) {
    const auto refusal = [&](const std::function<void(json::object&)>& change) {
        json::value service = sample_service();
        change(service.as_object());
        world.cluster.put(Kind::InferenceService, service);
        const std::string error = error_of(std::string(drain) + " --yes");
        world.cluster.put(Kind::InferenceService, sample_service());
        return error;
    };
    const auto meta = [](json::object& service) -> json::object& {
        return service["metadata"].as_object();
    };
    EXPECT_THAT(refusal([&](auto& one) { one["kind"] = "Pod"; }),
                HasSubstr("action target response does not match exact request"));
    EXPECT_THAT(refusal([&](auto& one) {
                    json::array many(65, json::value("f"));
                    meta(one)["finalizers"] = many;
                }),
                HasSubstr("traffic-drain state exceeds safety bounds"));
    EXPECT_THAT(refusal([&](auto& one) {
                    meta(one)["labels"] = json::object{{"ome.io/placement-origin", "x"}};
                }),
                HasSubstr("placement sources and derived services cannot be mutated"));
    EXPECT_THAT(refusal([&](auto& one) { one["spec"].as_object().erase("placement"); }),
                HasSubstr("not eligible for cross-cluster traffic routing"));
    EXPECT_THAT(refusal([&](auto& one) { meta(one).erase("uid"); }),
                HasSubstr("target identity is missing or unsafe"));
    EXPECT_THAT(
        refusal([&](auto& one) { meta(one)["deletionTimestamp"] = "2026-10-01T00:00:00Z"; }),
        HasSubstr("target is being deleted"));
    for (const char* existing : {"[]",
                                 "",
                                 R"({"Drain_1":{"cluster":"a","reason":"r"}})",
                                 R"({"d":{"cluster":"a","reason":"token: abcdefgh"}})"}) {
        EXPECT_THAT(refusal([&](auto& one) {
                        meta(one)["annotations"] = json::object{{"ome.io/traffic-drain", existing}};
                    }),
                    HasSubstr("existing traffic-drain annotation is malformed or unsafe"))
            << existing;
    }
    EXPECT_THAT(world.cluster.patches, IsEmpty());
}

TEST_F(DrainCommand, SomebodyElsesWriteIsAConflictAndNothingIsLost) {
    world.cluster.meanwhile = [](FakeCluster& cluster) {
        // After it was read, and before the patch.
        if (cluster.requests.back().starts_with("patch")) {
            cluster.objects.at({Kind::InferenceService, {"prod", "chat"}})
                .as_object()["metadata"]
                .as_object()["resourceVersion"] = "other";
        }
    };
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 3);
    EXPECT_THAT(world.terminal.errors,
                EndsWith("error: guarded annotation patch rejected; refresh traffic status and "
                         "retry explicitly\n"));
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
}

TEST_F(DrainCommand, FailuresAreToldBehindTheTextOfTheContract) {
    const std::string failed =
        "error: required Kubernetes API request failed; check access and connectivity";
    world.cluster.failures = {{"get InferenceService", {Failure::Unauthorized}}};
    EXPECT_EQ(error_of(std::string(drain) + " --yes"),
              failed + ": Unauthorized (the API server does not accept the login)");
    world.cluster.failures = {
        {"patch", {.what = Failure::Forbidden, .said = R"(User "bob" cannot patch resource "x")"}}};
    EXPECT_EQ(error_of(std::string(drain) + " --yes"),
              failed + R"(: Forbidden (User "bob" cannot patch resource "x"))");
    world.cluster.failures = {{"patch", {.what = Failure::Rejected, .said = "a webhook says no"}}};
    EXPECT_EQ(error_of(std::string(drain) + " --yes"), failed + ": Rejected (a webhook says no)");
    world.cluster.failures = {{"patch", {Failure::Unavailable, "HTTP 500"}}};
    EXPECT_EQ(error_of(std::string(drain) + " --yes"), failed + ": Unavailable (HTTP 500)");
    world.cluster.failures.clear();
}

TEST_F(DrainCommand, WhatIsNoAnswerIsNoSuccess) {
    world.cluster.failures = {{"get InferenceService", {Failure::Timeout}}};
    EXPECT_EQ(error_of(std::string(drain) + " --yes"), "error: context deadline exceeded");
    world.cluster.failures.clear();
    world.cluster.change_answer = [](json::value answer) {
        answer.as_object()["metadata"].as_object()["uid"] = "another";
        return answer;
    };
    EXPECT_EQ(error_of(std::string(drain) + " --yes"),
              "error: API response is not bound to the request; outcome unknown, check traffic "
              "status");
    world.cluster.change_answer = nullptr;
    world.terminal.broken_output = true;
    EXPECT_EQ(error_of("kubectl ome traffic undrain chat -n prod --id maintenance-a --yes"),
              "error: write traffic action result failed; check traffic status");
}

TEST_F(DrainCommand, DryRunsStoreNothing) {
    EXPECT_EQ(world.run(std::string(drain) + " --yes --dry-run=server"), 0);
    EXPECT_EQ(field_of(world.terminal.output, "accepted"), "Yes");
    EXPECT_EQ(field_of(world.terminal.output, "applied"), "No");
    EXPECT_TRUE(world.cluster.patches.at(0).dry_run);
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
}

TEST_F(DrainCommand, DryRunsAskNobody) {
    for (const char* mode : {"client", "server"}) {
        EXPECT_EQ(world.run(fmt::format("{} --dry-run={}", drain, mode)), 0)
            << world.terminal.errors;
    }
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
}

TEST_F(DrainCommand, AFrozenMapIsWarnedOf) {
    annotate("ome.io/cluster-selector", "x");
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0) << world.terminal.errors;
    EXPECT_THAT(world.terminal.errors, HasSubstr("warning: the map of prod/chat is frozen ("));
    EXPECT_THAT(world.terminal.errors, HasSubstr("the drain is in force only when that is mended"));
}

TEST_F(DrainCommand, AnExpiryStandsInAnAnnotationOfItsOwn) {
    EXPECT_EQ(world.run(std::string(drain) + " --yes --for 2h -o json"), 0)
        << world.terminal.errors;
    EXPECT_EQ(annotation("ome.io/traffic-drain"),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"}})")
        << "whose readers know no expiry";
    EXPECT_EQ(annotation("ome.io/traffic-drain-expiry"),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance",)"
              R"("until":"2026-10-01T14:00:00Z"}})");
    EXPECT_EQ(json::parse(world.terminal.output).at("traffic").at("expiresAt"),
              "2026-10-01T14:00:00Z");
    EXPECT_THAT(world.terminal.errors, HasSubstr("Expires           2026-10-01T14:00:00Z\n"));
    EXPECT_EQ(world.run("kubectl ome traffic undrain chat -n prod --id maintenance-a --yes"), 0);
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
    EXPECT_EQ(annotation("ome.io/traffic-drain-expiry"), "") << "it goes with its drain";
    EXPECT_THAT(error_of(std::string(drain) + " --for soon"),
                HasSubstr("--for soon must be a duration of at least 1s"));
}

TEST_F(DrainCommand, OtherDrainsStay) {
    annotate("ome.io/traffic-drain", R"({"z":{"reason":"r2","cluster":"b"}})");
    EXPECT_EQ(world.run(std::string(drain) + " --yes"), 0);
    EXPECT_EQ(annotation("ome.io/traffic-drain"),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"},)"
              R"("z":{"cluster":"b","reason":"r2"}})");
    EXPECT_EQ(field_of(world.terminal.output, "overrides"), "1 -> 2");
    EXPECT_THAT(error_of("kubectl ome traffic undrain chat -n prod --id nobody --yes"),
                HasSubstr("hint: prod/chat has the drains maintenance-a, z"));
    EXPECT_THAT(world.terminal.errors,
                EndsWith("error: traffic undrain refused: override ID does not exist\n"
                         "hint: prod/chat has the drains maintenance-a, z\n"));
    EXPECT_THAT(error_of("kubectl ome traffic undrain chat -n prod --id maintenance-b --yes"),
                EndsWith("maintenance-a, z; did you mean maintenance-a?"));
}

TEST_F(DrainCommand, TellsWhichDrainsThereAreAndHowMany) {
    const char* undrain = "kubectl ome traffic undrain chat -n prod --id nobody --yes";
    EXPECT_EQ(error_of(undrain), "hint: prod/chat has no drain");
    annotate("ome.io/traffic-drain", R"({"nobodys":{"cluster":"a","reason":"r"}})");
    EXPECT_EQ(error_of(undrain), "hint: prod/chat has the drain nobodys");
    json::object many;
    for (int i = 10; i < 74; ++i) {
        many[fmt::format("d{}", i)] = json::object{{"cluster", "a"}, {"reason", "r"}};
    }
    annotate("ome.io/traffic-drain", json::serialize(many));
    EXPECT_EQ(error_of(undrain),
              "hint: prod/chat has the drains d10, d11, d12, d13, d14, d15, d16, d17, d18, d19 and "
              "54 more");
}

}  // namespace
}  // namespace ome::kubectl::test
