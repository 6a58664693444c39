// What stops a map: "When the map stops updating" of the guide "Traffic map", and "The TrafficMap
// doesn't pick up the probe" and "... the poll" of the two others. Published turns False then where
// there is a gateway: guide_published_test.cpp.
#include "integration/guide_world.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <vector>

namespace ome::test {
namespace {

using testing::Contains;

/// A mistake that a service gets while its map is there.
struct Mistake {
    std::string service;
    std::string error;
    std::string routing = {};
    std::string annotations = {};
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << mistake.service;
}

std::string probe_with(const std::string& gate_statuses, const std::string& period) {
    return "probe: {path: /v1/models, method: GET, acceptStatuses: [200], gateStatuses: [" +
           gate_statuses + "], period: " + period +
           ", timeout: 400ms, failureThreshold: 3, successThreshold: 2, allFailedPolicy: Drain}";
}

std::string poll_with(const std::string& settings) {
    return "capacity: {path: /capacity, method: GET, timeout: 400ms, " + settings + "}";
}

const std::vector<Mistake>& mistakes() {
    static const std::vector<Mistake> all{
        // Traffic map
        {.service = "obsolete-requirements",
         .error = "validate placement intent: annotation ome.io/accelerator-requirements is "
                  "unsupported; declare spec.placement.mode and migrate restrictions to "
                  "clusterAffinity",
         .annotations = "ome.io/accelerator-requirements: h100"},
        {.service = "obsolete-selector",
         .error = "validate placement intent: annotation ome.io/cluster-selector is unsupported; "
                  "declare spec.placement.mode and migrate restrictions to clusterAffinity",
         .annotations = "ome.io/cluster-selector: ''"},
        {.service = "factor-zero",
         .error = "validate routing policy: spec.routing.capacityFactors[\"worker-b\"] must be "
                  "positive, got \"0\"",
         .routing = "capacityFactors: {worker-b: \"0\"}"},
        {.service = "factor-negative",
         .error = "validate routing policy: spec.routing.capacityFactors[\"worker-b\"] must be "
                  "positive, got \"-1500m\"",
         .routing = "capacityFactors: {worker-b: \"-1.5\"}"},
        {.service = "drain-list",
         .error = "parse ome.io/traffic-drain: top-level value must be a JSON object keyed by "
                  "override ID",
         .annotations = "ome.io/traffic-drain: '[]'"},
        {.service = "drain-without-reason",
         .error = "parse ome.io/traffic-drain: override \"m\" reason must be non-empty",
         .annotations = R"(ome.io/traffic-drain: '{"m":{"cluster":"worker-a"}}')"},
        // Configure routing health probes
        {.service = "probe-overlap",
         .error = "validate routing policy: spec.routing.probe status 503 is in both "
                  "acceptStatuses and gateStatuses",
         .routing = "probe: {path: /v1/models, method: GET, acceptStatuses: [200, 503], "
                    "gateStatuses: [503], period: 1s, timeout: 400ms, failureThreshold: 3, "
                    "successThreshold: 2, allFailedPolicy: Drain}"},
        {.service = "probe-too-often",
         .error = "resolve probe policy: spec.routing.probe.period (500ms) must be at least "
                  "routing.observer.minPeriod (1s)",
         .routing = probe_with("503", "500ms")},
        // Tune routing capacity polling
        {.service = "poll-too-often",
         .error = "resolve capacity policy: spec.routing.capacity.period (500ms) must be at least "
                  "routing.observer.minPeriod (1s)",
         .routing = poll_with("format: Report, samples: 4, quorum: 1, period: 500ms, maxAge: 30s")},
        {.service = "poll-samples",
         .error = "resolve capacity policy: spec.routing.capacity.samples (101) must not exceed "
                  "routing.observer.maxSamples (100)",
         .routing = poll_with("format: Report, samples: 101, quorum: 1, period: 1s, maxAge: 30s")},
        {.service = "poll-format",
         .error = "resolve capacity policy: spec.routing.capacity.format \"Queue\" is not "
                  "registered in this build (available: [Report])",
         .routing = poll_with("format: Queue, samples: 4, quorum: 1, period: 1s, maxAge: 30s")},
        {.service = "poll-options",
         .error = "resolve capacity policy: spec.routing.capacity.options is not accepted for "
                  "format \"Report\"",
         .routing = poll_with("format: Report, options: {unit: pairs}, samples: 4, quorum: 1, "
                              "period: 1s, maxAge: 30s")},
        {.service = "poll-span",
         .error = "validate routing policy: spec.routing.capacity.maxAge (2s) must span at least "
                  "quorum (3) period intervals",
         .routing = poll_with("format: Report, samples: 4, quorum: 3, period: 1s, maxAge: 2s")},
    };
    return all;
}

const Mistake& mistake_of(const std::string& service) {
    return *std::ranges::find(mistakes(), service, &Mistake::service);
}

const std::vector<std::string>& new_services() {
    static const std::vector<std::string> all{
        "obsolete-selector", "drain-list", "probe-overlap", "poll-format"};
    return all;
}

GuideService mistaken(GuideService service, const Mistake& mistake) {
    service.annotations = mistake.annotations;
    service.routing = mistake.routing;
    return service;
}

}  // namespace

std::vector<GuideService> freeze_services() {
    std::vector<GuideService> all;
    for (const Mistake& mistake : mistakes()) {
        all.push_back({.name = mistake.service});
    }
    for (const std::string& name : new_services()) {
        all.push_back(mistaken({.name = "new-" + name}, mistake_of(name)));
    }
    all.push_back({.name = "llama-chat", .ns = "llama-demo"});
    return all;
}

namespace {

class Freeze : public GuideTest {
protected:
    static bool is_frozen(const std::string& service, const std::string& error) {
        return world().until([&] { return world().frozen(service) == error; });
    }

