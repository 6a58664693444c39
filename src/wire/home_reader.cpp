#include "home_reader.hpp"

#include <ome/core/endpoint.hpp>
#include <ome/core/endpoint_remarks.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/declaration_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ome::wire {
namespace {

using core::go_quote;

constexpr std::size_t longest_identifier = 253;
constexpr std::size_t longest_message = 4096;  // what readers of a TrafficMap take

constexpr std::string_view never_tried = ": the home is never tried: ";

// No error: what cannot be used is a reading, and the other homes are observed.
void warn_of_endpoint(Members& members, std::string_view endpoint) {
    const std::string path = members.path_of("endpoint");
    const auto usable = core::canonicalize(endpoint);
    if (!usable) {
        members.notes().warnings.push_back(
            {fmt::format("{}{}{}", path, never_tried, usable.error().message), path});
        return;
    }
    for (const std::string_view remark : core::endpoint_remarks(endpoint)) {
        members.notes().warnings.push_back({fmt::format("{}: {}", path, remark), path});
    }
}

core::RestoredProbe read_restored(Members members) {
    core::RestoredProbe restored;
    restored.policy_digest = members.required_text("policyDigest").value_or("");
    restored.gated = members.flag("gated").value_or(false);
    const std::int64_t failures = members.integer("consecutiveFailures").value_or(0);
    if (failures < 0) {
        // Of a stored map that somebody edited: the service is still to be observed.
        const std::string path = members.path_of("consecutiveFailures");
        members.notes().warnings.push_back(
            {fmt::format("{} {} counts as 0", path, failures), path});
    }
    restored.consecutive_failures = static_cast<std::int32_t>(std::max<std::int64_t>(0, failures));
    restored.result = members.probe_result("result");
    restored.message = core::sanitize_detail(members.text("message").value_or(""), longest_message);
    restored.last_probe_time = members.time("lastProbeTime");
    members.report_unknown();
    return restored;
}

core::HomeDeclaration read_home(Members members) {
    core::HomeDeclaration home;
    if (const std::optional<std::string> cluster = members.required_text("cluster")) {
        home.cluster = *cluster;
        if (const char* fault = identifier_fault(*cluster)) {
            members.refuse("cluster", fmt::format("{} {}", go_quote(*cluster), fault));
        }
    }
    if (const std::optional<std::string> endpoint = members.required_text("endpoint")) {
        home.endpoint = *endpoint;
        warn_of_endpoint(members, *endpoint);
    }
    if (std::optional<Members> restored = members.members("restored")) {
        home.restored = read_restored(std::move(*restored));
    }
    members.report_unknown();
    return home;
}

class Homes {
public:
    Homes(std::string path, Notes& notes) : path_(std::move(path)), notes_(notes) {}

    void add(const json::value& value) {
        const std::string at = item_path(path_, index_);
        const std::size_t errors = notes_.errors.size();
        if (const json::object* object = value.if_object()) {
            core::HomeDeclaration home = read_home({*object, at, notes_});
            refuse_second(home.cluster, at);
            if (notes_.errors.size() == errors) {
                homes_.push_back(std::move(home));
            }
        } else {
            notes_.errors.push_back(
                {fmt::format("{}: {} must be an object", at, shown(value)), at});
        }
        ++index_;
    }

    [[nodiscard]] std::vector<core::HomeDeclaration> take() { return std::move(homes_); }

private:
    void refuse_second(const std::string& cluster, const std::string& at) {
        const auto [first, is_new] = by_cluster_.emplace(cluster, index_);
        if (!is_new && !cluster.empty()) {
            const std::string field = member_path(at, "cluster");
            notes_.errors.push_back({fmt::format("{} {} is named twice (first by {})",
                                                 field,
                                                 go_quote(cluster),
                                                 item_path(path_, first->second)),
                                     field});
        }
    }

    std::string path_;
    Notes& notes_;
    std::size_t index_ = 0;
    std::unordered_map<std::string, std::size_t> by_cluster_;
    std::vector<core::HomeDeclaration> homes_;
};

bool is_control(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1 =
        byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    return byte < 0x20 || byte == 0x7F || c1;
}

}  // namespace

bool is_about_an_unusable_endpoint(const core::Problem& warning) {
    return warning.message.starts_with(warning.field + std::string(never_tried));
}

const char* identifier_fault(std::string_view text) {
    if (text.empty()) {
        return "must not be empty";
    }
    if (text.size() > longest_identifier) {
        return "must have at most 253 bytes";
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_control(text, at)) {
            return "must not contain control characters";
        }
    }
    return nullptr;
}

std::vector<core::HomeDeclaration> read_homes(Members& declaration) {
    const std::size_t errors = declaration.notes().errors.size();
    const json::array* items = declaration.array("homes");
    if (items == nullptr) {
        if (declaration.notes().errors.size() == errors) {
            declaration.refuse("homes", "is required");
        }
        return {};
    }
    Homes homes(declaration.path_of("homes"), declaration.notes());
    for (const json::value& item : *items) {
        homes.add(item);
    }
    return homes.take();
}

}  // namespace ome::wire
