// What the plugin writes, through a real kubectl and to a real API server, above all while others
// write, too.
#include "kube/plugin.hpp"
#include "kubectl/cli.hpp"
#include "support/run.hpp"
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* annotation_of_drains = "ome.io/traffic-drain";
constexpr const char* drain_it =
    "kubectl ome traffic drain chat -n $NS --workload-cluster worker-a --id maintenance-a "
    "--reason 'planned maintenance'";

class PluginDrainTest : public PluginTest {
protected:
    [[nodiscard]] std::string drains() { return annotation(annotation_of_drains); }
};

TEST_F(PluginDrainTest, DrainsAndUndrains) {
    const std::string expected = preview_of({"traffic drain", "\"planned maintenance\"", "0 -> 1"});
    const Ran ran = sh(std::string(drain_it) + " --yes");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, expected);
    EXPECT_EQ(field_of(ran.out, "action"), "traffic drain");
    EXPECT_EQ(field_of(ran.out, "target"), fmt::format("InferenceService/{}/chat", ns));
    EXPECT_EQ(field_of(ran.out, "applied"), "Yes");
    EXPECT_EQ(field_of(ran.out, "overrides"), "0 -> 1");
    EXPECT_EQ(field_of(ran.out, "message"),
              "API accepted traffic annotation request; not TrafficM...");
    EXPECT_EQ(drains(),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"}})");
    EXPECT_EQ(annotation("example.com/owner"), "team") << "others stay";
    EXPECT_THAT(sh(std::string(drain_it) + " --yes").err,
                HasSubstr("error: traffic drain refused: override ID already exists"));

    const Ran off = sh("kubectl ome traffic undrain chat -n $NS --id maintenance-a --yes -o json");
    EXPECT_EQ(off.code, 0) << off.err;
    const json::value result = json::parse(off.out);
    EXPECT_EQ(result.at("action"), "traffic undrain");
    EXPECT_EQ(result.at("traffic").at("overridesAfter"), 0);
    EXPECT_EQ(drains(), "");
    EXPECT_EQ(annotation("example.com/owner"), "team");
}

TEST_F(PluginDrainTest, ADryRunChangesNothing) {
    const Ran server = sh(std::string(drain_it) + " --yes --dry-run=server");
    EXPECT_EQ(server.code, 0) << server.err;
    EXPECT_EQ(field_of(server.out, "accepted"), "Yes");
    EXPECT_EQ(field_of(server.out, "applied"), "No");
    const Ran local = sh(std::string(drain_it) + " --yes --dry-run=client");
    EXPECT_EQ(local.code, 0) << local.err;
    EXPECT_EQ(field_of(local.out, "accepted"), "No");
    EXPECT_EQ(drains(), "");
}

TEST_F(PluginDrainTest, ReadingSufficesForADryRunOfTheClientAndForNoOther) {
    let_read("stranger");
    EXPECT_EQ(sh(std::string(drain_it) + " --yes --dry-run=client", "stranger").code, 0);
    for (const char* mode : {"server", "none"}) {
        const Ran refused = sh(fmt::format("{} --yes --dry-run={}", drain_it, mode), "stranger");
        EXPECT_EQ(refused.code, 1) << mode;
        EXPECT_THAT(
            refused.err,
            HasSubstr(fmt::format(
                "error: required Kubernetes API request failed; check access and connectivity: "
                "Forbidden (inferenceservices.ome.io \"chat\" is forbidden: User \"stranger\" "
                "cannot patch resource \"inferenceservices\" in API group \"ome.io\" in the "
                "namespace \"{}\")\n",
                ns)));
    }
    EXPECT_EQ(drains(), "");
}

TEST_F(PluginDrainTest, WithoutATerminalNothingIsDoneUnasked) {
    const Ran ran = sh(drain_it);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err,
                HasSubstr("error: action not confirmed; noninteractive input requires --yes\n"));
    EXPECT_EQ(drains(), "");
}

