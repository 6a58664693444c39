// The samples and tables of the command line's contract, through a real kubectl that finds the
// plugin under its own name, or under the names of its parts alone.
#include "kube/plugin.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::MatchesRegex;

std::vector<std::string> first_cells(const std::string& table) {
    std::vector<std::string> all;
    for (const std::string& line : lines_of(table)) {
        all.push_back(cells_of(line).at(0));
    }
    return all;
}

std::vector<std::string> keys_of(const json::value& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.as_object()) {
        keys.emplace_back(key);
    }
    return keys;
}

std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> parts) {
    std::vector<std::string> all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

const std::vector<std::string> rows_before_homes{
    "FIELD",
    // 1: placement
    "Mode",
    "Placement",
    "Freshness",
    "Input source",
    "Selectors",
    "Reported cluster",
    "Endpoint origin",
    "Service origin",
    "Home inspection",
    "Provenance inspect",
    // 2: how the map was read; cells have 18 characters
    "TrafficMap state",
    "TrafficMap reason",
    "TrafficMap Retu...",
    "TrafficMap Admi...",
    "TrafficMap Pages",
    "TrafficMap Comp...",
    "TrafficMap Trun...",
    // 3: what it says as a whole
    "Entry inspection",
    "Probe inspection",
    "Condition inspect",
    "Routing freshness",
    "Traffic override",
    "Capacity fallback",
    "Routable",
    "Routable freshness",
    "Published",
    "Publisher",
    "Publisher fresh"};
const std::vector<std::string> rows_of_home{"Route home",
                                            "Endpoint origin",
                                            "Final weight",
                                            "Recorded probe",
                                            "Route evidence",
                                            "Probe policy"};
const std::vector<std::string> wide_rows_of_home{"Capacity proven...",
                                                 "Allocated count",
                                                 "Ready count",
                                                 "Probe freshness",
                                                 "Drain refs",
                                                 "Probe gate",
                                                 "Home cap fallback"};
const std::vector<std::string> rows_after_homes{"Hint", "Hint", "View"};

const std::vector<std::string> parts{
    "kubectl-ome-traffic", "kubectl-ome-placement-endpoint", "kubectl-ome-get-trafficmaps"};

// How the plugin is installed: as `kubectl-ome`, or by its parts beside nobody or somebody else.
class PluginSamplesTest : public PluginTest, public testing::WithParamInterface<bool> {
protected:
    void SetUp() override {
        PluginTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure() && GetParam()) {
            path = links(parts);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Installed, PluginSamplesTest, testing::Bool(), [](const auto& by_parts) {
    return by_parts.param ? "ByItsParts" : "AsAWhole";
});

TEST_P(PluginSamplesTest, TheTableOfMaps) {
    const Ran table = sh("kubectl ome get trafficmaps -n $NS");
    EXPECT_EQ(table.code, 0) << table.err;
    const auto lines = lines_of(table.out);
    ASSERT_EQ(lines.size(), 2U) << table.out;
    EXPECT_THAT(lines[0], MatchesRegex("NAME   MODE   TARGETS   ROUTABLE   PUBLISHED   AGE *"));
    EXPECT_THAT(lines[1],
                MatchesRegex("chat   All    2         True       True        [0-9]+[smh] *"));
}

TEST_P(PluginSamplesTest, TheWideRowOfAMap) {
    write_map({entry("worker-a", 0), entry("worker-b", 1)});
    const auto row = [this] {
        return cells_of(lines_of(sh("kubectl ome get trafficmaps chat -n $NS -o wide").out).at(1));
    };
    const std::string gateway = "gateway.networking.k8s.io/HTTPRoute:" + ns + "/chat-global";
    EXPECT_THAT(row(),
                ElementsAre("chat",
                            "All",
                            "2",
                            "True",
                            "True",
                            testing::_,
                            "chat",
                            "1",
                            "2",
                            "Unknown",
                            "-",
                            "Routable",
                            gateway,
                            "Current"));
    // What the conditions say of an older generation is nothing.
    const CommandResult newer = kube_servers().kubectl(
        {"patch", "tm", "chat", "-n", ns, "--type=merge", "-p", R"({"spec":{"mode":"Split"}})"});
    ASSERT_EQ(newer.exit_code, 0) << newer.output;
    EXPECT_THAT(row(),
                ElementsAre("chat",
                            "Split",
                            "2",
                            "Unknown",
                            "Unknown",
                            testing::_,
                            "chat",
                            "1",
                            "2",
                            "Unknown",
                            "-",
                            "-",
                            gateway,
                            "Stale"));
}

TEST_P(PluginSamplesTest, TheRowsOfAnEndpointReport) {
    const Ran narrow = sh("kubectl ome placement endpoint chat -n $NS");
    EXPECT_EQ(narrow.code, 0) << narrow.err;
    EXPECT_THAT(first_cells(narrow.out),
                ElementsAreArray(
                    joined({rows_before_homes, rows_of_home, rows_of_home, rows_after_homes})));
    EXPECT_EQ(field_of(narrow.out, "Mode"), "All (Declared)");
    EXPECT_EQ(field_of(narrow.out, "Placement"), "Placed (reported)");
    EXPECT_EQ(field_of(narrow.out, "Freshness"), "Unverifiable");
    EXPECT_EQ(field_of(narrow.out, "Route evidence"),
              "drains=0; gate=NotRecorded; fallback=NotRecorded");
    EXPECT_THAT(narrow.out,
                HasSubstr("Hint                 Routing generation does not date placement\n"
                          "Hint                 Recorded probes only; no CLI network probe\n"
                          "View                 Bounded cells; use -o json for complete "
                          "identities\n"));
    const Ran wide = sh("kubectl ome placement endpoint chat -n $NS -o wide");
    const auto home = joined({rows_of_home, wide_rows_of_home});
    EXPECT_THAT(first_cells(wide.out),
                ElementsAreArray(joined({rows_before_homes, home, home, rows_after_homes})));
    EXPECT_EQ(field_of(wide.out, "Drain refs"), "Validated");
}

TEST_P(PluginSamplesTest, OfManyHomesFourAreShown) {
    json::array homes;
    for (const char* cluster : {"a", "b", "c", "d", "e"}) {
        homes.push_back(entry(cluster, 1));
    }
    write_map(homes);
    const Ran narrow = sh("kubectl ome placement endpoint chat -n $NS");
    EXPECT_EQ(field_of(narrow.out, "Route preview"), "4/5; use -o wide or json");
    const auto homes_in = [](const std::string& table) {
        const auto rows = first_cells(table);
        return std::count(rows.begin(), rows.end(), "Route home");
    };
    EXPECT_EQ(homes_in(narrow.out), 4);
    EXPECT_EQ(homes_in(sh("kubectl ome placement endpoint chat -n $NS -o wide").out), 5);
}

TEST_P(PluginSamplesTest, TheJsonOfAnEndpointReport) {
    const Ran ran = sh("kubectl ome placement endpoint chat -n $NS -o json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json::value report = json::parse(ran.out);
    EXPECT_THAT(
        keys_of(report),
        ElementsAre(
            "apiVersion", "kind", "metadata", "collectedAt", "sources", "warnings", "content"));
    EXPECT_EQ(report.at("apiVersion"), "cli.ome.io/v1alpha1");
    EXPECT_EQ(report.at("kind"), "PlacementEndpointReport");
    EXPECT_EQ(report.at("metadata"), (json::object{{"namespace", ns}, {"name", "chat"}}));
    EXPECT_EQ(report.at("warnings"), json::array());
    EXPECT_EQ(report.at("sources").as_array().size(), 2U);
    const json::value& content = report.at("content");
    EXPECT_THAT(keys_of(content),
                testing::IsSupersetOf(
                    {"status", "routing", "entries", "conditions", "conditionPreview", "issues"}));
    EXPECT_THAT(keys_of(content.at("routing")),
                testing::IsSupersetOf({"acquisition",
                                       "mode",
                                       "source",
                                       "entryPreview",
                                       "probePreview",
                                       "routable",
                                       "overrideActive",
                                       "capacityFallback",
                                       "acknowledgement",
                                       "acknowledgementSource",
                                       "published",
                                       "gateway"}));
    EXPECT_EQ(content.at("routing").at("gateway").at("state"), "ReportedReferenceNotResolved");
    const json::value& home = content.at("entries").at(0);
    EXPECT_THAT(keys_of(home),
                testing::IsSupersetOf({"cluster",
                                       "address",
                                       "weight",
                                       "healthy",
                                       "drainRefs",
                                       "drainPreview",
                                       "capacity",
                                       "probe",
                                       "source"}));
    EXPECT_EQ(home.at("address").at("endpointOrigin"), "https://chat.worker-a.example.com");
    EXPECT_EQ(home.at("address").at("pathPresent"), true);
}

TEST_P(PluginSamplesTest, TheResultOfADrain) {
    const std::string drain =
        "kubectl ome traffic drain chat -n $NS --workload-cluster worker-a --id maintenance-a "
        "--reason 'planned maintenance' --yes ";
    const std::vector<std::string> rows{"FIELD",
                                        "action",
                                        "target",
                                        "dry-run",
                                        "accepted",
                                        "applied",
                                        "override-id",
                                        "cluster",
                                        "overrides",
                                        "message",
                                        "follow-up",
                                        "hint"};
    const Ran local = sh(drain + "--dry-run=client");
    EXPECT_EQ(local.code, 0) << local.err;
    EXPECT_THAT(first_cells(local.out), ElementsAreArray(rows));
    EXPECT_EQ(field_of(local.out, "message"),
              "Validated locally; no patch sent. TrafficMap converge...");
    EXPECT_EQ(field_of(local.out, "hint"), "Use -o json or -o yaml for full values.");
    const Ran server = sh(drain + "--dry-run=server -o wide");
    EXPECT_EQ(server.code, 0) << server.err;
    auto wide = rows;
    wide.insert(wide.begin() + 3, {"uid", "resource-version"});
    EXPECT_THAT(first_cells(server.out), ElementsAreArray(wide));
    EXPECT_EQ(field_of(server.out, "message"), "API dry-run accepted; no changes persisted.");
    const json::value before = service();
    const Ran done = sh(drain + "-o json");
    EXPECT_EQ(done.code, 0) << done.err;
    const json::value result = json::parse(done.out);
    EXPECT_THAT(keys_of(result),
                ElementsAre("apiVersion",
                            "kind",
                            "collectedAt",
                            "action",
                            "target",
                            "dryRun",
                            "accepted",
                            "applied",
                            "message",
                            "followUp",
                            "traffic"));
    EXPECT_EQ(result.at("message"),
              "API accepted traffic annotation request; not TrafficMap convergence.");
    EXPECT_THAT(keys_of(result.at("target")),
                ElementsAre("kind", "namespace", "name", "uid", "resourceVersion"));
    EXPECT_EQ(result.at("target").at("resourceVersion"),
              before.at("metadata").at("resourceVersion"))
        << "that which was tested";
    EXPECT_THAT(keys_of(result.at("traffic")),
                ElementsAre("overrideID", "cluster", "overridesBefore", "overridesAfter"));
}

TEST_P(PluginSamplesTest, ThePreviewOfAnUndrain) {
    annotate("ome.io/traffic-drain",
             R"({"b":{"cluster":"worker-b","reason":"other"},)"
             R"("maintenance-a":{"cluster":"worker-a","reason":"planned \"late\" maintenance"}})");
    const std::string expected =
        preview_of({"traffic undrain", R"("planned \"late\" maintenance")", "2 -> 1"});
    const Ran ran = sh("kubectl ome traffic undrain chat -n $NS --id maintenance-a --yes");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, expected);
    EXPECT_EQ(annotation("ome.io/traffic-drain"),
              R"({"b":{"cluster":"worker-b","reason":"other"}})");
}

using PluginWholeTest = PluginTest;

TEST_F(PluginWholeTest, MapsHaveFourNamesInAnyCase) {
    for (const char* name : {"trafficmaps", "trafficmap", "tm", "tmap", "TrafficMaps", "TM"}) {
        const Ran ran = sh(fmt::format("kubectl ome get {} chat -n $NS", name));
        EXPECT_EQ(ran.code, 0) << name << ": " << ran.err;
        EXPECT_THAT(ran.out, HasSubstr("\nchat   All")) << name;
    }
    for (const char* not_one : {"trafficmap/chat", "trafficmaps.ome.io chat"}) {
        EXPECT_EQ(sh(fmt::format("kubectl ome get {} -n $NS", not_one)).code, 1) << not_one;
    }
    EXPECT_EQ(sh("kubectl ome get tm chat -A").code, 1);
    EXPECT_EQ(sh("kubectl ome get tm chat -n $NS -l team=search").code, 1);
}

TEST_F(PluginWholeTest, ObjectsAreThoseOfKubectl) {
    EXPECT_EQ(sh("kubectl ome get tm chat -n $NS -o yaml | kubectl create --dry-run=client -f - "
                 "-o json")
                  .out,
              sh("kubectl get tm chat -n $NS -o json | kubectl create --dry-run=client -f - "
                 "-o json")
                  .out);
    const Ran none = sh("kubectl ome get tm -n $NS -l team=other -o json");
    EXPECT_EQ(none.code, 0) << none.err;
    EXPECT_EQ(json::parse(none.out),
              (json::object{{"apiVersion", "v1"},
                            {"kind", "List"},
                            {"metadata", json::object()},
                            {"items", json::array()}}));
}

TEST_F(PluginWholeTest, PlainKubectlHasItsOwnColumns) {
    for (const char* name : {"trafficmaps", "tm", "tmap"}) {
        const Ran ran = sh(fmt::format("kubectl get {} -n $NS", name));
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_THAT(
            cells_of(lines_of(ran.out).at(0)),
            ElementsAre("NAME", "MODE", "PUBLISHED", "ROUTABLE", "OVERRIDE", "REASON", "AGE"));
    }
}

TEST_F(PluginWholeTest, WithoutOmeItSaysSo) {
    const CommandResult removed = kube_servers().kubectl({"delete", "crd", "trafficmaps.ome.io"});
    ASSERT_EQ(removed.exit_code, 0) << removed.output;
    EXPECT_TRUE(eventually([&] {
        return sh("kubectl ome get tm -n $NS").err ==
               fmt::format("error: list trafficmaps {}: OMEAPIMissing (install OME first)\n", ns);
    })) << sh("kubectl ome get tm -n $NS").err;
    const CommandResult again = kube_servers().kubectl({"apply", "-f", source_file("deploy/crds")});
    ASSERT_EQ(again.exit_code, 0) << again.output;
    EXPECT_TRUE(eventually([&] { return sh("kubectl get tm -n $NS").code == 0; }));
}

TEST_F(PluginWholeTest, ArgumentsAreCheckedBeforeAnythingIsAsked) {
    const auto error_of = [this](const std::string& words) {
        const Ran ran = sh("kubectl ome traffic " + words + " --server https://127.0.0.1:1");
        EXPECT_EQ(ran.code, 1) << words;
        EXPECT_EQ(ran.out, "") << words;
        return ran.err;
    };
    const std::string all = " --workload-cluster w --id i --reason r";
    EXPECT_EQ(error_of("drain chat --nonsense"),
              "error: invalid traffic action flags; use --help\n");
    EXPECT_EQ(error_of("drain" + all), "error: exactly one inference service is required\n");
    EXPECT_EQ(error_of("drain chat -o xml" + all),
              "error: output must be table, wide, json or yaml\n");
    EXPECT_EQ(error_of("drain chat --dry-run=maybe" + all),
              "error: dry-run must be none, client or server\n");
    EXPECT_EQ(error_of("drain Chat" + all), "error: invalid inference service name\n");
    EXPECT_EQ(error_of("drain chat --id i --reason r"),
              "error: traffic drain requires --workload-cluster; --cluster selects the Kubernetes "
              "API cluster\n");
    EXPECT_EQ(error_of("undrain chat --id A_b"),
              "error: traffic override ID must be a DNS-1123 label\n");
    EXPECT_EQ(error_of("drain chat --workload-cluster A_b --id i --reason r"),
              "error: traffic drain cluster must be a DNS-1123 subdomain\n");
    EXPECT_EQ(error_of("drain chat --workload-cluster w --id i --reason ' r'"),
              "error: traffic drain reason must be bounded, trimmed, printable, and non-secret\n");
}

// Who asks is a terminal, and who answers says yes or no; between the question and the answer
// another one writes.
class PluginAtATerminalTest : public PluginTest {
protected:
    Ran drain(const std::string& answer, const std::string& meanwhile = ":") {
        scratch.write("drain",
                      "kubectl ome traffic drain chat -n $NS --workload-cluster worker-a "
                      "--id maintenance-a --reason r; echo code $?\n");
        return sh(
            fmt::format("mkfifo {0}/answer-{2}\n"
                        "script -qec 'sh {0}/drain' /dev/null <{0}/answer-{2} >{0}/screen &\n"
                        "exec 3>{0}/answer-{2}\n"
                        "while ! grep -q 'y/N' {0}/screen; do sleep 0.05; done\n"
                        "{3}\n"
                        "printf '{1}\\n' >&3; wait; exec 3>&-; cat {0}/screen",
                        scratch.path("."),
                        answer,
                        ++count_,
                        meanwhile));
    }

private:
    int count_ = 0;
};

TEST_F(PluginAtATerminalTest, OnlyYesIsYes) {
    const Ran no = drain("n");
    EXPECT_THAT(no.out, HasSubstr("Confirm this exact action? [y/N]"));
    EXPECT_THAT(no.out,
                HasSubstr("error: action not confirmed; noninteractive input requires --yes"));
    EXPECT_THAT(no.out, HasSubstr("code 1"));
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
    const Ran yes = drain("YES");
    EXPECT_THAT(yes.out, HasSubstr("code 0"));
    EXPECT_EQ(annotation("ome.io/traffic-drain"),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"r"}})");
}

