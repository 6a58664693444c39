// The command line as a whole: help, names the program is called by, completion.
#include "cli.hpp"

#include "completion.hpp"
#include "invocation.hpp"
#include "kubectl/fake_cluster.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Invocation, ANameStandsForTheWordsInIt) {
    EXPECT_THAT(words_of_name("/usr/bin/kubectl-ome"), IsEmpty());
    EXPECT_THAT(words_of_name("kubectl-ome-traffic"), ElementsAre("traffic"));
    EXPECT_THAT(words_of_name("./kubectl-ome-placement-endpoint"),
                ElementsAre("placement", "endpoint"));
    EXPECT_THAT(words_of_name("kubectl-ome-traffic-drain_cluster"),
                ElementsAre("traffic", "drain-cluster"));
    EXPECT_THAT(words_of_name("kubectl_complete-ome-traffic"),
                ElementsAre("__complete", "traffic"));
    EXPECT_THAT(words_of_name("something"), IsEmpty());
}

TEST(Invocation, TheCommandOfTheNameIsRun) {
    World world;
    world.cluster.put(Kind::InferenceService, sample_service());
    EXPECT_EQ(world.run_words({"kubectl-ome-placement-endpoint", "chat", "-n", "prod"}), 0);
    EXPECT_EQ(world.run_words({"kubectl-ome-get-trafficmaps", "-A"}), 0);
    EXPECT_EQ(world.run_words({"kubectl-ome-get-tm", "chat", "-n", "prod"}), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("get trafficmaps prod/chat: NotFound"));
    EXPECT_EQ(world.run_words({"kubectl-ome-traffic", "why", "chat", "-n", "prod"}), 0);
}

TEST(Invocation, AnEmptyValueIsAFlagThatIsNotSet) {
    World world;
    world.cluster.put(Kind::InferenceService, sample_service());
    EXPECT_EQ(world.run("kubectl ome placement endpoint --context= chat -n prod"), 0)
        << world.terminal.errors;
}

