#include "why_cluster.hpp"

#include "action_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ome::kubectl {
namespace {

using routing::ZeroWeight;

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
        std::vector<std::string> named;
        for (const std::string& id : entry_.drain_refs) {
            named.push_back(fmt::format("{}{}", clean(id), about_drain(id)));
            out_.changes.push_back(fmt::format("kubectl ome traffic undrain {} -n {} --id {}{}",
                                               facts_.service.key.name,
                                               facts_.service.key.ns,
                                               shell_word(id),
                                               facts_.place_flag));
        }
        out_.why =
            fmt::format("a drain holds it at 0, whatever its capacity: {}", fmt::join(named, "; "));
    }

    // ` (planned maintenance), lapses in 2h`
    std::string about_drain(const std::string& id) {
        if (!facts_.service_known) {
            return "";
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
        out_.why =
            fmt::format("the probe gated the cluster, which failed {} times in a row so far{}",
                        probe.consecutive_failures,
                        probe.message.empty() ? "" : ": " + clean(probe.message));
        out_.changes.emplace_back(
            "enough passing probes in a row (successThreshold); try the probe's path on the "
            "endpoint");
    }

    void add_evidence() {
        const routing::EntryCapacity& capacity = entry_.capacity;
        out_.evidence.push_back(fmt::format(
            "allocated {}, ready {}, as placement reports", capacity.allocated, capacity.ready));
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
        if ((weight == 0) != (entry_.weight == 0)) {
            out_.changes.insert(
                out_.changes.begin(),
                fmt::format("by what the service says now the weight would be {}: the map has not "
                            "followed yet",
                            weight));
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

ClusterReason reason_without_entry(const routing::InferenceService& service,
                                   const std::string& cluster) {
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
    } else {
        out.why = "the map has no entry for it";
        out.changes.emplace_back("the next write of the map");
    }
    return out;
}

}  // namespace ome::kubectl
