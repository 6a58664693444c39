#include "services_file.hpp"

#include <ome/telemetry/log.hpp>
#include <ome/wire/services_document.hpp>

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace ome::observer {
namespace {

constexpr std::streamoff max_file_bytes = 256 * 1024 * 1024;

core::Result<std::string> read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        return core::Problem{fmt::format("services file {}: {}", path, std::strerror(errno)), "services"};
    }
    if (file.tellg() > max_file_bytes) {
        return core::Problem{
            fmt::format("services file {}: {} bytes are more than {}",
                        path,
                        static_cast<std::int64_t>(file.tellg()),
                        static_cast<std::int64_t>(max_file_bytes)),
            "services"};
    }
    file.seekg(0);
    std::ostringstream content;
    content << file.rdbuf();
    return std::move(content).str();
}

std::string place(const std::string& path, const wire::DeclaredService& service)
{
    return service.line > 0 ? fmt::format("{}:{}", path, service.line)
                            : fmt::format("{}: service {}", path, service.index);
}

}  // namespace

core::Result<std::vector<core::ServiceDeclaration>> read_services_file(const std::string& path,
                                                                       const core::ObserverLimits& limits)
{
    const core::Result<std::string> text = read_file(path);
    if (!text) {
        return text.error();
    }
    core::Result<std::vector<wire::DeclaredService>> services = wire::read_services(*text, limits);
    if (!services) {
        return core::Problem{fmt::format("{}: {}", path, services.error().message), "services"};
    }
    std::vector<core::ServiceDeclaration> declared;
    std::string problems;
    for (wire::DeclaredService& service : *services) {
        for (const core::Problem& warning : service.warnings) {
            telemetry::log::warn("services file",
                                 {{"at", place(path, service)}, {"warning", warning.message}});
        }
        if (service.declaration) {
            declared.push_back(std::move(*service.declaration));
        } else {
            problems += fmt::format(
                "{}{}: {}", problems.empty() ? "" : "\n", place(path, service), service.declaration.error().message);
        }
    }
    if (!problems.empty()) {
        return core::Problem{std::move(problems), "services"};
    }
    return declared;
}

}  // namespace ome::observer
