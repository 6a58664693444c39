#include "model/scenario.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace ome::model {
namespace {

struct ProbeKind {
    std::int64_t failures;
    std::int64_t passes;
    const char* period;
};
constexpr ProbeKind probes[] = {{0, 0, ""}, {3, 2, "2s"}, {2, 1, "3s"}};

struct CapacityKind {
    std::int64_t samples;
    std::int64_t quorum;
    const char* period;
    const char* max_age;
    Millis max_age_ms;
};
constexpr CapacityKind polls[] = {
    {0, 0, "", "", 0}, {4, 2, "2s", "8s", 8000}, {1, 1, "3s", "6s", 6000}};

core::ProbeSettings probe_settings(const ProbeKind& kind) {
    core::ProbeSettings probe;
    probe.path = "/v1/models";
    probe.method = "GET";
    probe.accept_statuses = {{200}};
    probe.gate_statuses = {{500, 503}};
    probe.period = kind.period;
    probe.timeout = "1s";
    probe.failure_threshold = kind.failures;
    probe.success_threshold = kind.passes;
    probe.all_failed_policy = kind.failures == 3 ? "PreserveTraffic" : "Drain";
    return probe;
}

core::CapacitySettings capacity_settings(const CapacityKind& kind) {
    core::CapacitySettings capacity;
    capacity.path = "/capacity";
    capacity.method = "GET";
    capacity.format = "Report";
    capacity.samples = kind.samples;
    capacity.quorum = kind.quorum;
    capacity.period = kind.period;
    capacity.timeout = "1s";
    capacity.max_age = kind.max_age;
    return capacity;
}

std::string cluster_name(std::size_t number) {
    return "worker-" + std::string(1, static_cast<char>('a' + number));
}

}  // namespace

std::size_t pick(Random& random, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
}

bool chance(Random& random, double probability) {
    return std::uniform_real_distribution<>(0, 1)(random) < probability;
}

core::RoutingSettings installation() {
    core::RoutingSettings settings;
    settings.enabled = true;
    settings.observer = {8, 16, 65536, "1s", 100};
    settings.publisher.resync_interval = "1m";
    return settings;
}

Scenario::Scenario(std::string ns, std::string name, Random& random)
    : key_{std::move(ns), std::move(name)} {
    recreate();
    for (std::size_t i = 0; i < 1 + pick(random, 3); ++i) {
        homes_[cluster_name(i)] = {"http://" + key_.name + "." + cluster_name(i), 4, 4, 1};
    }
}

void Scenario::recreate() {
    uid_ = "uid-" + key_.name + "-" + std::to_string(++lives_);
    generation_ = 1;
}

void Scenario::change_home(Random& random) {
    const std::string cluster = cluster_name(pick(random, 4));
    const auto home = homes_.find(cluster);
    if (home == homes_.end()) {
        homes_[cluster] = {"http://" + key_.name + "." + cluster, 3, 3, 1};
        return;
    }
    switch (pick(random, 5)) {
        case 0:
            homes_.erase(home);
            break;
        case 1:
            home->second.endpoint += "/v" + std::to_string(pick(random, 3));
            break;
        case 2:
            home->second.admitted = static_cast<std::int64_t>(pick(random, 7));
            break;
        case 3:
            home->second.ready = static_cast<std::int64_t>(pick(random, 7));
            break;
        default:
            home->second.factor = 1 + static_cast<std::int64_t>(pick(random, 3));
            ++generation_;
    }
}

void Scenario::change_drains(Random& random) {
    const std::string id = "drain-" + std::to_string(pick(random, 3));
    if (drains_.erase(id) == 0) {
        drains_[id] = cluster_name(pick(random, 4));
    }
}

void Scenario::change(Random& random) {
    switch (pick(random, 14)) {
        case 0:
            probe_ = static_cast<int>(pick(random, 3));
            ++generation_;
            break;
        case 1:
            capacity_ = static_cast<int>(pick(random, 3));
            ++generation_;
            break;
        case 2:
            broken_ = broken_ == Broken::No ? static_cast<Broken>(1 + pick(random, 4)) : Broken::No;
            break;
        case 3:
            placed_ = !placed_;
            break;
        case 4:
            opted_out_ = !opted_out_;
            ++generation_;
            break;
        case 5:
            exists_ = !exists_;
            if (exists_) {
                recreate();
            }
            break;
        case 6:
            recreate();
            break;
        case 7:
        case 8:
        case 9:
            change_drains(random);
            break;
        default:
            change_home(random);
    }
    // Most of the time a service is there and in order.
    if (!exists_ || !placed_ || opted_out_ || broken_ != Broken::No) {
        if (chance(random, 0.5)) {
            if (!exists_) {
                recreate();
            }
            exists_ = placed_ = true;
            opted_out_ = false;
            broken_ = Broken::No;
        }
    }
}

std::shared_ptr<const routing::InferenceService> Scenario::service() const {
    auto service = std::make_shared<routing::InferenceService>();
    service->key = key_;
    service->uid = uid_;
    service->generation = generation_;
    service->placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "Split"};
    service->has_cluster_selector = broken_ == Broken::Intent;
    if (!drains_.empty()) {
        boost::json::object drains;
        for (const auto& [id, cluster] : drains_) {
            drains[id] = {{"cluster", cluster}, {"reason", "try"}};
        }
        service->drains = boost::json::serialize(drains);
    }
    if (broken_ == Broken::Drain) {
        service->drains = "{\"x\":{\"cluster\":1}}";
    }
    core::ServiceRoutingSettings& routing = service->routing.emplace();
    if (opted_out_) {
        routing.enabled = false;
    }
    if (probe_ != 0) {
        routing.probe = probe_settings(probes[probe_]);
    }
    if (broken_ == Broken::Probe) {
        routing.probe = probe_settings(probes[1]);
        routing.probe->gate_statuses = {{200}};
    }
    if (capacity_ != 0) {
        routing.capacity = capacity_settings(polls[capacity_]);
    }
    routing::PlacementStatus& status = service->status.emplace();
    status.phase = placed_ ? "Placed" : "Admitting";
    for (const auto& [cluster, home] : homes_) {
        status.candidates.push_back({.cluster = cluster,
                                     .phase = "Admitted",
                                     .endpoint = home.endpoint,
                                     .admitted_replicas = static_cast<std::int32_t>(home.admitted),
                                     .ready_replicas = static_cast<std::int32_t>(home.ready)});
        if (home.factor != 1) {
            routing.capacity_factors[cluster] = std::to_string(home.factor);
        }
    }
    if (broken_ == Broken::Factor) {
        routing.capacity_factors["worker-z"] = "0";
    }
    return service;
}

ServiceFacts Scenario::facts() const {
    ServiceFacts facts;
    facts.routed = exists_ && !opted_out_;
    facts.valid = broken_ == Broken::No;
    facts.uid = uid_;
    if (placed_) {
        facts.homes = homes_;
    }
    facts.drains = drains_;
    if (probe_ != 0) {
        facts.probe = {{std::to_string(probe_), probes[probe_].failures, probes[probe_].passes}};
    }
    if (capacity_ != 0) {
        facts.capacity = {
            {std::to_string(capacity_), polls[capacity_].quorum, polls[capacity_].max_age_ms}};
    }
    return facts;
}

}  // namespace ome::model
