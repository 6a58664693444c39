// `kubectl-ome completion SHELL`, and `__complete`, which the scripts and kubectl call.
#include "cli.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "members.hpp"
#include "output_failed.hpp"
#include <ome/core/text.hpp>
#include <ome/routing/drains.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace ome::kubectl {
namespace {

// Nobody waits longer for a key press.
constexpr core::Duration patience = std::chrono::seconds(2);

/// The connection that the line asks for, as far as it is written.
Connection connection_of(const std::vector<std::string>& words) {
    Connection connection;
    const std::vector<std::pair<std::string_view, std::string*>> flags{
        {"--store", &connection.store},
        {"-n", &connection.ns},
        {"--namespace", &connection.ns},
        {"--kubeconfig", &connection.kubeconfig},
        {"--context", &connection.context},
        {"--user", &connection.user},
        {"-s", &connection.server},
        {"--server", &connection.server},
        {"--token", &connection.token},
        {"--certificate-authority", &connection.certificate_authority},
        {"--client-certificate", &connection.client_certificate},
        {"--client-key", &connection.client_key},
        {"--tls-server-name", &connection.tls_server_name},
    };
    connection.insecure_skip_tls_verify =
        std::find(words.begin(), words.end(), "--insecure-skip-tls-verify") != words.end();
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const auto& [flag, value] : flags) {
            if (words[i] == flag && i + 1 < words.size()) {
                *value = words[i + 1];
            } else if (flag.starts_with("--") && words[i].starts_with(std::string(flag) + "=")) {
                *value = words[i].substr(flag.size() + 1);
            }
        }
    }
    return connection;
}

void take_clusters(const json::value& map, std::set<std::string>& names) {
    if (const json::array* entries = array_at(map, {"spec", "entries"})) {
        for (const json::value& entry : *entries) {
            names.insert(text_at(entry, {"cluster"}));
        }
    }
}

void take_drains(const json::value& service, std::set<std::string>& names) {
    const auto drains = routing::parse_drains(
        text_at(service, {"metadata", "annotations", routing::drain_annotation}));
    if (drains) {
        for (const routing::Drain& drain : *drains) {
            names.insert(drain.id);
        }
    }
}

std::set<std::string> ask(Cluster& cluster, const std::string& ns, const Completion& wanted) {
    const bool of_services = wanted.names == Names::Services || wanted.names == Names::Drains;
    const bool everywhere = wanted.names == Names::Clusters || wanted.names == Names::Namespaces;
    const auto objects = list_all(cluster,
                                  {.kind = of_services ? Kind::InferenceService : Kind::TrafficMap,
                                   .ns = everywhere ? "" : ns},
                                  patience);
    std::set<std::string> names;
    if (!objects) {
        return names;
    }
    for (const json::value& object : objects->items) {
        const std::string name = text_at(object, {"metadata", "name"});
        if (wanted.names == Names::Clusters) {
            take_clusters(object, names);
        } else if (wanted.names == Names::Drains) {
            if (wanted.service.empty() || wanted.service == name) {
                take_drains(object, names);
            }
        } else if (wanted.names == Names::Namespaces) {
            names.insert(text_at(object, {"metadata", "namespace"}));
        } else {
            names.insert(name);
        }
    }
    return names;
}

int run_complete(Session& session, std::vector<std::string> words) {
    // What this command line has taken for its own flags is part of the other one.
    if (!words.empty() && words.front() == "--") {
        words.erase(words.begin());
    }
    Completion completion;
    with_commands([&](CLI::App& app) { completion = complete(app, words); });
    if (completion.names != Names::None) {
        Session other = session.with(connection_of(words));
        if (const auto cluster = other.cluster()) {
            for (const std::string& name : ask(**cluster, other.ns(), completion)) {
                if (name.starts_with(words.empty() ? "" : words.back())) {
                    completion.words.push_back(name);
                }
            }
        }
    }
    std::string text;
    for (const std::string& word : completion.words) {
        text += core::sanitize_detail(word) + "\n";
    }
    // kubectl's protocol: 4 says that file names are no alternative.
    return session.terminal().out(text + ":4\n") ? 0 : output_failed(session);
}

int run_script(Session& session, const std::string& shell) {
    const std::string script = completion_script(shell);
    if (script.empty()) {
        return session.fail(
            fmt::format("shell {} must be bash, zsh or fish", core::go_quote(shell)));
    }
    return session.terminal().out(script) ? 0 : output_failed(session);
}

constexpr const char* footer =
    "Completes commands, flags, and the names of services, clusters, drains and namespaces. "
    "kubectl\n"
    "itself completes `kubectl ome ...` through the link kubectl_complete-ome.\n"
    "\n"
    "Examples:\n"
    "  source <(kubectl-ome completion bash)\n"
    "  source <(kubectl-ome completion zsh)\n"
    "  kubectl-ome completion fish | source";

}  // namespace

void add_completion_commands(CLI::App& app, Run& run) {
    const auto shell = std::make_shared<std::string>();
    CLI::App* script = app.add_subcommand("completion", "Print a completion script for a shell");
    script->add_option("SHELL", *shell, "bash, zsh or fish")->required();
    script->footer(footer);
    script->callback(
        [shell, &run] { run = [shell](Session& session) { return run_script(session, *shell); }; });
    CLI::App* hidden = app.add_subcommand("__complete", "");
    hidden->group("");
    hidden->prefix_command();
    hidden->callback([hidden, &run] {
        const std::vector<std::string> words = hidden->remaining();
        run = [words](Session& session) { return run_complete(session, words); };
    });
}

}  // namespace ome::kubectl