TEST(Invocation, NamesAFlagThatCannotBe) {
    World world;
    EXPECT_EQ(world.run("kubectl ome get tm -n a/b"), 1);
    EXPECT_THAT(world.terminal.errors,
                HasSubstr("error: --namespace \"a/b\" must be a DNS-1123 label\n"));
    EXPECT_EQ(world.run("kubectl ome traffic undrain chat --id x -n a/b --yes"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("error: resolved workload namespace is invalid"));
    EXPECT_EQ(world.run("kubectl ome get tm --request-timeout soon"), 1);
    EXPECT_THAT(world.terminal.errors, HasSubstr("--request-timeout \"soon\" must be"));
    EXPECT_THAT(world.cluster.requests, IsEmpty());
}

TEST(Invocation, NamesAMistypedCommandAndTheNearest) {
    World world;
    const auto error_of = [&world](const std::string& command) {
        world.terminal.errors.clear();
        EXPECT_EQ(world.run(command), 1);
        return world.terminal.errors;
    };
    EXPECT_EQ(error_of("kubectl ome traffic drian chat -n prod"),
              "error: there is no command \"traffic drian\"; did you mean traffic drain? use "
              "--help\n");
    EXPECT_EQ(error_of("kubectl ome -n prod trafic why chat"),
              "error: there is no command \"trafic\"; did you mean traffic? use --help\n");
    EXPECT_EQ(error_of("kubectl ome somewhere"),
              "error: there is no command \"somewhere\"; commands: completion, get, placement, "
              "traffic; use --help\n");
    EXPECT_EQ(error_of("kubectl ome traffic status chat --bogus").find("no command"),
              std::string::npos)
        << "another name of a command is one";
    EXPECT_THAT(world.cluster.requests, IsEmpty());
}

TEST(RequestTimeout, IsADurationOrANumberOfSecondsAndNeverLonger) {
    const auto time_for = [](const char* text) {
        Connection connection;
        connection.request_timeout = text;
        return request_time_of(connection);
    };
    EXPECT_EQ(time_for("1500ms"), std::chrono::milliseconds(1500));
    EXPECT_EQ(time_for("3"), std::chrono::seconds(3));
    EXPECT_EQ(time_for(""), longest_request);
    EXPECT_EQ(time_for("0"), longest_request);
    EXPECT_EQ(time_for("1h"), longest_request);
    EXPECT_FALSE(parse_request_timeout("3 s"));
}

class Help : public testing::TestWithParam<const char*> {};

TEST_P(Help, ShowsExamples) {
    World world;
    EXPECT_EQ(world.run(std::string("kubectl ome ") + GetParam() + " --help"), 0);
    EXPECT_THAT(world.terminal.output, HasSubstr("Examples:"));
    EXPECT_THAT(world.cluster.requests, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Commands,
                         Help,
                         testing::Values("",
                                         "get",
                                         "placement endpoint",
                                         "traffic drain",
                                         "traffic undrain",
                                         "traffic why",
                                         "traffic top",
                                         "traffic watch",
                                         "traffic drain-cluster",
                                         "traffic undrain-cluster",
                                         "completion"));

class Completing : public testing::Test {
protected:
    Completing() {
        json::value service = sample_service();
        service.as_object()["metadata"].as_object()["annotations"] = json::object{
            {"ome.io/traffic-drain", R"({"maintenance-a":{"cluster":"a","reason":"r"}})"}};
        world.cluster.put(Kind::InferenceService, service);
        world.cluster.put(Kind::TrafficMap, sample_map(service, {sample_entry("worker-a", 1)}));
    }

    std::vector<std::string> complete(std::vector<std::string> words) {
        world.terminal.output.clear();
        words.insert(words.begin(), {"kubectl-ome", "__complete"});
        EXPECT_EQ(world.run_words(words), 0);
        auto found = lines_of(world.terminal.output);
        EXPECT_EQ(found.back(), ":4");
        found.pop_back();
        return found;
    }

    World world;
};

TEST_F(Completing, KnowsTheCommandsAndTheirFlags) {
    EXPECT_THAT(complete({""}), ElementsAre("completion", "get", "placement", "traffic"));
    EXPECT_THAT(complete({"tr"}), ElementsAre("traffic"));
    EXPECT_THAT(complete({"traffic", "dr"}), ElementsAre("drain", "drain-cluster"));
    EXPECT_THAT(complete({"traffic", "drain", "--wo"}), ElementsAre("--workload-cluster"));
    EXPECT_THAT(complete({"traffic", "drain", "--"}), Contains("--namespace"));
    EXPECT_THAT(complete({"traffic", "undrain", "--"}), Not(Contains("--workload-cluster")));
    EXPECT_THAT(complete({"get", "tm", "-o", ""}), ElementsAre("json", "table", "wide", "yaml"));
    EXPECT_THAT(complete({"traffic", "drain", "--dry-run", "s"}), ElementsAre("server"));
}

TEST_F(Completing, AsksForNames) {
    EXPECT_THAT(complete({"traffic", "why", "-n", "prod", ""}), ElementsAre("chat"));
    EXPECT_THAT(complete({"traffic", "why", "-n", "other", ""}), IsEmpty());
    EXPECT_THAT(complete({"traffic", "drain", "chat", "--workload-cluster", "w"}),
                ElementsAre("worker-a"));
    EXPECT_THAT(complete({"traffic", "undrain", "chat", "-n", "prod", "--id", ""}),
                ElementsAre("maintenance-a"));
    EXPECT_THAT(complete({"traffic", "drain-cluster", ""}), ElementsAre("worker-a"));
    EXPECT_THAT(complete({"get", "tm", "-n", "p"}), ElementsAre("prod"));
    world.cluster.failures = {{"list InferenceService", {Failure::Forbidden}}};
    EXPECT_THAT(complete({"traffic", "why", ""}), IsEmpty());
}

TEST_F(Completing, HasAScriptForEachShell) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        world.terminal.output.clear();
        EXPECT_EQ(world.run_words({"kubectl-ome", "completion", shell}), 0);
        EXPECT_THAT(world.terminal.output, HasSubstr("kubectl-ome __complete"));
    }
    EXPECT_EQ(world.run_words({"kubectl-ome", "completion", "csh"}), 1);
}

std::string refusal_of(const std::string& store) {
    Connection connection;
    connection.store = store;
    return open_cluster(connection).error().detail;
}

TEST(OpenCluster, SaysWhatAStoreIs) {
    EXPECT_THAT(refusal_of("etcd"), HasSubstr("--store \"etcd\" must be dir:PATH"));
    EXPECT_THAT(refusal_of("dir:/nonexistent/x"), HasSubstr("must be a folder"));
}

}  // namespace
}  // namespace ome::kubectl::test
