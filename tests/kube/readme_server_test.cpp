// "Run on your cluster" of docs/run-beside-ome.md as a new user reads it: its commands in their
// order, taken from the page. Only what a kubelet would do is done by the test.
#include "kube/guide_on_kube.hpp"
#include "kube/pod_on_kube.hpp"
#include "support/scripted_dns.hpp"
#include "support/source_file.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>

namespace ome::test {
namespace {

namespace json = boost::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* example = "qwen3-0-6b";
constexpr const char* programs_of_the_page = "build/src/";

// Where a program of the page may listen, and where it finds the other, by variables of its own.
constexpr const char* with_our_ports =
    R"(cd "$0" && export KUBECONFIG="$1" OME_OBSERVER_LISTEN="$2" OME_TRAFFICMAP_LISTEN="$3" )"
    R"(OME_TRAFFICMAP_OBSERVER="http://$2" OME_OBSERVER_DNS_SERVERS="$4" && eval "exec $5")";

/// The commands of a section, comments left out and continued lines joined.
std::vector<std::string> commands_of(const std::string& section) {
    std::ifstream in(source_file("docs/run-beside-ome.md"));
    std::vector<std::string> commands;
    bool here = false;
    bool fenced = false;
    for (std::string line; std::getline(in, line);) {
        here = line.starts_with("## ") ? line == "## " + section : here;
        if (line.starts_with("```")) {
            fenced = line == "```sh";
            continue;
        }
        if (!here || !fenced) {
            continue;
        }
        const bool goes_on = !commands.empty() && commands.back().ends_with('\\');
        std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        text.erase(std::min(text.find("  #"), text.size()));
        text.erase(text.find_last_not_of(' ') + 1);
        if (goes_on) {
            commands.back().pop_back();
            commands.back() += text;
        } else {
            commands.push_back(std::move(text));
        }
    }
    return commands;
}

std::string program_at(const char* variable) {
    const char* path = std::getenv(variable);
    return path == nullptr ? std::string(variable) + " is not set" : path;
}

DnsReply no_such_name(const std::string& /*name*/, bool /*v6*/) {
    return {.rcode = 3};
}

class Readme : public GuideOnKube {
protected:
    void SetUp() override {
        GuideOnKube::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        if (!PodOnKube::possible()) {
            GTEST_SKIP() << "no mounts of our own: unshare --user --mount is not permitted here";
        }
        clear(example);
        ns = example;
    }
    void TearDown() override {
        programs_.clear();
        pods_.clear();
        if (!IsSkipped()) {
            kube_servers().kubectl({"delete",
                                    "-n",
                                    "ome-observer",
                                    "deployment",
                                    "ome-trafficmap",
                                    "--ignore-not-found"});
        }
        GuideOnKube::TearDown();
    }

    /// As many as the Deployment wants. No name is looked up anywhere but here.
    void act_as_kubelet() {
        const json::value deployment = json::parse(
            kubectl({"get", "deployment", "ome-trafficmap", "-n", "ome-observer", "-o", "json"})
                .output);
        for (std::int64_t made = 0; made < deployment.at_pointer("/spec/replicas").as_int64();
             ++made) {
            pods_.push_back(std::make_unique<PodOnKube>(
                deployment,
                std::map<std::string, std::string>{
                    {"ome-observer", program_at("OME_OBSERVER")},
                    {"ome-trafficmap", program_at("OME_TRAFFICMAP")}},
                std::vector<std::string>{"OME_OBSERVER_DNS_SERVERS=" + dns_.address()}));
        }
        for (const char* probe : {"livenessProbe", "readinessProbe"}) {
            for (const auto& pod : pods_) {
                EXPECT_TRUE(eventually([&] { return pod->passes(probe); })) << probe << "\n"
                                                                            << pod->output();
            }
        }
    }

