#include "cli.hpp"

#include "cluster_folder.hpp"
#include "cluster_kube.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "invocation.hpp"
#include "names.hpp"
#include "output_failed.hpp"
#include "terminal.hpp"
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>
#include <ome/core/version.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/help_layout.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

namespace ome::kubectl {
namespace {

// What exists; a command that is added to the program is added here.
constexpr std::array commands{
    add_get_command,
    add_endpoint_command,
    add_drain_commands,
    add_why_command,
    add_top_command,
    add_watch_command,
    add_drain_cluster_commands,
    add_completion_commands,
};

constexpr const char* description =
    "Shows TrafficMaps, explains their weights, and drains clusters. A kubectl plugin.";

constexpr const char* footer =
    "Examples:\n"
    "  kubectl ome traffic why chat -n prod    why each cluster has its weight\n"
    "  kubectl ome traffic top -A              all maps, the worst first\n"
    "  kubectl ome get tm -A -o wide\n"
    "  kubectl ome traffic drain chat -n prod --workload-cluster worker-a \\\n"
    "      --id upgrade --reason 'node upgrade' --for 2h\n"
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' --wait\n"
    "  kubectl ome traffic why chat -n prod --store dir:store    without a cluster\n"
    "\n"
    "Each command has a --help of its own. Exit codes: 0 done, 1 failure, 3 a drain that somebody\n"
    "else's write came before.";

void add_connection(CLI::App& app, Connection& connection) {
    const char* const kubectl = "As for kubectl";
    app.add_option("--store", connection.store, "dir:PATH, a folder of manifests instead of an API")
        ->group("Store");
    app.add_option("-n,--namespace", connection.ns, "the namespace of the request")->group(kubectl);
    app.add_option("--kubeconfig", connection.kubeconfig, "the kubeconfig file")->group(kubectl);
    app.add_option("--context", connection.context, "the kubeconfig context")->group(kubectl);
    app.add_option("--cluster", connection.cluster, "the kubeconfig cluster, no workload cluster")
        ->group(kubectl);
    app.add_option("--user", connection.user, "the kubeconfig user")->group(kubectl);
    app.add_option("-s,--server", connection.server, "the API server's URL")->group(kubectl);
    app.add_option("--token", connection.token, "a bearer token")->group(kubectl);
    app.add_option("--certificate-authority", connection.certificate_authority, "a file of roots")
        ->group(kubectl);
    app.add_option("--client-certificate", connection.client_certificate, "a file of ours")
        ->group(kubectl);
    app.add_option("--client-key", connection.client_key, "the file of its key")->group(kubectl);
    app.add_option("--tls-server-name", connection.tls_server_name, "whom the certificate names")
        ->group(kubectl);
    app.add_flag("--insecure-skip-tls-verify",
                 connection.insecure_skip_tls_verify,
                 "do not check the API server's certificate")
        ->group(kubectl);
    app.add_option("--request-timeout", connection.request_timeout, "for one request, at most 10s")
        ->group(kubectl);
}

void build(CLI::App& app, Connection& connection, Run& run, std::string_view commit = {}) {
    net::lay_out_help(app);
    app.footer(footer);
    app.set_version_flag("--version", core::version_text("kubectl-ome", commit));
    app.require_subcommand(1);
    add_connection(app, connection);
    for (const auto add : commands) {
        add(app, run);
    }
}

// A drain's flags have one text for all that can be wrong with them.
bool is_about_a_drain(const std::vector<std::string>& words) {
    return words.size() > 1 && words[0] == "traffic" &&
           (words[1] == "drain" || words[1] == "undrain");
}

// The words that name a command, in front.
std::vector<std::string> with_words_of_name(std::vector<std::string> arguments) {
    std::vector<std::string> words = words_of_name(arguments.empty() ? "" : arguments.front());
    if (!arguments.empty()) {
        arguments.erase(arguments.begin());
    }
    words.insert(words.end(),
                 std::make_move_iterator(arguments.begin()),
                 std::make_move_iterator(arguments.end()));
    return words;
}

// CLI11 leaves the name of a flag out of what it says on a missing value.
int usage_failure(CLI::App& app,
                  const std::vector<std::string>& words,
                  const CLI::ParseError& error,
                  Session& session) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    if (code == 0) {
        return session.terminal().out(out.str()) ? 0 : output_failed(session);
    }
    if (const auto unknown = unknown_command(app, words)) {
        return session.fail(fmt::format("{} use --help", *unknown));
    }
    const std::string_view known = error.what();
    return session.fail(fmt::format("{}; use --help", core::sanitize_detail(known)));
}

}  // namespace

CLI::App& group(CLI::App& app, const char* name, const char* description) {
    const auto held =
        app.get_subcommands([name](const CLI::App* one) { return one->get_name() == name; });
    if (!held.empty()) {
        return *held.front();
    }
    CLI::App* made = app.add_subcommand(name, description);
    made->fallthrough();
    made->require_subcommand(1);
    return *made;
}

Answer<std::unique_ptr<Cluster>> open_cluster(const Connection& connection,
                                              std::function<bool()> interrupted) {
    constexpr std::string_view folder = "dir:";
    if (connection.store.starts_with(folder)) {
        return FolderCluster::open(connection.store.substr(folder.size()));
    }
    if (!connection.store.empty()) {
        return ClusterError{
            Failure::Unavailable,
            fmt::format("--store {} must be dir:PATH", core::go_quote(connection.store))};
    }
    return KubeCluster::open(connection, kube::process_environment(), std::move(interrupted));
}

void with_commands(const std::function<void(CLI::App&)>& use) {
    CLI::App app(description, "kubectl ome");
    Connection connection;
    Run run;
    build(app, connection, run);
    use(app);
}

int run_cli(std::vector<std::string> arguments, Environment& environment) {
    const std::vector<std::string> words =
        core::with_empty_values(with_words_of_name(std::move(arguments)));
    CLI::App app(description, "kubectl ome");
    Connection connection;
    Run run;
    build(app, connection, run, environment.commit);
    const bool drain = is_about_a_drain(words);
    std::vector<std::string> backwards(words.rbegin(), words.rend());  // as CLI11 takes them
    try {
        app.parse(backwards);
    } catch (const CLI::ParseError& error) {
        Session session(environment, connection);
        if (drain && error.get_exit_code() != 0) {
            return session.fail("invalid traffic action flags; use --help");
        }
        return usage_failure(app, words, error, session);
    }
    Session session(environment, connection);
    if (!connection.request_timeout.empty() && !parse_request_timeout(connection.request_timeout)) {
        return session.fail(fmt::format("--request-timeout {} must be a duration such as 5s",
                                        core::go_quote(connection.request_timeout)));
    }
    // A drain has words of its own for it.
    if (!drain && !connection.ns.empty() && !is_label(connection.ns)) {
        return session.fail(
            fmt::format("--namespace {} must be a DNS-1123 label", core::go_quote(connection.ns)));
    }
    return run ? run(session) : session.fail("no command was given; use --help");
}

int run_cli(int argc, const char* const* argv, std::string_view commit) {
    const auto terminal = process_terminal();
    Environment environment{*terminal,
                            net::read_clock,
                            [&terminal](const Connection& connection) {
                                return open_cluster(
                                    connection, [&terminal] { return terminal->interrupted(); });
                            },
                            std::string(commit)};
    return run_cli(std::vector<std::string>(argv, argv + argc), environment);
}

}  // namespace ome::kubectl
