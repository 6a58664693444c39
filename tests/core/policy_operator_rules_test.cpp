#include "policy_samples.hpp"
#include <ome/core/policy_rules.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string message(const ProbeSettings& probe, std::string_view block = "routing.probe") {
    const auto problem = field_problem(probe, block);
    return problem ? problem->message : "";
}

std::string message(const CapacitySettings& capacity, std::string_view block = "routing.capacity") {
    const auto problem = field_problem(capacity, block);
    return problem ? problem->message : "";
}

TEST(OperatorRules, TakesTheSamples) {
    EXPECT_EQ(message(samples::probe()), "");
    EXPECT_EQ(message(samples::capacity()), "");
}

TEST(OperatorRules, LooksAtNothingOfABlockWithoutAPath) {
    EXPECT_EQ(message(ProbeSettings{.path = "", .method = "DELETE"}), "");
    EXPECT_EQ(message(CapacitySettings{.method = "DELETE"}), "");
}

TEST(OperatorRules, ReportsABarredStatusBeforeAnInvalidOneThatFollowsIt) {
    ProbeSettings probe = samples::probe();
    probe.gate_statuses = {{401, 600}};
    EXPECT_EQ(message(probe), "routing.probe.gateStatuses must not contain 401");
    probe.gate_statuses = {{600, 401}};
    EXPECT_EQ(message(probe), "routing.probe.gateStatuses contains invalid HTTP status 600");
}

TEST(OperatorRules, TakesStatusesFrom100To599) {
    ProbeSettings probe = samples::probe();
    probe.accept_statuses = {{100, 599}};
    EXPECT_EQ(message(probe), "");
    probe.accept_statuses = {{600}};
    EXPECT_EQ(message(probe), "routing.probe.acceptStatuses contains invalid HTTP status 600");
    probe.accept_statuses = {{99}};
    EXPECT_EQ(message(probe), "routing.probe.acceptStatuses contains invalid HTTP status 99");
}

TEST(OperatorRules, NamesTheFirstAcceptedStatusThatIsAlsoGated) {
    ProbeSettings probe = samples::probe();
    probe.accept_statuses = {{503, 404}};
    EXPECT_EQ(message(probe),
              "routing.probe: status 503 is in both acceptStatuses and gateStatuses");
}

TEST(OperatorRules, PutsTheWholeBlockNameIntoEveryMention) {
    ProbeSettings probe = samples::probe();
    probe.timeout = "10s";
    EXPECT_EQ(message(probe, "probe"),
              "probe.timeout (10s) must be shorter than probe.period (10s)");
    EXPECT_EQ(field_problem(probe, "probe")->field, "probe.timeout");
    probe.timeout = {};
    EXPECT_EQ(message(probe, "probe"), "probe.timeout must be positive when probe.path is set");
}

TEST(OperatorRules, ShowsWhatWasWrittenInQuotes) {
    ProbeSettings probe = samples::probe();
    probe.path = "v1\n";
    EXPECT_EQ(message(probe), R"(routing.probe.path "v1\n" must begin with "/")");
    probe = samples::probe();
    probe.method = "get";
    EXPECT_EQ(message(probe), R"(routing.probe.method "get" must be GET, HEAD, or POST)");
}

TEST(OperatorRules, AsksForTheFormatBeforeTheMethodIsJudged) {
    CapacitySettings capacity = samples::capacity();
    capacity.method = "DELETE";
    capacity.format = {};
    EXPECT_EQ(message(capacity),
              "routing.capacity.format is required when routing.capacity.path is set");
}

TEST(OperatorRules, WantsAMaxAgeOfQuorumWholePeriods) {
    CapacitySettings capacity = samples::capacity();
    capacity.max_age = "30s";
    EXPECT_EQ(message(capacity), "");
    capacity.max_age = "29.999s";
    EXPECT_EQ(message(capacity),
              "routing.capacity.maxAge (29.999s) must span at least quorum (3) "
              "routing.capacity.period intervals");
}

TEST(OperatorRules, WantsAMaxAgeOfOnePeriodWithQuorumOne) {
    CapacitySettings capacity = samples::capacity();
    capacity.quorum = 1;
    capacity.max_age = "10s";
    EXPECT_EQ(message(capacity), "");
    capacity.max_age = "9999ms";
    EXPECT_EQ(message(capacity),
              "routing.capacity.maxAge (9.999s) must be at least routing.capacity.period (10s)");
}

TEST(OperatorRules, AsksNoQuorumOfAMaxAgeThatHasNoPeriod) {
    for (const char* const period : {"", "10", "0s", "-1s"}) {
        CapacitySettings capacity = samples::capacity();
        capacity.period = *period != '\0' ? std::optional<std::string>(period) : std::nullopt;
        capacity.max_age = "29s";
        const std::vector<Problem> problems = field_problems(capacity, "routing.capacity");
        ASSERT_FALSE(problems.empty()) << period;
        for (const Problem& problem : problems) {
            EXPECT_NE(problem.field, "routing.capacity.maxAge") << problem.message;
        }
    }
}

TEST(OperatorRules, TakesAnEmptyOptionsMapAndNoFullOne) {
    CapacitySettings capacity = samples::capacity();
    capacity.options = Options{};
    EXPECT_EQ(message(capacity), "");
    capacity.options = Options{{"unit", "replica"}};
    EXPECT_EQ(message(capacity), R"(routing.capacity.options is not accepted for format "Report")");
}

}  // namespace
}  // namespace ome::core
