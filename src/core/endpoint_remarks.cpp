#include <ome/core/endpoint.hpp>
#include <ome/core/endpoint_remarks.hpp>

#include <algorithm>

namespace ome::core {
namespace {

bool is_above_largest_port(std::string_view digits) {
    constexpr std::string_view largest = "65535";
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits.size() > largest.size() || (digits.size() == largest.size() && digits > largest);
}

}  // namespace

std::vector<std::string_view> endpoint_remarks(std::string_view url) {
    std::vector<std::string_view> remarks;
    const auto endpoint = canonicalize(url);
    if (!endpoint) {
        return remarks;
    }
    if (!endpoint->userinfo.empty()) {
        remarks.emplace_back(
            "its user and password (before the `@`) are never sent: no request carries them");
    }
    if (is_above_largest_port(endpoint->port)) {
        remarks.emplace_back("its port is above 65535: every poll and probe of it fails");
    }
    if (endpoint->has_query) {
        remarks.emplace_back(
            "its query (`?...`) stays: each poll and probe sends it behind the policy's path, and "
            "it shows in readings and logs, so it must hold no secret");
    }
    if (url.find('#') != std::string_view::npos) {
        remarks.emplace_back("its fragment (`#...`) is dropped: no request carries it");
    }
    return remarks;
}

std::string_view scheme_remark(std::string_view url) {
    const bool begins_with_host =
        url.find_first_of("/ ") != 0 && !url.empty() && url.find("://") == url.npos;
    return begins_with_host && !canonicalize(url) ? "http:// or https:// is missing in front"
                                                  : std::string_view();
}

}  // namespace ome::core
