#include "support/publication_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PublicationPlanTest : public testing::Test {
protected:
    [[nodiscard]] std::string fault() const {
        const auto plan = routing::plan_publication(bench.map, bench.service, bench.settings);
        return plan ? (plan->withdrawn ? "withdrawn" : "") : plan.error().message;
    }

    PublicationBench bench;
};

TEST_F(PublicationPlanTest, TakesTheAnnotationBeforeTheTemplate) {
    bench.service.global_host = "  www.example.com ";
    bench.settings.host_template = "{{ broken";
    EXPECT_EQ(routing::plan_publication(bench.map, bench.service, bench.settings)->hostname,
              "www.example.com");
    bench.service.global_host = "   ";
    EXPECT_THAT(fault(), StartsWith("parse globalHostTemplate \"{{ broken\": "));
    bench.settings.host_template = "{{ .Cluster }}.x";
    EXPECT_THAT(fault(), StartsWith("render globalHostTemplate \"{{ .Cluster }}.x\": "));
}

TEST_F(PublicationPlanTest, IsWithdrawnWithoutGatewayPortOrHost) {
    for (const int what : {0, 1, 2}) {
        bench.settings = PublicationBench().settings;
        bench.settings.gateway = what == 0 ? "  " : bench.settings.gateway;
        bench.settings.backend_port = what == 1 ? 0 : bench.settings.backend_port;
        bench.settings.host_template = what == 2 ? " " : bench.settings.host_template;
        EXPECT_EQ(fault(), "withdrawn") << what;
    }
}

TEST_F(PublicationPlanTest, ChecksHostnames) {
    bench.service.global_host = "*.example.com";
    EXPECT_EQ(fault(), "");
    bench.service.global_host = "10.0.0.1";
    EXPECT_EQ(fault(), "global hostname: hostname \"10.0.0.1\" must not be an IP address");
    for (const char* bad : {"a_b.example.com", "Example.com", "a.*.example.com", "*", "-a.b"}) {
        bench.service.global_host = bad;
        EXPECT_THAT(
            fault(),
            StartsWith("global hostname: hostname \"" + std::string(bad) + "\" is invalid: "));
    }
}

TEST_F(PublicationPlanTest, ChecksTheGatewayReference) {
    const auto with = [this](const std::string& gateway) {
        bench.settings.gateway = gateway;
        return fault();
    };
    EXPECT_EQ(with("global"), "");
    EXPECT_EQ(with(" a/b"), "Gateway API global gateway reference \" a/b\" is not canonical");
    EXPECT_EQ(with("a/b/c"),
              "Gateway API global gateway reference \"a/b/c\" must be a name or namespace/name");
    EXPECT_THAT(with("A/b"), StartsWith("Gateway API global gateway namespace \"A\" is invalid: "));
    EXPECT_THAT(with("/b"), StartsWith("Gateway API global gateway namespace \"\" is invalid: "));
    EXPECT_THAT(with("a/"), StartsWith("Gateway API global gateway name \"\" is invalid: "));
}

TEST_F(PublicationPlanTest, ChecksEntriesInTheirOrder) {
    auto& entries = bench.map.spec.entries;
    const auto original = entries;
    const auto with = [&](const std::function<void()>& change) {
        entries = original;
        change();
        return fault();
    };
    EXPECT_EQ(with([&] { entries[1].cluster = ""; }), "TrafficMap entry cluster must not be empty");
    EXPECT_THAT(with([&] { entries[1].cluster = "A"; }),
                StartsWith("TrafficMap entry cluster \"A\" is invalid: "));
    EXPECT_THAT(with([&] { entries[1].cluster = std::string(64, 'a'); }),
                HasSubstr("is invalid: "));
    EXPECT_EQ(with([&] { entries[1].cluster = "worker-a"; }),
              "TrafficMap contains more than one entry for cluster \"worker-a\"");
    EXPECT_EQ(with([&] { entries[1].endpoint = "nonsense"; }),
              "TrafficMap entry \"worker-b\" has no valid endpoint");
    EXPECT_EQ(with([&] { entries[1].weight = 1'000'001; }),
              "TrafficMap entry \"worker-b\" weight 1000001 must be between 0 and 1000000");
    EXPECT_EQ(
        with([&] { entries[1].endpoint = "http://10.0.0.1:80"; }),
        "TrafficMap entry \"worker-b\" backend hostname: hostname \"10.0.0.1\" must not be an "
        "IP address");
    EXPECT_THAT(with([&] { entries[1].endpoint = "http://[2001:db8::1]/x"; }),
                HasSubstr("must not be an IP address"));
}

TEST_F(PublicationPlanTest, ChecksTheSourceBeforeAnythingElse) {
    bench.settings.gateway.clear();
    bench.service.key.name = std::string(64, 'a');
    bench.renew_map();
    EXPECT_THAT(fault(), HasSubstr("cannot be used as a label value"));
    bench.service.key.name = "chat";
    EXPECT_EQ(fault(),
              "TrafficMap prod/" + std::string(64, 'a') +
                  " does not identify InferenceService prod/chat");
}

}  // namespace
}  // namespace ome::test
