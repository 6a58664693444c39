#include "why_cluster.hpp"

#include "action_text.hpp"
#include "drain_action.hpp"
#include "gate_advice.hpp"
#include <ome/routing/traffic_pass.hpp>
#include <ome/routing/unaddressable.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ome::kubectl {
namespace {

using routing::ZeroWeight;

const char* next_write(const WhyFacts& facts) {
    return facts.frozen ? "the end of what freezes the map"
                        : "the next write of the map: does a controller run, and may it write?";
}

std::string ago(core::WallTime at, core::WallTime now) {
    return fmt::format("{} ago", age_text(now - at));
}

/// The words for one entry of the map.
class EntryWords {
public:
    EntryWords(const WhyFacts& facts, const routing::Entry& entry) : facts_(facts), entry_(entry) {}

    ClusterReason make(std::int64_t sum) {
        out_.cluster = entry_.cluster;
        out_.entry = true;
        out_.weight = entry_.weight;
        out_.share = sum > 0 ? static_cast<double>(entry_.weight) / static_cast<double>(sum) : 0;
        const routing::Candidate* candidate = candidate_of(facts_.service, entry_.cluster);
        const bool withdrawn =
            candidate != nullptr && candidate->allocation && candidate->allocation->drain_requested;
        const ZeroWeight zero = routing::zero_weight(entry_, withdrawn);
        out_.reason = to_string(zero);
        explain(zero);
        add_evidence();
        const auto explanation = facts_.explanations.find(entry_.cluster);
        if (explanation != facts_.explanations.end()) {
            out_.explanation = explanation->second;
            compare_with_now();
        }
        return std::move(out_);
    }

private:
    void explain(ZeroWeight zero) {
        switch (zero) {
            case ZeroWeight::Serving:
                return;
            case ZeroWeight::Drained:
                return explain_drains();
            case ZeroWeight::NotReady:
                out_.why =
                    "no replica is ready there, or the service's copy there is not "
                    "IngressReady yet";
                out_.changes.push_back(fmt::format(
                    "a ready replica; on that cluster: kubectl get inferenceservice {} -n {}",
                    facts_.service.key.name,
                    facts_.service.key.ns));
                return;
            case ZeroWeight::ReportsNothing:
                out_.why =
                    "the cluster reports that it can serve nothing, although replicas are "
                    "ready";
                out_.changes.emplace_back(
                    "a capacity report above 0; see what the home's capacity path answers");
                return;
            case ZeroWeight::NotAdmitted:
                out_.why = "placement admitted no replica on the cluster";
                out_.changes.emplace_back(
                    "admittedReplicas above 0 in the service's status.placement.candidates");
                return;
            case ZeroWeight::Gated:
                return explain_gate();
            case ZeroWeight::Withdrawn:
                out_.why =
                    "the placement plan withdraws the service from the cluster "
                    "(allocation.drainRequested)";
                out_.changes.emplace_back("the end of the placement plan's move");
                return;
            case ZeroWeight::Unexplained:
                out_.why = "nothing in the entry says why";
                out_.changes.emplace_back("the next write of the map: it does not fit its entry");
                return;
        }
    }

    void explain_drains() {
        const bool mended = !facts_.service_known || can_be_changed(facts_.service.drains);
        std::vector<std::string> named;
        for (const std::string& id : entry_.drain_refs) {
            named.push_back(fmt::format("{}{}", clean(id), about_drain(id)));
            if (!mended) {
                continue;
            }
            out_.changes.push_back(
                taken_off(id) ? std::string(next_write(facts_))
                              : fmt::format("kubectl ome traffic undrain {} -n {} --id {}{}",
                                            facts_.service.key.name,
                                            facts_.service.key.ns,
                                            shell_word(id),
                                            facts_.place_flag));
        }
        if (!mended) {
            suggest_mending();
        }
        out_.why =
            fmt::format("a drain holds it at 0, whatever its capacity: {}", fmt::join(named, "; "));
    }

