#include "run_settings.hpp"

#include "integration/scratch.hpp"
#include "support/source_file.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class RunSettingsTest : public testing::Test {
protected:
    std::variant<RunSettings, int> prepare(std::vector<std::string> arguments) {
        CLI::App app;
        RunOptions options;
        add_run_options(app, options);
        for (const auto& [name, value] : variables) {
            options.variables.push_back(name);
        }
        std::reverse(arguments.begin(), arguments.end());
        app.parse(arguments);
        return prepare_run(
            options,
            [this](const std::string& name) -> std::optional<std::string> {
                const auto found = variables.find(name);
                return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            out,
            err);
    }

    [[nodiscard]] std::string config() const {
        return scratch.write("config.json",
                             R"({"routing":{"enabled":true,"observer":{"maxConcurrentReconciles":8,
            "maxConcurrentRequests":16,"maxResponseBytes":65536,"minPeriod":"1s","maxSamples":100},
            "publisher":{"resyncInterval":"1m"}}})");
    }

    test::Scratch scratch;
    std::map<std::string, std::string> variables;
    std::string out;
    std::string err;
};

TEST_F(RunSettingsTest, TakeFlagsBeforeVariablesBeforeDefaults) {
    variables = {{"OME_TRAFFICMAP_LISTEN", "127.0.0.1:1"},
                 {"OME_TRAFFICMAP_PROBE_TIME_INTERVAL", "30s"},
                 {"OME_TRAFFICMAP_CONFIG", config()}};
    const auto prepared = prepare({"--store", "dir:/store", "--listen", "127.0.0.1:2"});
    ASSERT_TRUE(std::holds_alternative<RunSettings>(prepared)) << err;
    const auto& settings = std::get<RunSettings>(prepared);
    EXPECT_EQ(settings.app.store.kind, StoreChoice::Kind::Folder);
    EXPECT_EQ(settings.app.store.folder, "/store");
    EXPECT_EQ(settings.app.listen.port, 2);
    EXPECT_EQ(settings.app.probe_time_interval, 30s);
    EXPECT_EQ(settings.app.store.resync_interval, 60s);
    EXPECT_EQ(settings.app.observer.text, "http://127.0.0.1:7460");
    EXPECT_EQ(settings.app.configuration.routing.enabled, true);
}

TEST_F(RunSettingsTest, NameEverythingThatIsWrongAtOnce) {
    EXPECT_EQ(std::get<int>(prepare({"--store",
                                     "etcd",
                                     "--observer",
                                     "ftp://x",
                                     "--listen",
                                     "nowhere",
                                     "--probe-time-interval",
                                     "10",
                                     "--config",
                                     "c.json"})),
              78);
    EXPECT_THAT(err, HasSubstr("ome-trafficmap: --store \"etcd\" must be dir:PATH or kube\n"));
    EXPECT_THAT(err, HasSubstr("--observer \"ftp://x\" must be http://HOST:PORT"));
    EXPECT_THAT(err, HasSubstr("--listen \"nowhere\" must be IP:PORT"));
    EXPECT_THAT(err, HasSubstr("--probe-time-interval \"10\" must be a duration"));
}

TEST_F(RunSettingsTest, ShowNoPasswordOfAUrlThatCannotBeUsed) {
    EXPECT_EQ(std::get<int>(prepare({"--store",
                                     "dir:s",
                                     "--config",
                                     "c.json",
                                     "--observer",
                                     "http://me:s3cret@127.0.0.1:7460",
                                     "--print-config"})),
              78);
    EXPECT_THAT(err,
                HasSubstr("--observer \"http://***@127.0.0.1:7460\" must be http://HOST:PORT"));
    EXPECT_THAT(err + out, Not(HasSubstr("s3cret")));
}

TEST_F(RunSettingsTest, SayAllThatIsMissingAtOnceWithAnExample) {
    EXPECT_EQ(std::get<int>(prepare({})), 2);
    EXPECT_EQ(err,
              "ome-trafficmap: --store is missing (OME_TRAFFICMAP_STORE does as well). Where "
              "services are read and maps are written: dir:PATH, a folder, or kube, a Kubernetes "
              "API server.\n"
              "ome-trafficmap: --config is missing (OME_TRAFFICMAP_CONFIG does as well). The "
              "operator's multicluster configuration (JSON, YAML or its ConfigMap): whether "
              "routing is on, policies and limits. With --store kube: empty reads --config-map.\n"
              "Example: ome-trafficmap run --store dir:/var/lib/ome --config multicluster.json\n");
    err.clear();
    variables["OME_TRAFFICMAP_STORE"] = "dir:/store";
    EXPECT_EQ(std::get<int>(prepare({"--print-config"})), 2);
    EXPECT_THAT(err, testing::Not(HasSubstr("--store is missing")));
    EXPECT_THAT(err, HasSubstr("--config is missing"));
    EXPECT_THAT(out, HasSubstr("dir:/store")) << "what there is, is shown all the same";
}

