#include <ome/core/gateway_settings.hpp>
#include <ome/core/policy_rules.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string messages(const GatewaySettings& gateway) {
    return join_messages(gateway_problems(gateway));
}

TEST(GatewaySettings, MayBeAbsent) {
    EXPECT_EQ(messages({}), "");
    EXPECT_EQ(messages({.global_gateway = "a/b/c", .backend_port = 80}), "");
}

TEST(GatewaySettings, NameFieldValueAndRule) {
    EXPECT_EQ(messages({.backend_port = 70000}), "endpoint.backendPort: 70000 is not a valid port");
    EXPECT_EQ(messages({.backend_port = -1}), "endpoint.backendPort: -1 is not a valid port");
    EXPECT_EQ(messages({.global_gateway = "g/g"}),
              "endpoint.backendPort: must be set when endpoint.globalGateway is configured "
              "(\"g/g\")");
    EXPECT_EQ(messages({.rewrite_hostname = true}),
              "endpoint.globalGateway: must be set when gateway backend features are enabled");
    EXPECT_EQ(messages({.well_known_ca_certificates = "System"}),
              "endpoint.gatewayBackend.tls.enabled: must be true when TLS settings are supplied");
    EXPECT_EQ(messages({.address_refresh_interval = "1m"}),
              "endpoint.gatewayBackend.endpointSlices.enabled: must be true when EndpointSlice "
              "settings are supplied");
    EXPECT_EQ(messages({.global_gateway = "g", .backend_port = 80, .slices_enabled = true}),
              "endpoint.gatewayBackend.endpointSlices.addressRefreshInterval: must be set when "
              "enabled");
    EXPECT_EQ(messages({.service_type = "NodePort"}),
              "endpoint.gatewayBackend.serviceType: \"NodePort\" must be \"ExternalName\" or "
              "\"Headless\"");
    EXPECT_EQ(messages({.global_gateway = "g", .backend_port = 80, .service_type = "Headless"}),
              "endpoint.gatewayBackend.endpointSlices.enabled: must be true when "
              "endpoint.gatewayBackend.serviceType is \"Headless\"");
}

TEST(GatewaySettings, StartsWithItsDurationsAndAllRulesAtOnce) {
    RoutingSettings routing;
    routing.capacity.period = "10";
    const GatewaySettings gateway{
        .backend_port = 70000, .slices_enabled = true, .address_refresh_interval = "0s"};
    EXPECT_EQ(configuration_error(routing, gateway)->message,
              "invalid multi-cluster configuration: "
              "endpoint.gatewayBackend.endpointSlices.addressRefreshInterval: \"0s\" must be "
              "positive\n"
              "routing.capacity.period: \"10\" is not a duration (use forms like \"30s\", \"5m\")\n"
              "endpoint.backendPort: 70000 is not a valid port\n"
              "endpoint.globalGateway: must be set when gateway backend features are enabled");
    EXPECT_EQ(configuration_error({}, {}), std::nullopt);
    EXPECT_EQ(configuration_error({.publisher = {.name = "acme"}}, {})->message,
              "invalid multi-cluster configuration: TrafficMap publisher \"acme\" is not compiled "
              "into this manager (available: [])");
}

}  // namespace
}  // namespace ome::core