    // Whoever takes a drain off wants it mended first.
    void suggest_mending() {
        const core::ServiceKey& key = facts_.service.key;
        const std::string what = fmt::format(
            "mending the annotation {}, which undrain refuses as it is", routing::drain_annotation);
        if (facts_.in_folder()) {
            out_.changes.push_back(
                fmt::format("{}, in the service's manifest or in overrides/{}/{}.yaml",
                            what,
                            key.ns,
                            key.name));
            return;
        }
        out_.changes.push_back(fmt::format("{}: kubectl edit inferenceservice {} -n {}{}",
                                           what,
                                           key.name,
                                           key.ns,
                                           facts_.place_flag));
        out_.changes.push_back(fmt::format(
            "or the end of all its drains: kubectl annotate inferenceservice {} -n {} {}-{}",
            key.name,
            key.ns,
            routing::drain_annotation,
            facts_.place_flag));
    }

    [[nodiscard]] bool taken_off(const std::string& id) const {
        return facts_.service_known && facts_.drains_known &&
               std::none_of(facts_.drains.begin(), facts_.drains.end(), [&id](const auto& one) {
                   return one.id == id;
               });
    }

    // ` (planned maintenance), lapses in 2h`
    std::string about_drain(const std::string& id) {
        if (!facts_.service_known) {
            return "";
        }
        if (!facts_.drains_known) {
            return " (the annotation is malformed)";
        }
        const auto drain = std::find_if(facts_.drains.begin(),
                                        facts_.drains.end(),
                                        [&id](const auto& one) { return one.id == id; });
        if (drain == facts_.drains.end()) {
            return " (taken off; the map has not followed yet)";
        }
        const auto expiry = std::find_if(facts_.expiries.begin(),
                                         facts_.expiries.end(),
                                         [&](const auto& one) { return one.drain == *drain; });
        const std::string reason = fmt::format(" ({})", clean(drain->reason));
        if (expiry == facts_.expiries.end()) {
            return reason;
        }
        return expiry->until > facts_.now
                   ? fmt::format("{}, lapses in {}", reason, age_text(expiry->until - facts_.now))
                   : fmt::format("{}, lapsed {}", reason, ago(expiry->until, facts_.now));
    }

    void explain_gate() {
        const routing::EntryProbe& probe = *entry_.probe;
        out_.why = fmt::format("the probe gated the cluster, which failed {} so far{}",
                               probe.consecutive_failures == 1
                                   ? std::string("once")
                                   : fmt::format("{} times in a row", probe.consecutive_failures),
                               probe.message.empty() ? "" : ": " + clean(probe.message));
        out_.changes = what_opens_the_gate(probe.message);
    }

    // The ceiling lowers what placement admitted; the entry has only what is left of it.
    [[nodiscard]] std::string counts_text(const routing::EntryCapacity& capacity) const {
        const routing::Candidate* candidate = candidate_of(facts_.service, entry_.cluster);
        const bool lowered =
            capacity.reported && capacity.allocated == *capacity.reported &&
            (candidate == nullptr || candidate->admitted_replicas > capacity.allocated);
        if (!lowered) {
            return fmt::format(
                "allocated {}, ready {}, as placement reports", capacity.allocated, capacity.ready);
        }
        return fmt::format(
            "allocated {} ({}), ready {}",
            capacity.allocated,
            candidate != nullptr
                ? fmt::format("placement reports admitted {}, lowered to the cluster's report",
                              candidate->admitted_replicas)
                : std::string("what placement admitted, at most the cluster's report"),
            capacity.ready);
    }

