#include "kube/pod_on_kube.hpp"

#include "integration/observer_process.hpp"
#include "support/http_call.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ome::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr auto grace = std::chrono::seconds(60);

// Nothing that is mounted there outlives the process, or is seen by others.
constexpr const char* with_mount =
    R"(at=$1; files=$2; shift 2; mount -t tmpfs tmpfs "$0" && mkdir -p "${at%/*}" && )"
    R"(ln -s "$files" "$at" && exec env "$@")";

std::string text(const json::value& value) {
    return std::string(value.as_string());
}

const json::array& list(const json::value& of, const char* member) {
    static const json::array none;
    const json::value* found = of.as_object().if_contains(member);
    return found == nullptr ? none : found->as_array();
}

void replace_all(std::string& word, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = word.find(what, at)) != std::string::npos; at += by.size()) {
        word.replace(at, what.size(), by);
    }
}

json::value get(const std::vector<std::string>& what) {
    std::vector<std::string> arguments{"get", "-o", "json"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    const CommandResult got = kube_servers().kubectl(std::move(arguments));
    EXPECT_EQ(got.exit_code, 0) << got.output;
    return json::parse(got.output);
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool PodOnKube::possible() {
    Process look({"/bin/sh", "-c", "exec unshare --user --map-root-user --mount true"});
    return look.wait_for_exit(grace) == 0;
}

PodOnKube::PodOnKube(const json::value& deployment,
                     const std::map<std::string, std::string>& program_paths,
                     const std::vector<std::string>& variables) {
    const json::value& pod = deployment.at_pointer("/spec/template/spec");
    mount_volumes(pod, text(deployment.at_pointer("/metadata/namespace")));
    for (const char* kind : {"initContainers", "containers"}) {
        for (const json::value& container : list(pod, kind)) {
            start(container, program_paths, variables);
        }
    }
}

PodOnKube::~PodOnKube() {
    for (auto one = containers_.rbegin(); one != containers_.rend(); ++one) {
        one->process->signal(SIGTERM);
        EXPECT_EQ(one->process->wait_for_exit(grace), 0) << text(one->spec.at("name")) << ":\n"
                                                         << one->process->output();
    }
}

void PodOnKube::mount_volumes(const json::value& pod, const std::string& ns) {
    for (const json::value& volume : list(pod, "volumes")) {
        const std::string name = text(volume.at("name"));
        const std::string folder = scratch_.path(name);
        fs::create_directory(folder);
        folders_[name] = folder;
        if (const json::value* map = volume.as_object().if_contains("configMap")) {
            write_config_map(folder, *map, ns);
        }
        if (const json::value* projected = volume.as_object().if_contains("projected")) {
            for (const json::value& source : list(*projected, "sources")) {
                write_api_access(folder, source, text(pod.at("serviceAccountName")), ns);
            }
        }
    }
}

void PodOnKube::write_config_map(const std::string& folder,
                                 const json::value& source,
                                 const std::string& ns) const {
    const json::value map = get({"configmap", text(source.at("name")), "-n", ns});
    for (const auto& file : map.at("data").as_object()) {
        std::ofstream(folder + "/" + std::string(file.key())) << text(file.value());
    }
}

void PodOnKube::write_api_access(const std::string& folder,
                                 const json::value& source,
                                 const std::string& account,
                                 const std::string& ns) const {
    const json::object& kinds = source.as_object();
    if (const json::value* token = kinds.if_contains("serviceAccountToken")) {
        const CommandResult made = kube_servers().kubectl({"create", "token", account, "-n", ns});
        EXPECT_EQ(made.exit_code, 0) << made.output;
        std::ofstream(folder + "/" + text(token->at("path"))) << made.output;
    }
    // The controller manager would publish the authority as kube-root-ca.crt.
    if (const json::value* map = kinds.if_contains("configMap")) {
        for (const json::value& item : list(*map, "items")) {
            std::ofstream(folder + "/" + text(item.at("path")))
                << read_file(kube_servers().authority_file());
        }
    }
    if (const json::value* fields = kinds.if_contains("downwardAPI")) {
        for (const json::value& item : list(*fields, "items")) {
            EXPECT_EQ(text(item.at_pointer("/fieldRef/fieldPath")), "metadata.namespace");
            std::ofstream(folder + "/" + text(item.at("path"))) << ns;
        }
    }
}

// Its own ports, on loopback, and the folders where the manifest says they are.
std::string PodOnKube::with_our_places(std::string word, const json::value& spec) {
    for (const char* port : {"7460", "7461", "7470"}) {
        auto [ours, added] = ports_.try_emplace(port, 0);
        ours->second = added ? free_port() : ours->second;
        replace_all(word, std::string(":") + port, fmt::format(":{}", ours->second));
    }
    replace_all(word, "0.0.0.0:", "127.0.0.1:");
    for (const json::value& mount : list(spec, "volumeMounts")) {
        replace_all(word, text(mount.at("mountPath")), folders_.at(text(mount.at("name"))));
    }
    return word;
}

void PodOnKube::start(const json::value& spec,
                      const std::map<std::string, std::string>& program_paths,
                      const std::vector<std::string>& variables) {
    std::vector<std::string> command{
        "KUBERNETES_SERVICE_HOST=127.0.0.1",
        fmt::format("KUBERNETES_SERVICE_PORT={}", kube_servers().port())};
    command.insert(command.end(), variables.begin(), variables.end());
    command.push_back(program_paths.at(text(spec.at("command").as_array().at(0))));
    for (const char* part : {"command", "args"}) {
        const json::array& words = list(spec, part);
        for (std::size_t at = part == std::string_view("command") ? 1 : 0; at < words.size();
             ++at) {
            command.push_back(with_our_places(text(words[at]), spec));
        }
    }
    for (const json::value& mount : list(spec, "volumeMounts")) {
        const std::string at = text(mount.at("mountPath"));
        if (at.starts_with("/var/run/")) {
            const std::vector<std::string> own{
                "/bin/sh",
                "-c",
                R"(exec unshare --user --map-root-user --mount "$0" "$@")",
                "/bin/sh",
                "-c",
                with_mount,
                "/var/run/",
                at,
                folders_.at(text(mount.at("name")))};
            command.insert(command.begin(), own.begin(), own.end());
        }
    }
    if (!command.front().starts_with('/')) {
        command.insert(command.begin(), "/usr/bin/env");
    }
    containers_.push_back({spec, std::make_unique<Process>(std::move(command))});
    if (spec.as_object().contains("startupProbe")) {
        EXPECT_TRUE(eventually([&] { return passes(containers_.back(), "startupProbe"); }))
            << output();
    }
}

bool PodOnKube::passes(const Container& container, const char* probe) const {
    const json::value& get = container.spec.at(probe).at("httpGet");
    for (const json::value& port : list(container.spec, "ports")) {
        if (port.at("name") == get.at("port")) {
            const std::string number = std::to_string(port.at("containerPort").as_int64());
            return http_call(ports_.at(number), "GET", text(get.at("path"))).status == 200;
        }
    }
    ADD_FAILURE() << "no port " << get;
    return false;
}

bool PodOnKube::passes(const char* probe) const {
    return std::all_of(containers_.begin(), containers_.end(), [&](const Container& one) {
        return passes(one, probe);
    });
}

std::string PodOnKube::output() {
    std::string all;
    for (Container& container : containers_) {
        std::ignore = container.process->wait_for_line("\n\n", std::chrono::milliseconds(1));
        all += container.process->output();
    }
    return all;
}

}  // namespace ome::test
