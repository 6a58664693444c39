#include "kube/guide_on_kube.hpp"

#include "support/source_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace ome::test {
namespace {

using namespace std::chrono_literals;

constexpr auto look_again = 500ms;

std::string plugin_folder() {
    const char* program = std::getenv("OME_KUBECTL_OME");
    return program == nullptr ? "OME_KUBECTL_OME-is-not-set"
                              : std::filesystem::path(program).parent_path().string();
}

}  // namespace

void GuideOnKube::clear(const std::string& name) {
    // No controller is there that would take the publisher's finalizers off.
    const std::string maps = kubectl({"get", "trafficmaps", "-n", name, "-o", "name"}).output;
    std::istringstream lines(maps);
    for (std::string map; std::getline(lines, map) && map.starts_with("trafficmap");) {
        std::ignore = kube_servers().kubectl({"patch",
                                              map,
                                              "-n",
                                              name,
                                              "--type=merge",
                                              "-p",
                                              R"({"metadata":{"finalizers":null}})"});
    }
    kubectl({"delete", "namespace", name, "--ignore-not-found", "--timeout=120s"});
}

void GuideOnKube::begin(const std::string& name) {
    clear(name);
    begun_ = name;
    kubectl({"create", "namespace", name});
    ns = name;
}

void GuideOnKube::TearDown() {
    controller.reset();
    if (!begun_.empty()) {
        clear(begun_);
    }
    RunOnKube::TearDown();
}

void GuideOnKube::place(const std::string& service, const std::vector<Home>& on) {
    boost::json::array candidates;
    for (const Home& home : on) {
        candidates.push_back(boost::json::object{{"cluster", home.cluster},
                                                 {"phase", "Admitted"},
                                                 {"endpoint", home.endpoint},
                                                 {"admittedReplicas", home.replicas},
                                                 {"readyReplicas", home.replicas}});
    }
    const boost::json::object placement{{"phase", "Placed"}, {"candidates", candidates}};
    patch("inferenceservice",
          service,
          boost::json::serialize(boost::json::object{{"status", {{"placement", placement}}}}),
          "--subresource=status");
}

// The values are OME's; the limits of the observer are those that the guide gives as the chart's.
std::string GuideOnKube::rendered(const std::string& values, const std::string& beside) {
    const GuideText limits(source_file("tests/kube/guides/capacity-polling.txt"));
    std::string text = yaml_below(values, "config:");
    for (const std::string& block : {yaml_below(limits.file("observer.yaml"), "routing:"),
                                     std::string("publisher:\n"),
                                     std::string("  resyncInterval: 1m\n")}) {
        std::istringstream lines(block);
        for (std::string line; std::getline(lines, line);) {
            text += "  " + line + "\n";
        }
    }
    return text + beside;
}

void GuideOnKube::run_controller(const std::string& values, const std::string& beside) {
    controller = std::make_unique<ControllerProcess>(
        kube_servers().kubeconfig("controller"),
        ns,
        LeaseTimes{},
        "guide",
        ControllerSetup{.configuration = rendered(values, beside)});
    EXPECT_TRUE(eventually([&] { return controller->leads() && controller->ready(); }))
        << controller->output();
}

CommandResult GuideOnKube::sh(const std::string& line) {
    Process shell({"/bin/sh",
                   "-c",
                   R"(cd "$0" && export PATH="$1:$PATH" KUBECONFIG="$2" && eval "$3")",
                   folder_.path("."),
                   kube_programs() + ":" + plugin_folder(),
                   kube_servers().kubeconfig(),
                   line});
    const auto code = shell.wait_for_exit(kube_patience);
    return {code.value_or(-1), shell.output()};
}

void GuideOnKube::expect_printed(const GuidePart& part) {
    const CommandResult ran = sh(part.command);
    EXPECT_EQ(ran.exit_code, 0) << part.command;
    EXPECT_EQ(as_printed(ran.output), as_printed(part.text)) << part.command;
}

void GuideOnKube::expect_soon(const GuidePart& part) {
    expect_soon(part.command, part.text);
}

void GuideOnKube::expect_soon(const std::string& command, const std::string& expected) {
    std::string shown;
    const bool came = eventually(
        [&] {
            std::ignore = controller->output();  // a full pipe would stop it
            shown = as_printed(sh(command).output);
            return shown == as_printed(expected);
        },
        look_again);
    EXPECT_TRUE(came) << command << "\nprints\n"
                      << shown << "\ninstead of\n"
                      << expected << "\ncontroller:\n"
                      << controller->output();
}

std::string GuideOnKube::filtered_log(const GuidePart& part) {
    const std::size_t filter = part.command.find('|');
    EXPECT_NE(filter, std::string::npos) << part.command;
    folder_.write("controller.log", controller->output());
    return sh("cat controller.log " + part.command.substr(filter)).output;
}

void GuideOnKube::expect_logged(const GuidePart& part, const std::string& text) {
    std::string shown;
    EXPECT_TRUE(eventually(
        [&] {
            shown = filtered_log(part);
            return shown.find(text) != std::string::npos;
        },
        look_again))
        << "no " << text << " in\n"
        << shown;
}

std::string GuideOnKube::uid_of(const std::string& service) {
    return field("inferenceservice", service, "{.metadata.uid}");
}

std::string with_routing(const std::string& manifest, const std::string& routing) {
    const std::size_t at = manifest.find("\n  routing:\n");
    EXPECT_NE(at, std::string::npos) << manifest;
    return manifest.substr(0, at + 1) + routing;
}

std::string with_line(const std::string& manifest,
                      const std::string& begin,
                      const std::string& line) {
    std::istringstream lines(manifest);
    std::string text;
    bool done = false;
    for (std::string one; std::getline(lines, one);) {
        const std::size_t margin = std::min(one.find_first_not_of(' '), one.size());
        if (done || !one.substr(margin).starts_with(begin)) {
            text += one + "\n";
            continue;
        }
        done = true;
        text += line.empty() ? "" : one.substr(0, margin) + line + "\n";
    }
    EXPECT_TRUE(done) << "no line " << begin << " in\n" << manifest;
    return text;
}

}  // namespace ome::test
