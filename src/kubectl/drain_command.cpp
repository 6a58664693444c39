// `kubectl ome traffic drain` and `undrain` (contract/publisher-cli.md 2.3)
#include "action_text.hpp"
#include "commands.hpp"
#include "confirmation.hpp"
#include "elsewhere.hpp"
#include "names.hpp"
#include "output_failed.hpp"
#include <ome/core/deadline.hpp>
#include <ome/core/duration.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ome::kubectl {
namespace {

/// The prompt included.
constexpr core::Duration whole_budget = std::chrono::seconds(45);

constexpr const char* request_failed =
    "required Kubernetes API request failed; check access and connectivity";

struct Arguments {
    bool drain = true;
    std::vector<std::string> names;
    std::string workload_cluster;
    std::string id;
    std::string reason;
    std::string lasts;
    std::string dry_run = "none";
    std::string output = "table";
    bool yes = false;
    // Whether they stand on the command line, be it empty.
    bool has_id = false;
    bool has_reason = false;
};

std::optional<std::string> usage_problem(const Arguments& arguments) {
    if (arguments.names.size() != 1) {
        return "exactly one inference service is required";
    }
    if (!parse_format(arguments.output)) {
        return std::string(format_rule);
    }
    if (!parse_dry_run(arguments.dry_run)) {
        return "dry-run must be none, client or server";
    }
    if (!is_subdomain(arguments.names[0])) {
        return "invalid inference service name";
    }
    if (arguments.drain && arguments.workload_cluster.empty()) {
        return "traffic drain requires --workload-cluster; --cluster selects the Kubernetes API "
               "cluster";
    }
    return std::nullopt;
}

// Absent: what was given is no duration of at least a second.
std::optional<core::Duration> positive_duration(const std::string& text) {
    const auto parsed = core::parse_duration(text);
    return parsed && *parsed >= std::chrono::seconds(1) ? parsed : std::nullopt;
}

/// One run, with what is left of its time.
class DrainRun {
public:
    DrainRun(Session& session, const Arguments& arguments)
        : session_(session),
          arguments_(arguments),
          give_up_(core::later(session.now().steady, whole_budget)) {}

    int run() {
        if (const auto problem = check()) {
            return session_.fail(*problem);
        }
        const auto service = read();
        if (!service) {
            return session_.fail(service.error().message);
        }
        auto plan = plan_drain(action_.request, *service);
        if (!plan) {
            return session_.fail(plan.error().message + hint_of_ids(action_.request, *service));
        }
        action_.plan = *std::move(plan);
        if (const auto warning = unknown_home(action_.request, *service)) {
            session_.warn(*warning);
        }
        if (const auto warning = frozen_warning(action_.request, *service)) {
            session_.warn(*warning);
        }
        session_.terminal().err(preview_text(action_));
        if (const auto problem = confirm()) {
            return session_.fail(*problem);
        }
        return action_.dry_run == DryRun::Client ? report() : patch();
    }

private:
    std::optional<std::string> check() {
        if (auto problem = usage_problem(arguments_)) {
            return problem;
        }
        DrainRequest& request = action_.request;
        request.service = arguments_.names[0];
        request.id = arguments_.id;
        if (arguments_.drain) {
            request.hold = {arguments_.workload_cluster, arguments_.reason};
        }
        action_.dry_run = *parse_dry_run(arguments_.dry_run);
        if (auto problem = broken_rule(request)) {
            return *problem + hint_of_missing();
        }
        if (!arguments_.lasts.empty()) {
            const auto lasts = positive_duration(arguments_.lasts);
            if (!lasts) {
                return fmt::format("--for {} must be a duration of at least 1s, such as 30m or 2h",
                                   arguments_.lasts);
            }
            request.hold->until = session_.now().wall + *lasts;
        }
        const auto cluster = session_.cluster();
        if (!cluster) {
            return cluster.error().message;
        }
        cluster_ = *cluster;
        request.ns = session_.ns();
        action_.context = cluster_->context();
        return is_label(request.ns)
                   ? std::nullopt
                   : std::optional<std::string>("resolved workload namespace is invalid");
    }

    // The rules of the contract tell how a value must be, and not that there is none.
    [[nodiscard]] std::string hint_of_missing() const {
        if (!arguments_.has_id) {
            return arguments_.drain
                       ? "\nhint: --id is missing; it names the drain, and undrain takes it off by "
                         "that name: --id node-upgrade"
                       : "\nhint: --id is missing; the IDs of a service's drains are told by "
                         "`kubectl ome traffic why`";
        }
        if (arguments_.drain && !arguments_.has_reason && is_label(arguments_.id) &&
            is_subdomain(arguments_.workload_cluster)) {
            return "\nhint: --reason is missing; it tells others what the drain is for: --reason "
                   "'node upgrade'";
        }
        return {};
    }

    [[nodiscard]] core::Duration left() const {
        return std::max(core::Duration::zero(), give_up_ - session_.now().steady);
    }
    [[nodiscard]] core::Duration request_time() const {
        return std::min(left(), session_.request_time());
    }

    static std::string words_for(const ClusterError& error) {
        if (error.what == Failure::Timeout) {
            return "context deadline exceeded";
        }
        if (error.what == Failure::Cancelled) {
            return "context canceled";
        }
        // Behind the contract's text stands what to repair. It has no other for what admission
        // rejects without a word.
        const std::string words = words_in_full(error);
        return words == to_string(Failure::Rejected) ? request_failed
                                                     : fmt::format("{}: {}", request_failed, words);
    }