    /// Puts the mistake into a service whose map is there.
    static void freeze(const Mistake& mistake) {
        ASSERT_TRUE(world().until([&] { return world().map(mistake.service).has_value(); }));
        world().put(mistaken(world().service(mistake.service), mistake));
        EXPECT_TRUE(is_frozen(mistake.service, mistake.error)) << world().frozen(mistake.service);
    }

    /// Everywhere that the reason is told.
    static void expect_told(const std::string& service, const std::string& error) {
        EXPECT_TRUE(world().until([&] { return world().logged(service, error); })) << error;
        EXPECT_TRUE(world().until([&] {
            return testing::Matches(Contains(error))(world().events(service));
        })) << error;
        EXPECT_EQ(world().metric("ome_trafficmap_frozen", service), "1");
    }

    static std::int64_t requests_to(const std::string& service) {
        const auto home = world().homes().home(service + "-worker-a");
        return home.at_pointer("/poll/requests").to_number<std::int64_t>() +
               home.at_pointer("/probe/requests").to_number<std::int64_t>();
    }
};

class MistakenServices : public Freeze, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakenServices, AreFrozenAndSayWhy) {
    freeze(GetParam());
    expect_told(GetParam().service, GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(Guides,
                         MistakenServices,
                         testing::ValuesIn(mistakes()),
                         [](const auto& row) { return test_name(row.param.service); });

TEST_F(Freeze, AMapOfSomebodyElseIsLeftAlone) {
    const std::string before = world().map_text("llama-chat");
    ASSERT_TRUE(world().until([] { return !world().frozen("llama-chat").empty(); }));
    const std::string error = world().frozen("llama-chat");
    EXPECT_THAT(error,
                testing::MatchesRegex("TrafficMap llama-demo/llama-chat exists but is not "
                                      "controlled by InferenceService UID \"[0-9a-f-]+\""));
    expect_told("llama-chat", error);
    EXPECT_EQ(world().map_text("llama-chat"), before);
}

// The publisher goes on writing its own conditions into a map that is frozen.
std::vector<routing::Condition> of_routing(const routing::TrafficMap& map) {
    std::vector<routing::Condition> kept;
    std::ranges::copy_if(
        map.status.conditions, std::back_inserter(kept), [](const routing::Condition& condition) {
            return condition.type != "Published" && condition.type != "PublicationFallback";
        });
    return kept;
}

TEST_F(Freeze, TheMapKeepsItsLastTableAndNothingIsSentAnyMore) {
    for (const Mistake& mistake : mistakes()) {
        freeze(mistake);
    }
    // A write may have been under way.
    ASSERT_TRUE(world().time_goes_on());
    std::vector<routing::TrafficMap> before;
    for (const Mistake& mistake : mistakes()) {
        before.push_back(world().map(mistake.service).value());
    }
    // An attempt may have been under way.
    EXPECT_TRUE(world().until([] {
        std::vector<std::int64_t> sent;
        for (const Mistake& mistake : mistakes()) {
            sent.push_back(requests_to(mistake.service));
        }
        if (!world().time_goes_on()) {
            return false;
        }
        return std::ranges::equal(mistakes(), sent, {}, [](const Mistake& mistake) {
            return requests_to(mistake.service);
        });
    }));
    for (std::size_t i = 0; i < mistakes().size(); ++i) {
        const std::string& service = mistakes()[i].service;
        const routing::TrafficMap now = world().map(service).value();
        EXPECT_TRUE(now.spec == before[i].spec) << world().map_text(service);
        EXPECT_TRUE(of_routing(now) == of_routing(before[i])) << world().map_text(service);
    }
}

TEST_F(Freeze, AMapWhoseServiceIsMendedGoesOn) {
    const Mistake& mistake = mistake_of("probe-overlap");
    freeze(mistake);
    world().put(world().service(mistake.service));
    EXPECT_TRUE(is_frozen(mistake.service, ""));
    EXPECT_TRUE(world().until(
        [&] { return world().metric("ome_trafficmap_frozen", mistake.service).empty(); }));
    EXPECT_TRUE(world().until(
        [&] { return world().map(mistake.service)->spec.observed_isvc_generation > 1; }));
}

TEST_F(Freeze, ANewServiceGetsNoMap) {
    for (const std::string& name : new_services()) {
        const std::string service = "new-" + name;
        EXPECT_TRUE(is_frozen(service, mistake_of(name).error)) << world().frozen(service);
        expect_told(service, mistake_of(name).error);
        EXPECT_EQ(world().map_text(service), "");
    }
}

}  // namespace
}  // namespace ome::test