    void add_evidence() {
        const routing::EntryCapacity& capacity = entry_.capacity;
        out_.evidence.push_back(counts_text(capacity));
        if (capacity.reported) {
            out_.evidence.push_back(fmt::format("the cluster reports {}", *capacity.reported));
        } else if (!capacity.fallback_reason.empty()) {
            out_.evidence.push_back("no report: " + clean(capacity.fallback_reason));
        }
        if (entry_.probe) {
            const routing::EntryProbe& probe = *entry_.probe;
            out_.evidence.push_back(
                fmt::format("last probe {}{}{}",
                            core::to_string(probe.result),
                            probe.message.empty() ? "" : fmt::format(" ({})", clean(probe.message)),
                            probe.last_probe_time ? ", " + ago(*probe.last_probe_time, facts_.now)
                                                  : ", at a time that is not recorded"));
        }
    }

    // The map may be behind.
    void compare_with_now() {
        const std::int32_t weight = facts_.weights_now.at(entry_.cluster);
        out_.behind = (weight == 0) != (entry_.weight == 0);
        if (!out_.behind) {
            return;
        }
        const std::string what = fmt::format(
            "by what the service says now the weight would be {}: the map has not followed yet",
            weight);
        if (out_.why.empty()) {
            out_.why = what;
            out_.changes.emplace_back(next_write(facts_));
        } else {
            out_.changes.insert(out_.changes.begin(), what);
        }
    }

    const WhyFacts& facts_;
    const routing::Entry& entry_;
    ClusterReason out_;
};

}  // namespace

ClusterReason reason_of(const WhyFacts& facts, const routing::Entry& entry, std::int64_t sum) {
    return EntryWords(facts, entry).make(sum);
}

namespace {

std::optional<routing::Unaddressable> unusable_endpoint(const routing::InferenceService& service,
                                                        const std::string& cluster) {
    for (const routing::Unaddressable& one : routing::unaddressable(service)) {
        if (one.cluster == cluster && !one.home) {
            return one;
        }
    }
    return std::nullopt;
}

bool is_home(const routing::InferenceService& service, const std::string& cluster) {
    const std::vector<routing::Home> homes = routing::serving_homes(service);
    return std::any_of(homes.begin(), homes.end(), [&cluster](const routing::Home& home) {
        return home.cluster == cluster;
    });
}

}  // namespace

ClusterReason reason_without_entry(const WhyFacts& facts, const std::string& cluster) {
    const routing::InferenceService& service = facts.service;
    ClusterReason out{.cluster = cluster, .reason = "NotAHome"};
    const routing::Candidate* candidate = candidate_of(service, cluster);
    if (candidate == nullptr) {
        out.why = "the service's status.placement.candidates do not name the cluster";
        out.changes.emplace_back("placement choosing the cluster; or the name is misspelt");
    } else if (candidate->phase != "Admitted") {
        out.why = fmt::format("the cluster has not admitted the service: its phase is {}",
                              candidate->phase.empty() ? "not reported" : clean(candidate->phase));
        out.changes.emplace_back("the phase Admitted");
    } else if (candidate->endpoint.empty()) {
        out.why = "the cluster has admitted the service and reports no endpoint";
        out.changes.emplace_back("an endpoint in status.placement.candidates");
    } else if (!routing::placed(service)) {
        out.why = fmt::format(
            "the service is not Placed: status.placement.phase is {}",
            service.status->phase.empty() ? "not reported" : clean(service.status->phase));
        out.changes.emplace_back("the phase Placed");
    } else if (const auto unusable = unusable_endpoint(service, cluster)) {
        out.why = "its endpoint cannot be used: " + clean(routing::sentence(*unusable));
        out.changes.push_back(
            fmt::format("an endpoint that is a URL, in {}", routing::field_of(*unusable)));
    } else if (!is_home(service, cluster)) {
        out.why = "the placement plan gives the cluster up: it serves no replica of the plan";
        out.changes.emplace_back("a placement plan that takes the cluster");
    } else {
        out.why = "the map has no entry for it yet, although the service says it is a home";
        out.changes.emplace_back(next_write(facts));
    }
    return out;
}

}  // namespace ome::kubectl
