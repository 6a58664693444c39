// `kubectl ome traffic drain-cluster CLUSTER` and `undrain-cluster`
#include "cluster_drain.hpp"
#include "commands.hpp"
#include "confirmation.hpp"
#include "drain_cluster.hpp"
#include "names.hpp"
#include "output_failed.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ome::kubectl {
namespace {

constexpr core::Duration time_to_answer = std::chrono::minutes(5);

struct Arguments {
    bool drain = true;
    std::vector<std::string> clusters;
    std::string id;
    std::string reason;
    std::string lasts;
    std::string dry_run = "none";
    std::string timeout = "5m";
    bool skip_last = false;
    bool wait = false;
    bool yes = false;
    bool has_reason = false;  ///< it stands on the command line, be it empty
};

core::Result<DrainRequest> request_of(const Arguments& arguments, core::WallTime now) {
    const std::string& cluster = arguments.clusters[0];
    DrainRequest request;
    request.id = arguments.id.empty() ? id_for_cluster(cluster) : arguments.id;
    if (arguments.drain) {
        request.hold = {cluster, arguments.reason};
    }
    if (auto problem = broken_rule(request)) {
        const bool unsaid = arguments.drain && !arguments.has_reason && is_label(request.id);
        return core::Problem{
            *problem + (unsaid ? "\nhint: --reason is missing; it tells others what the drain is "
                                 "for: --reason 'node upgrade'"
                               : "")};
    }
    if (!arguments.lasts.empty()) {
        const auto lasts = core::parse_duration(arguments.lasts);
        if (!lasts || *lasts < std::chrono::seconds(1)) {
            return core::Problem{fmt::format(
                "--for {} must be a duration of at least 1s, such as 30m or 2h", arguments.lasts)};
        }
        request.hold->until = now + *lasts;
    }
    return request;
}

std::string question(const ClusterDrain& run, const ServicesToDrain& services) {
    const std::size_t lose = services.last_ones;
    return fmt::format("{} {} {} {} as {}{}? [y/N] ",
                       run.drains() ? "Drain" : "Undrain",
                       run.name,
                       run.drains() ? "out of" : "in",
                       core::counted(services.keys.size(), "service", "services"),
                       run.request.id,
                       lose == 0 ? std::string()
                                 : fmt::format(", {} of which {} last serving home",
                                               lose,
                                               lose == 1 ? "loses its" : "lose their"));
}

// The exit code of telling what was done.
int report(const ClusterDrain& run, const DrainsWritten& written) {
    std::string text;
    for (const core::ServiceKey& key : written.done) {
        if (written.already.contains(key)) {
            continue;
        }
        text += fmt::format("{} {}{}\n",
                            name_of(key),
                            run.drains() ? "drained" : "undrained",
                            run.mode == DryRun::None
                                ? std::string()
                                : fmt::format(" (dry run: {})", to_string(run.mode)));
    }
    const bool told = run.session.terminal().out(text);
    for (const auto& [key, problem] : written.failed) {
        run.session.terminal().err(
            fmt::format("error: {}: {}\n", name_of(key), core::sanitize_detail(problem)));
    }
    return told ? 0
                : output_failed(run.session,
                                "write traffic action result failed; check traffic status");
}

int carry_out(const ClusterDrain& run, const Arguments& arguments, core::Duration timeout) {
    const auto services = services_to_drain(run);
    if (!services) {
        return run.session.fail(services.error().message);
    }
    if (services->keys.empty()) {
        run.session.terminal().err(
            run.drains()
                ? fmt::format("no map has a home on {} that is not drained as {} already\n",
                              run.name,
                              run.request.id)
                : fmt::format("no service has a drain of {} named {}\n", run.name, run.request.id));
        return 0;
    }
    // A dry run stores nothing that would have to be confirmed.
    if (!arguments.yes && run.mode == DryRun::None) {
        if (const auto problem =
                not_confirmed(run.session.terminal(), question(run, *services), time_to_answer)) {
            return run.session.fail(*problem);
        }
    }
    const DrainsWritten written = write_drains(run, services->keys);
    const int told = report(run, written);
    const int waited =
        arguments.wait && run.mode == DryRun::None ? wait_for_maps(run, written.done, timeout) : 0;
    return written.failed.empty() ? std::max(told, waited) : 1;
}

int run_drain_cluster(Session& session, const Arguments& arguments) {
    if (arguments.clusters.size() != 1) {
        return session.fail("exactly one workload cluster is required");
    }
    const auto mode = parse_dry_run(arguments.dry_run);
    if (!mode) {
        return session.fail("dry-run must be none, client or server");
    }
    const auto timeout = core::parse_duration(arguments.timeout);
    if (!timeout) {
        return session.fail(
            fmt::format("--timeout {} must be a duration such as 5m", arguments.timeout));
    }
    if (!is_subdomain(arguments.clusters[0])) {
        return session.fail("traffic drain cluster must be a DNS-1123 subdomain");
    }
    auto request = request_of(arguments, session.now().wall);
    if (!request) {
        return session.fail(request.error().message);
    }
    const auto cluster = session.cluster();
    if (!cluster) {
        return session.fail(cluster.error().message);
    }
    const ClusterDrain run{.session = session,
                           .cluster = **cluster,
                           .name = arguments.clusters[0],
                           .ns = session.connection().ns,
                           .request = *std::move(request),
                           .mode = *mode,
                           .skip_last = arguments.skip_last};
    return carry_out(run, arguments, *timeout);
}

constexpr const char* drain_footer =
    "Puts a drain of one ID (by default cluster-CLUSTER) on every service that has a home on the\n"
    "cluster; of all namespaces, or of one with -n. It warns of services that would lose their "
    "last\n"
    "serving home, and asks. A service that somebody else writes at the same time is tried again.\n"
    "--wait shows progress until maps and routes have followed (maps, where no publisher runs).\n"
    "Services that get a home there later are not drained.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' --wait\n"
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' \\\n"
    "      --for 2h --skip-last --yes\n"
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' \\\n"
    "      --dry-run=client\n"
    "\n"
    "Exit codes: 0 done, 1 refused, a service failed, or not followed in time.";

constexpr const char* undrain_footer =
    "Takes the drain that drain-cluster put on off again; other drains stay.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic undrain-cluster worker-a --wait\n"
    "\n"
    "Exit codes: 0 done, 1 refused, a service failed, or not followed in time.";

void add(CLI::App& traffic, Run& run, bool drain) {
    const auto arguments = std::make_shared<Arguments>();
    arguments->drain = drain;
    CLI::App* command = traffic.add_subcommand(
        drain ? "drain-cluster" : "undrain-cluster",
        drain ? "Drain a cluster out of every service" : "Put a cluster back into every service");
    command->fallthrough();
    command->add_option("CLUSTER", arguments->clusters, "the workload cluster");
    if (drain) {
        command->add_option("--reason", arguments->reason, "for people, at most 256 bytes");
        command->add_option("--for", arguments->lasts, "ends by itself after this time (30m, 2h)");
        command->add_flag("--skip-last",
                          arguments->skip_last,
                          "leave services alone that have no other serving home");
    }
    command->add_option("--id", arguments->id, "the drains' name; by default cluster-CLUSTER");
    command->add_option("--dry-run", arguments->dry_run, "none, client or server")
        ->capture_default_str();
    command->add_flag("--wait", arguments->wait, "until the routes have followed");
    command->add_option("--timeout", arguments->timeout, "of --wait")->capture_default_str();
    command->add_flag("--yes", arguments->yes, "do not ask");
    command->footer(drain ? drain_footer : undrain_footer);
    command->callback([arguments, command, &run] {
        arguments->has_reason = arguments->drain && command->count("--reason") > 0;
        run = [arguments](Session& session) { return run_drain_cluster(session, *arguments); };
    });
}

}  // namespace

void add_drain_cluster_commands(CLI::App& app, Run& run) {
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    add(traffic, run, true);
    add(traffic, run, false);
}

}  // namespace ome::kubectl