    /// Programs of the page listen where they may, and find each other there.
    void start_program(std::string command) {
        const std::size_t end = command.find(" &");
        command.erase(std::min(end, command.size()));
        for (const auto& [name, variable] :
             {std::pair{"observer/ome-observer", "OME_OBSERVER"},
              std::pair{"controller/ome-trafficmap", "OME_TRAFFICMAP"}}) {
            const std::string path = programs_of_the_page + std::string(name);
            if (command.starts_with(path + " ")) {
                command.replace(0, path.size(), program_at(variable));
            }
        }
        programs_.push_back(std::make_unique<Process>(
            std::vector<std::string>{"/bin/sh",
                                     "-c",
                                     with_our_ports,
                                     source_file(),
                                     kube_servers().kubeconfig(),
                                     fmt::format("127.0.0.1:{}", observer_port_),
                                     fmt::format("127.0.0.1:{}", controller_port_),
                                     dns_.address(),
                                     command}));
    }

    CommandResult run_command(const std::string& command) {
        CommandResult ran = sh("cd " + source_file() + " && " + command);
        EXPECT_EQ(ran.exit_code, 0) << command << "\n" << ran.output;
        return ran;
    }

    std::string output_of_all() {
        std::string all;
        for (const auto& pod : pods_) {
            all += pod->output();
        }
        for (const auto& program : programs_) {
            std::ignore = program->wait_for_line("\n\n", std::chrono::milliseconds(1));
            all += program->output();
        }
        return all;
    }

    /// The output of a command, once it says what it should.
    void expect_output(const std::string& command, const testing::Matcher<std::string>& wanted) {
        std::string shown;
        EXPECT_TRUE(eventually([&] {
            shown = run_command(command).output;
            std::ignore = output_of_all();
            return wanted.Matches(shown);
        })) << command
            << "\n"
            << shown << "\n"
            << output_of_all();
    }

    ScriptedDns dns_{no_such_name};
    std::uint16_t observer_port_ = free_port();
    std::uint16_t controller_port_ = free_port();
    std::vector<std::unique_ptr<PodOnKube>> pods_;
    std::vector<std::unique_ptr<Process>> programs_;
};

TEST_F(Readme, RunOnYourCluster) {
    // What a command prints in the end, by how it begins; the others have to succeed.
    const std::vector<std::pair<std::string, testing::Matcher<std::string>>> wanted{
        {"kubectl apply -f deploy/crds/", HasSubstr("trafficmaps.ome.io")},
        {"kubectl apply -f deploy/examples/kubernetes/",
         HasSubstr("deployment.apps/ome-trafficmap")},
        {"kubectl -n ome-observer get lease",
         ContainsRegex("NAME +HOLDER +AGE\nome-trafficmap +[^ ]+_[0-9a-f-]+ ")},
        {"kubectl get trafficmaps",
         AllOf(ContainsRegex("NAMESPACE +NAME +MODE +PUBLISHED +ROUTABLE +OVERRIDE +REASON +AGE\n"),
               ContainsRegex(
                   "qwen3-0-6b +qwen3-0-6b +All +False +True +False +AllHomesProbeFailed "))},
        {"kubectl -n qwen3-0-6b describe trafficmap",
         AllOf(HasSubstr("AllHomesProbeFailed"),
               ContainsRegex("Events:.*GateClosed"),
               HasSubstr("no such host"))},
    };
    std::size_t seen = 0;
    for (const std::string& command : commands_of("Run on your cluster")) {
        if (command.starts_with(programs_of_the_page)) {
            pods_.clear();
            start_program(command);
            continue;
        }
        const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const auto& one) {
            return command.starts_with(one.first);
        });
        if (found == wanted.end()) {
            run_command(command);
            continue;
        }
        ++seen;
        expect_output(command, found->second);
        if (command == "kubectl apply -f deploy/examples/kubernetes/") {
            act_as_kubelet();
        }
        if (HasFailure()) {
            FAIL() << output_of_all();
        }
    }
    EXPECT_EQ(seen, wanted.size()) << "the page has lost a command";
    ASSERT_EQ(programs_.size(), 2U) << "an observer and a controller from one's own machine";
    // Nobody else is there any more to write it.
    kubectl({"patch",
             "trafficmap",
             example,
             "-n",
             example,
             "--type=json",
             "-p",
             R"([{"op":"replace","path":"/spec/entries/0/weight","value":9}])"});
    EXPECT_TRUE(eventually([&] { return weights(example) == "1 1"; })) << output_of_all();
}

}  // namespace
}  // namespace ome::test
