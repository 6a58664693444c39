#include "services_file.hpp"

#include <ome/net/text_file.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/document_kind.hpp>
#include <ome/wire/services_document.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::observer {
namespace {

std::string place(const std::string& path, const wire::DeclaredService& service) {
    return service.line > 0 ? fmt::format("{}:{}", path, service.line)
                            : fmt::format("{}: service {}", path, service.index);
}

// A line for each of the messages.
void add_lines(std::string& to, const std::string& place, std::string_view messages) {
    while (!messages.empty()) {
        const std::size_t end = std::min(messages.find('\n'), messages.size());
        to += fmt::format("{}{}: {}", to.empty() ? "" : "\n", place, messages.substr(0, end));
        messages.remove_prefix(std::min(end + 1, messages.size()));
    }
}

}  // namespace

core::Result<std::vector<core::ServiceDeclaration>> read_services_file(
    const std::string& path, const core::ObserverLimits& limits) {
    const core::Result<std::string> text = net::read_text_file(path);
    if (!text) {
        return core::Problem{"--services " + text.error().message, "services"};
    }
    if (const auto other = wire::other_than_services(*text)) {
        return core::Problem{fmt::format("--services {}: {}", path, other->message), "services"};
    }
    core::Result<std::vector<wire::DeclaredService>> services = wire::read_services(*text, limits);
    if (!services) {
        return core::Problem{fmt::format("--services {}: {}", path, services.error().message),
                             "services"};
    }
    // A truncated file must not forget a fleet; one that means it says so.
    if (services->empty() && wire::find_kind(*text).kind == wire::DocumentKind::Nothing) {
        return core::Problem{
            fmt::format("--services {}: the file is empty; to declare no service write []", path),
            "services"};
    }
    std::vector<core::ServiceDeclaration> declared;
    std::string problems;
    for (wire::DeclaredService& service : *services) {
        for (const core::Problem& warning : service.warnings) {
            if (wire::is_about_an_unusable_endpoint(warning)) {
                continue;  // said when it is declared, whoever declares
            }
            telemetry::log::warn("services file",
                                 {{"at", place(path, service)}, {"warning", warning.message}});
        }
        if (service.declaration) {
            declared.push_back(std::move(*service.declaration));
        } else {
            add_lines(problems, place(path, service), service.declaration.error().message);
        }
    }
    if (!problems.empty()) {
        return core::Problem{std::move(problems), "services"};
    }
    return declared;
}

}  // namespace ome::observer
