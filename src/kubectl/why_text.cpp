// `traffic why` as people read it and as a document.
#include "why_report.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ome::kubectl {
namespace {

std::string share_text(const ClusterReason& cluster) {
    return cluster.entry ? fmt::format("{:.1f}%", cluster.share * 100) : "-";
}

std::string weight_text(const ClusterReason& cluster) {
    return cluster.entry ? std::to_string(cluster.weight) : "-";
}

// The steps without the words in front of them that the table has anyway.
std::string steps_of(const ClusterReason& cluster) {
    const std::size_t colon = cluster.explanation.find(": ");
    return colon == std::string::npos ? "-"
                                      : (cluster.behind ? "not in force yet: " : "") +
                                            cluster.explanation.substr(colon + 2);
}

void append_list(std::string& out, const char* name, const std::vector<std::string>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        out += fmt::format("  {:<11}{}\n", i == 0 ? name : "", items[i]);
    }
}

void append_details(std::string& out, const ClusterReason& cluster) {
    out += fmt::format("\n{} {}: {}\n",
                       core::sanitize_detail(cluster.cluster),
                       cluster.entry ? fmt::format("has weight {}", cluster.weight)
                                     : std::string("gets no traffic"),
                       cluster.reason);
    append_list(out, "why", {cluster.why});
    append_list(out, "evidence", cluster.evidence);
    append_list(out, "changes by", cluster.changes);
}

json::array texts(const std::vector<std::string>& items) {
    return json::array(items.begin(), items.end());
}

}  // namespace

std::string why_text(const WhyReport& report) {
    std::string out = fmt::format("{} in {}\n", report.key.name, report.key.ns);
    if (!report.routable.empty()) {
        std::vector<TextRow> rows{{"  Routable", report.routable},
                                  {"  Traffic", report.traffic},
                                  {"  Map", report.table},
                                  {"  Published", report.published}};
        if (!report.gateway.empty()) {
            rows.push_back({"  Gateway", report.gateway});
        }
        if (report.shadow) {
            rows.push_back({"  Shadow", std::string(in_shadow)});
        }
        out += table(rows);
    }
    for (const std::string& problem : report.problems) {
        out += fmt::format("! {}\n", problem);
    }
    if (report.clusters.empty()) {
        return out;
    }
    std::vector<TextRow> rows{{"CLUSTER", "WEIGHT", "SHARE", "REASON", "HOW"}};
    for (const ClusterReason& cluster : report.clusters) {
        rows.push_back({core::sanitize_detail(cluster.cluster),
                        weight_text(cluster),
                        share_text(cluster),
                        cluster.reason,
                        steps_of(cluster)});
    }
    out += "\n" + table(rows);
    for (const ClusterReason& cluster : report.clusters) {
        if (!cluster.why.empty()) {
            append_details(out, cluster);
        }
    }
    return out;
}

json::value why_document(const WhyReport& report) {
    json::array clusters;
    for (const ClusterReason& cluster : report.clusters) {
        json::object object{{"cluster", cluster.cluster},
                            {"entry", cluster.entry},
                            {"weight", cluster.weight},
                            {"share", cluster.share},
                            {"reason", cluster.reason}};
        if (!cluster.why.empty()) {
            object["why"] = cluster.why;
        }
        if (!cluster.explanation.empty()) {
            object["explanation"] = cluster.explanation;
            object["explanationInForce"] = !cluster.behind;
        }
        object["evidence"] = texts(cluster.evidence);
        object["changes"] = texts(cluster.changes);
        clusters.push_back(std::move(object));
    }
    return json::object{
        {"apiVersion", output_api},
        {"kind", "TrafficExplanation"},
        {"metadata", json::object{{"namespace", report.key.ns}, {"name", report.key.name}}},
        {"collectedAt", stamp_text(report.collected_at)},
        {"routable", report.routable},
        {"traffic", report.traffic},
        {"map", report.table},
        {"published", report.published},
        {"gateway", report.gateway},
        {"shadow", report.shadow},
        {"problems", texts(report.problems)},
        {"clusters", std::move(clusters)}};
}

}  // namespace ome::kubectl
