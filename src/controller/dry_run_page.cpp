#include "dry_run_page.hpp"

#include <ome/core/text_table.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>

namespace ome::controller {
namespace {

namespace json = boost::json;

constexpr std::array states{
    DryRun::State::Equal, DryRun::State::Different, DryRun::State::Missing, DryRun::State::Surplus};

std::array<std::int64_t, states.size()> counts_of(const std::vector<DryRun::Row>& rows) {
    std::array<std::int64_t, states.size()> counts{};
    for (const DryRun::Row& row : rows) {
        ++counts.at(static_cast<std::size_t>(row.state));
    }
    return counts;
}

json::object row_document(const DryRun::Row& row) {
    json::array differences;
    for (const routing::Mismatch& mismatch : row.mismatches) {
        differences.push_back(
            {{"field", mismatch.field}, {"live", mismatch.live}, {"wanted", mismatch.wanted}});
    }
    return {{"namespace", row.key.ns},
            {"name", row.key.name},
            {"state", to_string(row.state)},
            {"differences", std::move(differences)}};
}

std::string text_at(const json::value& object, const char* member) {
    return std::string(object.at(member).as_string());
}

// What is not there is a dash.
std::string shown(std::string text) {
    return text.empty() ? "-" : text;
}

void add_rows(std::vector<core::Row>& rows, const json::value& map) {
    const std::string name = text_at(map, "namespace") + "/" + text_at(map, "name");
    const std::string state = text_at(map, "state");
    const json::array& differences = map.at("differences").as_array();
    if (differences.empty()) {
        rows.push_back({name, state, "-", "-", "-"});
    }
    for (const json::value& one : differences) {
        rows.push_back({name,
                        state,
                        text_at(one, "field"),
                        shown(text_at(one, "live")),
                        shown(text_at(one, "wanted"))});
    }
}

DiffReport report(const json::value& document, bool all) {
    std::vector<core::Row> rows{{"MAP", "STATE", "FIELD", "LIVE", "WANTED"}};
    for (const json::value& map : document.at("maps").as_array()) {
        if (all || map.at("state").as_string() != "equal") {
            add_rows(rows, map);
        }
    }
    DiffReport report;
    report.text = rows.size() > 1 ? core::align(rows, false) + "\n" : "";
    report.equal = true;
    std::string line;
    for (const DryRun::State state : states) {
        const std::string name(to_string(state));
        const std::int64_t count = document.at("counts").at(name).to_number<std::int64_t>();
        line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, name);
        report.equal = report.equal && (state == DryRun::State::Equal || count == 0);
    }
    report.text += line + "\n";
    return report;
}

}  // namespace

json::object diff_document(const DryRun& dry_run) {
    const std::vector<DryRun::Row> rows = dry_run.rows();
    json::array maps;
    for (const DryRun::Row& row : rows) {
        maps.push_back(row_document(row));
    }
    json::object counts;
    const auto counted = counts_of(rows);
    for (const DryRun::State state : states) {
        counts[to_string(state)] = counted.at(static_cast<std::size_t>(state));
    }
    return {{"maps", std::move(maps)}, {"counts", std::move(counts)}};
}

std::string diff_metrics(const DryRun& dry_run) {
    std::string text =
        "# HELP ome_trafficmap_dry_run_maps Maps by how the live one compares with the one that "
        "would be written.\n"
        "# TYPE ome_trafficmap_dry_run_maps gauge\n";
    const auto counted = counts_of(dry_run.rows());
    for (const DryRun::State state : states) {
        text += fmt::format("ome_trafficmap_dry_run_maps{{state=\"{}\"}} {}\n",
                            to_string(state),
                            counted.at(static_cast<std::size_t>(state)));
    }
    return text;
}

core::Result<DiffReport> diff_report(const json::value& document, bool all) {
    try {
        return report(document, all);
    } catch (const std::exception&) {
        return core::Problem{"the answer is not that of /v1/diff"};
    }
}

}  // namespace ome::controller