TEST_F(PluginAtATerminalTest, AWriteBeforeTheAnswerIsAConflict) {
    const Ran ran = drain("y", "kubectl annotate inferenceservice chat -n $NS example.com/x=1");
    EXPECT_THAT(ran.out,
                HasSubstr("error: guarded annotation patch rejected; refresh traffic status and "
                          "retry explicitly"));
    EXPECT_THAT(ran.out, HasSubstr("code 3"));
    EXPECT_EQ(annotation("ome.io/traffic-drain"), "");
    EXPECT_EQ(annotation("example.com/x"), "1");
}

// Writes to the service all the time, now to its annotations and now to its status, as a controller
// does; a few times in the time that a drain takes from its look to its patch, or not at all.
class Writer {
public:
    explicit Writer(const std::string& ns) : thread_([this, ns] { run(ns); }) {}
    ~Writer() { stop(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// How many writes of the annotation have succeeded.
    int stop() {
        stopping_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
        return written_;
    }

private:
    void run(const std::string& ns) {
        net::asio::io_context io{1};
        kube::Client client(io, kube_servers().access());
        std::mt19937 numbers(1);
        const auto write = [&](const char* part, const json::object& patch) {
            return ::ome::test::run(
                       io,
                       client.merge_patch(object_path(kube::inference_services, ns, "chat", part),
                                          json::serialize(patch),
                                          "writer"))
                .has_value();
        };
        for (int i = 1; !stopping_; ++i) {
            const std::string count = std::to_string(i);
            const json::object annotated{
                {"metadata", {{"annotations", {{"example.com/count", count}}}}}};
            written_ = write("", annotated) ? i : written_.load();
            write("status", {{"status", {{"placement", {{"message", count}}}}}});
            std::this_thread::sleep_for(std::chrono::milliseconds(numbers() % 60));
        }
    }

    std::atomic<bool> stopping_ = false;
    std::atomic<int> written_ = 0;
    std::thread thread_;
};

TEST_F(PluginWholeTest, UnderAConcurrentWriterNothingIsLostAndNothingIsRetried) {
    constexpr int most = 60;  // of the 64 drains that there may be
    Writer writer(ns);
    std::string expected;
    int conflicts = 0;
    int drains = 0;
    for (int i = 0; i < most && (conflicts < 3 || drains < 3); ++i) {
        const Ran ran =
            sh(fmt::format("kubectl ome traffic drain chat -n $NS --workload-cluster "
                           "worker-a --id w-{:03} --reason r --yes",
                           i));
        if (ran.code == 0) {
            ++drains;
            expected += fmt::format(R"({}"w-{:03}":{{"cluster":"worker-a","reason":"r"}})",
                                    expected.empty() ? "" : ",",
                                    i);
        } else {
            ++conflicts;
            EXPECT_EQ(ran.code, 3);
            EXPECT_EQ(ran.out, "");
            EXPECT_THAT(ran.err,
                        testing::EndsWith("error: guarded annotation patch rejected; refresh "
                                          "traffic status and retry explicitly\n"));
        }
        ASSERT_EQ(annotation("ome.io/traffic-drain"), expected.empty() ? "" : "{" + expected + "}")
            << "after exit code " << ran.code;
    }
    const int written = writer.stop();
    EXPECT_GE(conflicts, 3) << drains << " drains, " << written << " writes of the other";
    EXPECT_GE(drains, 3) << conflicts << " conflicts";
    EXPECT_EQ(annotation("example.com/count"), std::to_string(written))
        << "what the other wrote stays";
    EXPECT_EQ(annotation("example.com/owner"), "team");
}

}  // namespace
}  // namespace ome::test