    core::Result<json::value> read() {
        auto service = cluster_->get(
            Kind::InferenceService, {action_.request.ns, action_.request.service}, request_time());
        if (!service && service.error().what == Failure::NotFound) {
            return core::Problem{words_for(service.error()) + where_it_is_not(service.error())};
        }
        if (!service) {
            return core::Problem{words_for(service.error())};
        }
        return *std::move(service);
    }

    // What is in a folder anybody here can see.
    std::string where_it_is_not(const ClusterError& error) {
        const DrainRequest& request = action_.request;
        const core::ServiceKey key{request.ns, request.service};
        std::string hint = elsewhere_hint(session_, *cluster_, Kind::InferenceService, key, error);
        if (hint.empty() && is_folder(action_.context)) {
            hint = fmt::format(
                "\nhint: {} has no InferenceService {}/{}; --namespace says where it is looked for",
                action_.context,
                request.ns,
                request.service);
        }
        return hint;
    }

    std::optional<std::string> confirm() {
        if (arguments_.yes || action_.dry_run != DryRun::None) {
            return std::nullopt;  // a dry run stores nothing that would have to be confirmed
        }
        return not_confirmed(session_.terminal(), "Confirm this exact action? [y/N] ", left());
    }

    int patch() {
        const DrainRequest& request = action_.request;
        const auto answer = cluster_->patch({.key = {request.ns, request.service},
                                             .operations = action_.plan.patch,
                                             .dry_run = action_.dry_run == DryRun::Server},
                                            request_time());
        if (!answer && answer.error().what == Failure::Conflict) {
            return session_.fail(
                "guarded annotation patch rejected; refresh traffic status and retry explicitly",
                conflict_code);
        }
        if (!answer) {
            return session_.fail(words_for(answer.error()));
        }
        if (!is_answer_to(request, action_.plan, *answer)) {
            return session_.fail(
                "API response is not bound to the request; outcome unknown, check traffic status");
        }
        return report();
    }

    int report() {
        const Format format = *parse_format(arguments_.output);
        const bool as_table = format == Format::Table || format == Format::Wide;
        const std::string text =
            as_table ? result_table(action_, format == Format::Wide)
                     : document(result_document(action_, session_.now().wall), format);
        return session_.terminal().out(text)
                   ? 0
                   : output_failed(session_,
                                   "write traffic action result failed; check traffic status");
    }

    Session& session_;
    const Arguments& arguments_;
    core::SteadyTime give_up_;
    Cluster* cluster_ = nullptr;
    Action action_;
};

constexpr const char* drain_footer =
    "Writes the annotation ome.io/traffic-drain of the InferenceService, guarded: if anything has\n"
    "written the object since it was read, nothing is changed and the exit code is 3. A drain "
    "holds\n"
    "its cluster at weight 0 until it is taken off by its ID. With --for it also gets an expiry,\n"
    "which ome-trafficmap obeys (OME's own controller does not know it). --cluster is kubectl's "
    "own\n"
    "flag and chooses the API server.\n"
    "\n"
    "Examples:\n"
    "  kubectl ome traffic drain chat -n prod --workload-cluster worker-a \\\n"
    "      --id maintenance-a --reason 'planned maintenance'\n"
    "  kubectl ome traffic drain chat -n prod --workload-cluster worker-a \\\n"
    "      --id upgrade --reason 'node upgrade' --for 2h --yes\n"
    "  ... --dry-run=server          the API server checks, nothing is stored\n"
    "\n"
    "Exit codes: 0 done, 1 refused or failed, 3 somebody else wrote first.";

constexpr const char* undrain_footer =
    "Examples:\n"
    "  kubectl ome traffic undrain chat -n prod --id maintenance-a\n"
    "  kubectl ome traffic undrain chat -n prod --id maintenance-a --yes -o json\n"
    "\n"
    "Exit codes: 0 done, 1 refused or failed, 3 somebody else wrote first.";

void add(CLI::App& traffic, Run& run, bool drain) {
    const auto arguments = std::make_shared<Arguments>();
    arguments->drain = drain;
    CLI::App* command = traffic.add_subcommand(
        drain ? "drain" : "undrain",
        drain ? "Hold a cluster of a service at weight 0" : "Take a drain off by its ID");
    command->fallthrough();
    command->add_option("INFERENCESERVICE", arguments->names, "the service");
    if (drain) {
        command->add_option(
            "--workload-cluster", arguments->workload_cluster, "the home to hold at 0");
        command->add_option("--reason", arguments->reason, "for people, at most 256 bytes");
        command->add_option("--for", arguments->lasts, "ends by itself after this time (30m, 2h)");
    }
    command->add_option("--id", arguments->id, "the drain's name, a DNS-1123 label");
    command->add_option("--dry-run", arguments->dry_run, "none, client or server")
        ->capture_default_str();
    command->add_option("-o,--output", arguments->output, "table, wide, json or yaml")
        ->capture_default_str();
    command->add_flag("--yes", arguments->yes, "do not ask");
    command->footer(drain ? drain_footer : undrain_footer);
    command->callback([arguments, command, &run] {
        arguments->has_id = command->count("--id") > 0;
        arguments->has_reason = arguments->drain && command->count("--reason") > 0;
        run = [arguments](Session& session) { return DrainRun(session, *arguments).run(); };
    });
}

}  // namespace

void add_drain_commands(CLI::App& app, Run& run) {
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    add(traffic, run, true);
    add(traffic, run, false);
}

}  // namespace ome::kubectl
