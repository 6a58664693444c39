// `kubectl ome traffic drain-cluster CLUSTER` and `undrain-cluster`
#include "action_text.hpp"
#include "cluster_drain.hpp"
#include "commands.hpp"
#include "live_objects.hpp"
#include "names.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace ome::kubectl {
namespace {

constexpr int most_attempts = 5;
constexpr std::size_t longest_answer = 16;
constexpr core::Duration time_to_answer = std::chrono::minutes(5);
constexpr core::Duration look_interval = std::chrono::milliseconds(250);

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
};

std::string name_of(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

class ClusterRun {
public:
    ClusterRun(Session& session, const Arguments& arguments)
        : session_(session), arguments_(arguments) {}

    int run() {
        if (const auto problem = check()) {
            return session_.fail(*problem);
        }
        if (const auto problem = find_services()) {
            return session_.fail(*problem);
        }
        if (keys_.empty()) {
            say(arguments_.drain ? "no map has a home on {} that is not drained as {} already\n"
                                 : "no service has a drain of {} named {}\n");
            return 0;
        }
        if (!confirmed()) {
            return session_.fail("action not confirmed; noninteractive input requires --yes");
        }
        patch_all();
        report();
        const int waited = arguments_.wait && mode_ == DryRun::None ? wait() : 0;
        return failed_.empty() ? waited : 1;
    }

private:
    void say(std::string_view text) {
        session_.terminal().err(fmt::format(fmt::runtime(text), cluster_name(), request_.id));
    }
    [[nodiscard]] const std::string& cluster_name() const { return arguments_.clusters[0]; }

    std::optional<std::string> check() {
        if (arguments_.clusters.size() != 1) {
            return "exactly one workload cluster is required";
        }
        const auto mode = parse_dry_run(arguments_.dry_run);
        if (!mode) {
            return "dry-run must be none, client or server";
        }
        mode_ = *mode;
        const auto timeout = core::parse_duration(arguments_.timeout);
        if (!timeout) {
            return fmt::format("--timeout {} must be a duration such as 5m", arguments_.timeout);
        }
        timeout_ = *timeout;
        if (!is_subdomain(cluster_name())) {
            return "traffic drain cluster must be a DNS-1123 subdomain";
        }
        request_.id = arguments_.id.empty() ? id_for_cluster(cluster_name()) : arguments_.id;
        if (arguments_.drain) {
            request_.hold = {cluster_name(), arguments_.reason};
        }
        if (auto problem = broken_rule(request_)) {
            return problem;
        }
        if (!arguments_.lasts.empty()) {
            const auto lasts = core::parse_duration(arguments_.lasts);
            if (!lasts || *lasts < std::chrono::seconds(1)) {
                return fmt::format("--for {} must be a duration of at least 1s, such as 30m or 2h",
                                   arguments_.lasts);
            }
            request_.hold->until = session_.now().wall + *lasts;
        }
        const auto cluster = session_.cluster();
        if (!cluster) {
            return cluster.error().message;
        }
        cluster_ = *cluster;
        ns_ = session_.connection().ns;
        return std::nullopt;
    }

    std::optional<std::string> find_services() {
        const Kind kind = arguments_.drain ? Kind::TrafficMap : Kind::InferenceService;
        const auto objects =
            list_all(*cluster_, {.kind = kind, .ns = ns_}, session_.request_time());
        if (!objects) {
            return fmt::format("list {}s: {}", to_string(kind), words_of(objects.error()));
        }
        for (const std::string& problem : objects->left_out) {
            session_.warn(problem);
        }
        if (!arguments_.drain) {
            keys_ = held_by(objects->items, cluster_name(), request_.id);
            return std::nullopt;
        }
        auto affected = affected_by(objects->items, cluster_name(), request_.id);
        if (affected.empty()) {
            const auto known = clusters_of(objects->items);
            return core::sanitize_detail(
                fmt::format("no map has a home on {}; known clusters: {}",
                            cluster_name(),
                            known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
        }
        std::size_t held = 0;
        for (Affected& one : affected) {
            one.returns = one.held_back && one.other_serving == 0 && returns_by_itself(one.key);
            if (one.held) {
                ++held;
                session_.terminal().err(fmt::format("{}: drained already\n", name_of(one.key)));
            } else if (one.last_serving() && arguments_.skip_last) {
                session_.terminal().err(fmt::format("{}: skipped, {} is its last serving home\n",
                                                    name_of(one.key),
                                                    cluster_name()));
            } else {
                keys_.push_back(one.key);
                if (one.last_serving()) {
                    session_.warn(fmt::format(
                        "{} is the last serving home of {}: nobody will answer its requests",
                        cluster_name(),
                        name_of(one.key)));
                    ++last_ones_;
                }
            }
        }
        if (held > 0 && !arguments_.lasts.empty()) {
            session_.warn(
                fmt::format("{} services are drained as {} already: these drains keep "
                            "their own end, --for changes nothing there",
                            held,
                            request_.id));
        }
        return std::nullopt;
    }

    // Held at 0 now, and the last one when its drain ends: a second drain that does not would take
    // the service away.
    bool returns_by_itself(const core::ServiceKey& key) {
        const auto service = cluster_->get(Kind::InferenceService, key, session_.request_time());
        return service && drains_lapse(*service, cluster_name());
    }

    bool confirmed() {
        if (arguments_.yes || mode_ != DryRun::None) {
            return true;  // a dry run stores nothing that would have to be confirmed
        }
        if (!session_.terminal().can_ask()) {
            return false;
        }
        session_.terminal().err(fmt::format(
            "{} {} {} {} services as {}{}? [y/N] ",
            arguments_.drain ? "Drain" : "Undrain",
            cluster_name(),
            arguments_.drain ? "out of" : "in",
            keys_.size(),
            request_.id,
            last_ones_ > 0 ? fmt::format(", {} of which lose their last serving home", last_ones_)
                           : std::string()));
        Line line = session_.terminal().read_line(longest_answer, time_to_answer);
        std::transform(line.text.begin(), line.text.end(), line.text.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        return line.end == Line::End::Complete && (line.text == "y" || line.text == "yes");
    }

    void patch_all() {
        for (const core::ServiceKey& key : keys_) {
            if (session_.terminal().interrupted()) {
                failed_.emplace_back(key, "not tried: interrupted");
                continue;
            }
            if (const std::string problem = patch(key); problem.empty()) {
                done_.push_back(key);
            } else {
                failed_.emplace_back(key, problem);
            }
        }
    }

    // Somebody else's write in between is no reason to give up: the drain is planned anew. Empty:
    // done.
    std::string patch(const core::ServiceKey& key) {
        request_.ns = key.ns;
        request_.service = key.name;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            const auto service =
                cluster_->get(Kind::InferenceService, key, session_.request_time());
            if (!service) {
                return words_of(service.error());
            }
            if (arguments_.drain && !held_by({*service}, cluster_name(), request_.id).empty()) {
                session_.terminal().err(fmt::format(
                    "{}: drained already{}; its map has not followed yet\n",
                    name_of(key),
                    arguments_.lasts.empty() ? "" : ", and keeps its own end, whatever --for"));
                already_.insert(key);
                return "";
            }
            const auto plan = plan_drain(request_, *service);
            if (!plan) {
                return plan.error().message;
            }
            if (const auto warning =
                    attempt == 0 ? frozen_warning(request_, *service) : std::nullopt) {
                session_.warn(*warning);
            }
            if (mode_ == DryRun::Client) {
                return "";
            }
            const auto answer = cluster_->patch(
                {.key = key, .operations = plan->patch, .dry_run = mode_ == DryRun::Server},
                session_.request_time());
            if (answer) {
                return "";
            }
            if (answer.error().what != Failure::Conflict) {
                return words_of(answer.error());
            }
        }
        return fmt::format("somebody else wrote first, {} times", most_attempts);
    }

    void report() {
        const char* verb = arguments_.drain ? "drained" : "undrained";
        std::string text;
        for (const core::ServiceKey& key : done_) {
            if (already_.contains(key)) {
                continue;
            }
            text += fmt::format("{} {}{}\n",
                                name_of(key),
                                verb,
                                mode_ == DryRun::None
                                    ? std::string()
                                    : fmt::format(" (dry run: {})", to_string(mode_)));
        }
        std::ignore = session_.terminal().out(text);
        for (const auto& [key, problem] : failed_) {
            session_.terminal().err(
                fmt::format("error: {}: {}\n", name_of(key), core::sanitize_detail(problem)));
        }
    }

    // Until the routes have followed, or the maps where nothing is published.
    int wait() {
        auto maps = LiveObjects::open(*cluster_, Kind::TrafficMap, ns_);
        if (!maps) {
            return session_.fail(fmt::format("watch trafficmaps: {}", words_of(maps.error())));
        }
        const core::SteadyTime began = session_.now().steady;
        std::string shown;
        for (;;) {
            const std::vector<core::ServiceKey> behind = look(maps->objects(), shown);
            if (behind.empty()) {
                return 0;
            }
            if (session_.now().steady - began >= timeout_ || session_.terminal().interrupted()) {
                for (const core::ServiceKey& key : behind) {
                    session_.terminal().err(
                        fmt::format("error: {} has not followed\n", name_of(key)));
                }
                return 1;
            }
            if (const auto error = maps->follow(look_interval)) {
                return session_.fail(fmt::format("watch trafficmaps: {}", words_of(*error)));
            }
        }
    }

    [[nodiscard]] Followed how_far(const std::map<core::ServiceKey, json::value>& maps,
                                   const core::ServiceKey& key) {
        if (const auto map = maps.find(key); map != maps.end()) {
            return followed(map->second, cluster_name(), request_.id, arguments_.drain);
        }
        // A map that is gone sends nothing anywhere; one that cannot be read may.
        const auto map = cluster_->get(Kind::TrafficMap, key, session_.request_time());
        return !map && map.error().what == Failure::NotFound ? Followed::Route : Followed::No;
    }

    std::vector<core::ServiceKey> look(const std::map<core::ServiceKey, json::value>& maps,
                                       std::string& shown) {
        std::vector<core::ServiceKey> behind;
        std::size_t followed_maps = 0;
        std::size_t routes = 0;
        std::size_t followed_routes = 0;
        for (const core::ServiceKey& key : done_) {
            const Followed far = how_far(maps, key);
            followed_maps += far != Followed::No ? 1U : 0U;
            const auto map = maps.find(key);
            const bool routed = map == maps.end() || has_route(map->second);
            routes += routed ? 1U : 0U;
            followed_routes += routed && far == Followed::Route ? 1U : 0U;
            if (far != Followed::Route) {
                behind.push_back(key);
            }
        }
        const std::string progress = fmt::format(
            "maps {}/{}{}\n",
            followed_maps,
            done_.size(),
            routes == 0 ? std::string() : fmt::format(", routes {}/{}", followed_routes, routes));
        if (progress != shown) {
            session_.terminal().err(progress);
            shown = progress;
        }
        return behind;
    }

    Session& session_;
    const Arguments& arguments_;
    Cluster* cluster_ = nullptr;
    DrainRequest request_;
    DryRun mode_ = DryRun::None;
    core::Duration timeout_{};
    std::string ns_;  ///< empty: all namespaces
    std::vector<core::ServiceKey> keys_;
    std::size_t last_ones_ = 0;
    std::vector<core::ServiceKey> done_;
    std::set<core::ServiceKey> already_;  ///< of done_: nothing was to be written
    std::vector<std::pair<core::ServiceKey, std::string>> failed_;
};

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
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' --for 2h --skip-last "
    "--yes\n"
    "  kubectl ome traffic drain-cluster worker-a --reason 'node upgrade' --dry-run=client\n"
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
    command->callback([arguments, &run] {
        run = [arguments](Session& session) { return ClusterRun(session, *arguments).run(); };
    });
}

}  // namespace

void add_drain_cluster_commands(CLI::App& app, Run& run) {
    CLI::App& traffic = group(app, "traffic", "Drains, and why a weight is what it is");
    add(traffic, run, true);
    add(traffic, run, false);
}

}  // namespace ome::kubectl
