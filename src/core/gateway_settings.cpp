#include "policy_texts.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <iterator>

namespace ome::core {
namespace {

constexpr std::int64_t largest_port = 65535;

bool is_empty(const std::optional<std::string>& text) {
    return text.value_or("").find_first_not_of(" \t\r\n") == std::string::npos;
}

class Rules {
public:
    explicit Rules(const GatewaySettings& gateway) : gateway_(gateway) {}

    std::vector<Problem> run() {
        check_port();
        check_gateway();
        check_tls();
        check_slices();
        check_service_type();
        return std::move(problems_);
    }

private:
    void broken(std::string field, std::string_view rule) {
        std::string message = fmt::format("{}: {}", field, rule);
        problems_.push_back({std::move(message), std::move(field)});
    }

    [[nodiscard]] bool tls() const { return gateway_.tls_enabled.value_or(false); }
    [[nodiscard]] bool slices() const { return gateway_.slices_enabled.value_or(false); }
    [[nodiscard]] bool headless() const {
        return gateway_.service_type.value_or("") == headless_type;
    }

    void check_port() {
        const std::int64_t port = gateway_.backend_port.value_or(0);
        if (port < 0 || port > largest_port) {
            broken("endpoint.backendPort", fmt::format("{} is not a valid port", port));
        } else if (port == 0 && !is_empty(gateway_.global_gateway)) {
            broken("endpoint.backendPort",
                   fmt::format("must be set when endpoint.globalGateway is configured ({})",
                               go_quote(*gateway_.global_gateway)));
        }
    }

    void check_gateway() {
        const bool feature =
            gateway_.rewrite_hostname.value_or(false) || tls() || slices() || headless();
        if (feature && is_empty(gateway_.global_gateway)) {
            broken("endpoint.globalGateway",
                   "must be set when gateway backend features are enabled");
        }
    }

    void check_tls() {
        const std::string authorities = gateway_.well_known_ca_certificates.value_or("");
        if (tls() && authorities != "System") {
            broken("endpoint.gatewayBackend.tls.wellKnownCACertificates",
                   fmt::format("{} must be \"System\" when enabled", go_quote(authorities)));
        }
        if (!tls() && !authorities.empty()) {
            broken("endpoint.gatewayBackend.tls.enabled",
                   "must be true when TLS settings are supplied");
        }
    }

    void check_slices() {
        const bool interval = !gateway_.address_refresh_interval.value_or("").empty();
        if (slices() && !interval) {
            broken("endpoint.gatewayBackend.endpointSlices.addressRefreshInterval",
                   "must be set when enabled");
        }
        if (!slices() && interval) {
            broken("endpoint.gatewayBackend.endpointSlices.enabled",
                   "must be true when EndpointSlice settings are supplied");
        }
    }

    // A headless Service without slices would lead nowhere.
    void check_service_type() {
        const std::string type = gateway_.service_type.value_or("");
        if (!type.empty() && type != external_name_type && type != headless_type) {
            broken("endpoint.gatewayBackend.serviceType",
                   fmt::format(R"({} must be "ExternalName" or "Headless")", go_quote(type)));
        }
        if (headless() && !slices()) {
            broken("endpoint.gatewayBackend.endpointSlices.enabled",
                   "must be true when endpoint.gatewayBackend.serviceType is \"Headless\"");
        }
    }

    const GatewaySettings& gateway_;
    std::vector<Problem> problems_;
};

void append(std::vector<Problem>& to, std::vector<Problem> more) {
    std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

std::vector<Problem> gateway_problems(const GatewaySettings& gateway) {
    return Rules(gateway).run();
}

std::vector<Problem> duration_problems(const GatewaySettings& gateway) {
    const auto problem =
        positive_duration_problem("endpoint.gatewayBackend.endpointSlices.addressRefreshInterval",
                                  gateway.address_refresh_interval);
    return problem ? std::vector<Problem>{*problem} : std::vector<Problem>{};
}

std::vector<Problem> configuration_problems(const RoutingSettings& routing,
                                            const GatewaySettings& gateway) {
    std::vector<Problem> problems = duration_problems(gateway);  // sorts before `routing`
    append(problems, text_problems(routing));
    append(problems, gateway_problems(gateway));
    if (!problems.empty()) {
        return problems;
    }
    for (auto problem : {rule_problem(routing), publisher_problem(routing.publisher)}) {
        if (problem) {
            return {*std::move(problem)};
        }
    }
    return {};
}

std::optional<Problem> configuration_error(const RoutingSettings& routing,
                                           const GatewaySettings& gateway) {
    return as_configuration_error(configuration_problems(routing, gateway));
}

}  // namespace ome::core
