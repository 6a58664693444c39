#include "api_warnings.hpp"

#include <ome/core/text.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/declaration_document.hpp>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace ome::observer {
namespace {

namespace json = boost::json;

// A body of a megabyte may hold a hundred thousand names that nobody knows, and long ones.
constexpr std::size_t most_listed = 12;
constexpr std::size_t longest = 512;

std::string clean(const std::string& text) {
    return core::sanitize_detail(text, longest);
}

std::string more_than_listed(std::size_t count) {
    return fmt::format("and {} more", count - most_listed);
}

}  // namespace

json::array warnings_document(const std::vector<core::Problem>& warnings) {
    json::array listed;
    for (const core::Problem& warning : warnings) {
        if (listed.size() == most_listed) {
            listed.push_back(json::object{{"message", more_than_listed(warnings.size())}});
            break;
        }
        listed.push_back(
            json::object{{"message", clean(warning.message)}, {"field", clean(warning.field)}});
    }
    return listed;
}

void log_warnings(const core::ServiceKey& service, const std::vector<core::Problem>& warnings) {
    std::string text;
    std::size_t count = 0;
    for (const core::Problem& warning : warnings) {
        if (wire::is_about_an_unusable_endpoint(warning)) {
            continue;
        }
        if (count++ < most_listed) {
            text += (text.empty() ? "" : "; ") + clean(warning.message);
        }
    }
    if (count > most_listed) {
        text += "; " + more_than_listed(count);
    }
    if (count > 0) {
        telemetry::log::warn("declaration is not taken as it is written",
                             {{"service", service.ns + "/" + service.name}, {"warnings", text}});
    }
}

}  // namespace ome::observer
