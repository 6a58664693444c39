#include <ome/core/setting_variables.hpp>
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::core {
namespace {

constexpr std::size_t longest_name = 100;

constexpr std::string_view host_ending = "SERVICE_HOST";

// What the kubelet tells each container of a Service `ome-observer` or `ome-observer-metrics`
// (`..._SERVICE_HOST`, `..._SERVICE_PORT_API`, `..._PORT_7460_TCP_ADDR`) must not pass for a slip
// of the user. The address of the Service is always among them.
bool is_service_link(std::string_view name, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [name](std::string_view host) {
        if (!host.ends_with(host_ending)) {
            return false;
        }
        const std::string_view service = host.substr(0, host.size() - host_ending.size());
        if (!name.starts_with(service)) {
            return false;
        }
        const std::string_view rest = name.substr(service.size());
        return rest == host_ending || rest == "SERVICE_PORT" || rest == "PORT" ||
               rest.starts_with("SERVICE_PORT_") || rest.starts_with("PORT_");
    });
}

}  // namespace

std::vector<Problem> unknown_variables(const SettingList& list,
                                       const std::vector<std::string>& names) {
    const std::string prefix = variable_of(list.program, Setting{});
    std::vector<std::string> known;
    for (const Setting* setting : list.rows) {
        known.push_back(variable_of(list.program, *setting).substr(prefix.size()));
    }
    std::vector<Problem> problems;
    for (const std::string& name : names) {
        const std::string_view suffix =
            std::string_view(name).substr(std::min(prefix.size(), name.size()));
        const bool ours = name.starts_with(prefix) && !is_service_link(name, names);
        if (!ours || std::find(known.begin(), known.end(), suffix) != known.end()) {
            continue;
        }
        const auto near = nearest_word(suffix, known);
        problems.push_back({fmt::format("the environment variable {} sets nothing{}",
                                        sanitize_detail(name, longest_name),
                                        near ? fmt::format("; did you mean {}{}?", prefix, *near)
                                             : std::string(": there is no such setting")),
                            sanitize_detail(name, longest_name)});
    }
    return problems;
}

}  // namespace ome::core