TEST_F(RunSettingsTest, ChooseAnApiServer) {
    variables = {{"OME_TRAFFICMAP_SELECTOR", "team=chat,tier in (a,b)"}};
    const auto prepared = prepare({"--store",
                                   "kube",
                                   "--config",
                                   config(),
                                   "--kubeconfig",
                                   "/home/me/config",
                                   "--context",
                                   "prod",
                                   "--namespaces",
                                   "b,a,b",
                                   "--workload-kubeconfigs",
                                   scratch.path(""),
                                   "--identity",
                                   "me",
                                   "--lease-namespace",
                                   "ome-observer",
                                   "--lease-duration",
                                   "30s",
                                   "--listen",
                                   "127.0.0.1:0"});
    ASSERT_TRUE(std::holds_alternative<RunSettings>(prepared)) << err;
    const StoreChoice& store = std::get<RunSettings>(prepared).app.store;
    EXPECT_EQ(store.kind, StoreChoice::Kind::Kube);
    EXPECT_EQ(store.access.kubeconfig, "/home/me/config");
    EXPECT_EQ(store.access.context, "prod");
    EXPECT_EQ(store.kube.namespaces, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(store.kube.selector, "team=chat,tier in (a,b)");
    EXPECT_EQ(store.kube.workload_kubeconfigs, scratch.path(""));
    EXPECT_EQ(store.kube.lease_namespace, "ome-observer");
    EXPECT_EQ(store.kube.lease_name, "ome-trafficmap");
    EXPECT_EQ(store.kube.election.identity, "me");
    EXPECT_EQ(store.kube.election.lease_duration, 30s);
    EXPECT_EQ(store.kube.election.renew_deadline, 10s);
    EXPECT_EQ(store.kube.election.retry_period, 2s);
}

TEST_F(RunSettingsTest, NameAConfigMapOfAnApiServer) {
    const auto where = [this](std::vector<std::string> more) {
        more.insert(more.begin(), {"--store", "kube"});
        const auto prepared = prepare(more);
        if (!std::holds_alternative<RunSettings>(prepared)) {
            return std::string("refused");
        }
        const AppSettings& app = std::get<RunSettings>(prepared).app;
        return app.config_file.empty() ? app.config_map.ns + "/" + app.config_map.name
                                       : app.config_file;
    };
    EXPECT_EQ(where({}), "/ome-observer-config");
    EXPECT_EQ(where({"--config-map", "mine"}), "/mine");
    EXPECT_EQ(where({"--config-map", "a/mine"}), "a/mine");
    EXPECT_EQ(where({"--config", config()}), config());
    err.clear();
    for (const char* wrong : {"a/b/c", "/b", "a/", "Mine"}) {
        EXPECT_EQ(where({"--config-map", wrong}), "refused") << wrong;
        EXPECT_THAT(err, HasSubstr("must be NAME or NAMESPACE/NAME of a ConfigMap")) << wrong;
        err.clear();
    }
    EXPECT_EQ(where({"--config-map", "mine", "--config", config()}), "refused");
    EXPECT_THAT(
        err, HasSubstr("--config-map and --config name two configurations: one of them must go"));
    err.clear();
    EXPECT_EQ(std::get<int>(
                  prepare({"--store", "dir:/store", "--config", config(), "--config-map", "mine"})),
              78);
    EXPECT_THAT(err, HasSubstr("--config-map \"mine\" must not be given with --store dir:PATH"));
}

TEST_F(RunSettingsTest, RefuseWhatIsOfTheOtherStore) {
    variables = {{"OME_TRAFFICMAP_NAMESPACES", "demo"}};
    EXPECT_EQ(std::get<int>(prepare(
                  {"--store", "dir:/store", "--config", config(), "--lease-duration", "15s"})),
              78);
    EXPECT_THAT(err,
                HasSubstr("OME_TRAFFICMAP_NAMESPACES \"demo\" must not be given with "
                          "--store dir:PATH: it is for --store kube\n"));
    EXPECT_THAT(err, HasSubstr("--lease-duration \"15s\" must not be given with"));
    err.clear();
    EXPECT_EQ(std::get<int>(
                  prepare({"--store", "kube", "--config", config(), "--resync-interval", "5m"})),
              78);
    EXPECT_THAT(err,
                HasSubstr("--resync-interval \"5m\" must not be given with --store kube: it is for "
                          "--store dir:PATH\n"));
}

TEST_F(RunSettingsTest, CheckTheTimesOfALeaseAgainstEachOther) {
    EXPECT_EQ(std::get<int>(
                  prepare({"--store", "kube", "--config", config(), "--lease-duration", "10s"})),
              78);
    EXPECT_THAT(err, HasSubstr("--renew-deadline (10s) must be shorter than lease-duration (10s)"));
    err.clear();
    EXPECT_EQ(
        std::get<int>(prepare({"--store", "kube", "--config", config(), "--retry-period", "12s"})),
        78);
    EXPECT_THAT(err, HasSubstr("--retry-period (12s) must be shorter than renew-deadline (10s)"));
}

TEST_F(RunSettingsTest, NameTheRuleOfEachPartOfAnApiServer) {
    EXPECT_EQ(std::get<int>(prepare({"--store",
                                     "kube",
                                     "--config",
                                     config(),
                                     "--namespaces",
                                     "demo,Not_One",
                                     "--selector",
                                     "team='chat'",
                                     "--lease-namespace",
                                     "a.b",
                                     "--lease-name",
                                     "-",
                                     "--workload-kubeconfigs",
                                     "/none/such",
                                     "--lease-duration",
                                     "0s"})),
              78);
    EXPECT_THAT(err, HasSubstr("--workload-kubeconfigs \"/none/such\" must be a folder"));
    EXPECT_THAT(err, HasSubstr("--namespaces \"demo,Not_One\" must be names of namespaces"));
    EXPECT_THAT(err, HasSubstr("--selector \"team='chat'\" must be a label selector such as"));
    EXPECT_THAT(err, HasSubstr("--lease-namespace \"a.b\" must be a DNS-1123 label"));
    EXPECT_THAT(err, HasSubstr("--lease-name \"-\" must be a DNS-1123 subdomain"));
    EXPECT_THAT(err, HasSubstr("--lease-duration \"0s\" must be a duration"));
}

TEST_F(RunSettingsTest, NameAWrongStoreAndNotWhatWouldBeMissingWithIt) {
    EXPECT_EQ(std::get<int>(prepare({"--store", "kub", "--listen", "nowhere"})), 78);
    EXPECT_THAT(err, HasSubstr("--store \"kub\" must be dir:PATH or kube\n"));
    EXPECT_THAT(err, HasSubstr("--listen \"nowhere\""));
    EXPECT_THAT(err, testing::Not(HasSubstr("--config")));
    err.clear();
    EXPECT_EQ(std::get<int>(prepare({"--store", "dir:/store", "--listen", "nowhere"})), 2);
    EXPECT_THAT(err, HasSubstr("--config is missing"));
    EXPECT_THAT(err, HasSubstr("--listen \"nowhere\"")) << "all at once";
}

TEST_F(RunSettingsTest, RefuseASelectorThatNoServerCanRead) {
    for (const char* selector : {"=x", "a in ("}) {
        err.clear();
        EXPECT_EQ(std::get<int>(prepare({"--store", "kube", "--selector", selector})), 78);
        EXPECT_THAT(err,
                    HasSubstr(std::string("--selector \"") + selector +
                              "\" must be a label selector such as team=chat,tier in (a,b): "));
    }
}

TEST_F(RunSettingsTest, SayWhatIsWrongWithTheConfiguration) {
    const std::string file = scratch.write(
        "config.json", R"({"routing":{"enabled":true,"publisher":{"resyncInterval":"1m"}}})");
    EXPECT_EQ(std::get<int>(prepare({"--store", "dir:/store", "--config", file})), 78);
    EXPECT_THAT(err,
                HasSubstr("invalid multi-cluster configuration: "
                          "routing.observer.maxConcurrentReconciles must be positive when routing "
                          "is enabled"));
    err.clear();
    EXPECT_EQ(std::get<int>(prepare({"--store", "dir:/store", "--config", "/nowhere.json"})), 78);
    EXPECT_THAT(err, HasSubstr("/nowhere.json"));
}

TEST_F(RunSettingsTest, WarnOfVariablesThatSetNothing) {
    variables = {{"OME_TRAFFICMAP_LISEN", "127.0.0.1:1"}, {"OME_OBSERVER_LISEN", "x"}};
    const auto prepared = prepare({"--store", "dir:/store", "--config", config()});
    ASSERT_TRUE(std::holds_alternative<RunSettings>(prepared)) << err;
    EXPECT_THAT(std::get<RunSettings>(prepared).warnings,
                testing::ElementsAre("the environment variable OME_TRAFFICMAP_LISEN sets nothing; "
                                     "did you mean OME_TRAFFICMAP_LISTEN?"));
    EXPECT_EQ(err, "") << "the log tells them";
    EXPECT_EQ(std::get<int>(prepare({})), 2);
    EXPECT_THAT(err, HasSubstr("ome-trafficmap: warning: the environment variable OME_TRAFFIC"))
        << "which may be the reason why something is missing";
}

TEST_F(RunSettingsTest, WarnOfMembersOfTheConfigurationThatAreNotKnown) {
    const std::string file =
        scratch.write("odd.json", R"({"routing":{"enabled":false,"prob":{}}})");
    const auto prepared = prepare({"--store", "dir:/store", "--config", file});
    ASSERT_TRUE(std::holds_alternative<RunSettings>(prepared)) << err;
    EXPECT_THAT(
        std::get<RunSettings>(prepared).warnings,
        testing::ElementsAre("--config " + file +
                             ": routing.prob is not known and is ignored; did you mean probe?"));
}

TEST_F(RunSettingsTest, NameTheFlagAndTheFileThatIsOfAnotherSubject) {
    const std::string services = scratch.write("services.json", R"([{"homes":[]}])");
    EXPECT_EQ(std::get<int>(prepare({"--store", "dir:/store", "--config", services})), 78);
    EXPECT_EQ(err,
              "ome-trafficmap: --config " + services +
                  ": this is a list, expected a multicluster configuration (`routing`) or the "
                  "ConfigMap that holds it\n");
    err.clear();
    EXPECT_EQ(std::get<int>(prepare({"--store", "dir:/store", "--config", "/tmp"})), 78);
    EXPECT_EQ(err, "ome-trafficmap: --config /tmp: is a folder, expected a file\n");
}

TEST_F(RunSettingsTest, KeepTheTokenOutOfWhatIsShown) {
    const std::string token = scratch.write("token", "s3cret\n");
    const auto prepared =
        prepare({"--store", "dir:/store", "--config", config(), "--observer-token-file", token});
    ASSERT_TRUE(std::holds_alternative<RunSettings>(prepared)) << err;
    EXPECT_EQ(std::get<RunSettings>(prepared).app.observer.access.token, "s3cret");
    EXPECT_EQ(std::get<int>(prepare({"--store",
                                     "dir:/store",
                                     "--config",
                                     config(),
                                     "--observer-token-file",
                                     token,
                                     "--print-config"})),
              0);
    EXPECT_THAT(out, testing::Not(HasSubstr("s3cret")));
    EXPECT_EQ(std::get<int>(prepare({"--store",
                                     "dir:/store",
                                     "--config",
                                     config(),
                                     "--observer-token-file",
                                     scratch.write("empty", "\n")})),
              78);
    EXPECT_THAT(err, HasSubstr("holds no token"));
}

TEST_F(RunSettingsTest, PrintWhereEveryValueComesFrom) {
    variables["OME_TRAFFICMAP_LISTEN"] = "127.0.0.1:1";
    EXPECT_EQ(
        std::get<int>(prepare({"--store", "dir:/store", "--config", config(), "--print-config"})),
        0);
    EXPECT_THAT(out, HasSubstr("dir:/store"));
    EXPECT_THAT(out, HasSubstr("env OME_TRAFFICMAP_LISTEN"));
    EXPECT_THAT(out, HasSubstr("flag --store"));
}

std::string markdown_row(const core::Setting& setting) {
    const auto code = [](std::string_view text) {
        return text.empty() ? std::string() : "`" + std::string(text) + "`";
    };
    std::string row = "| " + code(core::flag_of(setting)) + " | " +
                      code(core::variable_of("ome-trafficmap", setting)) + " | ";
    row += code(setting.default_value) + (setting.default_value.empty() ? "| " : " | ");
    row += std::string(setting.unit) + (setting.unit.empty() ? "| " : " | ");
    return row + "restart | " + std::string(setting.help) + " |";
}

TEST(RunSettingsTable, IsWhatTheDocumentationSays) {
    std::vector<std::string> documented;
    std::ifstream document(test::source_file("docs/settings.md"));
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("| `--") && line.find("`OME_TRAFFICMAP_") != std::string::npos) {
            documented.push_back(line);
        }
    }
    std::vector<std::string> expected;
    std::string block;
    std::set<std::string_view> names;
    for (const core::Setting* setting : run_setting_list().rows) {
        EXPECT_TRUE(names.insert(setting->name).second) << setting->name;
        expected.push_back(markdown_row(*setting));
        block += expected.back() + "\n";
    }
    EXPECT_EQ(documented, expected) << "docs/settings.md should have these rows:\n" << block;
}

}  // namespace
}  // namespace ome::controller