// A person who says yes after something else has happened.
class SlowPerson final : public kubectl::Terminal {
public:
    explicit SlowPerson(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {}

    bool out(std::string_view text) override {
        output += text;
        return true;
    }
    void err(std::string_view text) override { errors += text; }
    [[nodiscard]] bool can_ask() const override { return true; }
    [[nodiscard]] bool is_screen() const override { return false; }
    [[nodiscard]] kubectl::Line read_line(std::size_t, core::Duration) override {
        meanwhile_();
        return {kubectl::Line::End::Complete, "y"};
    }
    [[nodiscard]] bool interrupted() const override { return false; }
    [[nodiscard]] std::size_t columns() const override { return 80; }

    std::string output;
    std::string errors;

private:
    std::function<void()> meanwhile_;
};

TEST_F(PluginDrainTest, AWriteInBetweenIsAConflictAndNothingIsLost) {
    const auto drain = [this](std::function<void()> meanwhile, const char* id, SlowPerson*& who) {
        static std::vector<std::unique_ptr<SlowPerson>> people;
        people.push_back(std::make_unique<SlowPerson>(std::move(meanwhile)));
        who = people.back().get();
        kubectl::Environment environment{
            *who, net::read_clock, [](const kubectl::Connection& connection) {
                return kubectl::open_cluster(connection);
            }};
        return kubectl::run_cli({"kubectl-ome",
                                 "traffic",
                                 "drain",
                                 "chat",
                                 "-n",
                                 ns,
                                 "--kubeconfig",
                                 kube_servers().kubeconfig(),
                                 "--workload-cluster",
                                 "worker-a",
                                 "--id",
                                 id,
                                 "--reason",
                                 "upgrade"},
                                environment);
    };
    const auto others = {
        std::function<void()>([this] { annotate("example.com/other", "newer"); }),
        std::function<void()>([this] { EXPECT_EQ(sh(std::string(drain_it) + " --yes").code, 0); }),
        std::function<void()>([this] {
            const auto patched =
                run(io,
                    client->merge_patch(object_path(kube::inference_services, ns, "chat", "status"),
                                        R"({"status":{"placement":{"phase":"Pending"}}})",
                                        "test"));
            EXPECT_TRUE(patched) << (patched ? "" : patched.error().message);
        }),
    };
    SlowPerson* who = nullptr;
    for (const auto& meanwhile : others) {
        EXPECT_EQ(drain(meanwhile, "upgrade", who), 3) << who->errors;
        EXPECT_THAT(
            who->errors,
            HasSubstr("error: guarded annotation patch rejected; refresh traffic status and "
                      "retry explicitly\n"));
        EXPECT_EQ(who->output, "");
        EXPECT_THAT(drains(), Not(HasSubstr("upgrade")));
    }
    EXPECT_EQ(annotation("example.com/other"), "newer");
    EXPECT_EQ(drain([] {}, "upgrade", who), 0) << who->errors;
    EXPECT_EQ(drains(),
              R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"},)"
              R"("upgrade":{"cluster":"worker-a","reason":"upgrade"}})");
}

TEST_F(PluginDrainTest, OfManyAtOnceNoneIsLost) {
    constexpr int writers = 4;
    // A script's loop: once more after somebody else's write, and only then.
    const Ran ran = sh(fmt::format(
        "for i in $(seq {}); do (\n"
        "  while :; do\n"
        "    kubectl ome traffic drain chat -n $NS --workload-cluster worker-a --id w-$i "
        "--reason r --yes\n"
        "    code=$?\n"
        "    [ $code = 0 ] && break\n"
        "    [ $code = 3 ] || {{ echo failed with $code; break; }}\n"
        "  done\n"
        ") & done; wait",
        writers));
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, Not(HasSubstr("failed"))) << ran.err;
    for (int i = 1; i <= writers; ++i) {
        EXPECT_THAT(drains(), HasSubstr(fmt::format("\"w-{}\"", i))) << ran.err;
    }
}

TEST_F(PluginDrainTest, DrainsAClusterAndWaitsForMapAndRoute) {
    const auto drain =
        started("kubectl ome traffic drain-cluster worker-a -n $NS --reason upgrade --yes --wait");
    ASSERT_TRUE(drain->wait_for_line("maps 0/1, routes 0/1", kube_patience)) << drain->output();
    EXPECT_EQ(drains(), R"({"cluster-worker-a":{"cluster":"worker-a","reason":"upgrade"}})");
    write_map({entry("worker-a", 0, "cluster-worker-a"), entry("worker-b", 1)});
    EXPECT_EQ(drain->wait_for_exit(kube_patience), 0) << drain->output();
    EXPECT_THAT(drain->output(), HasSubstr("maps 1/1, routes 1/1"));
}

}  // namespace
}  // namespace ome::test
