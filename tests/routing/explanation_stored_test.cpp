#include <ome/routing/explanation.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

TrafficMap stored() {
    TrafficMap map;
    Entry& a = map.spec.entries.emplace_back();
    a.cluster = "a";
    a.weight = 3;
    a.capacity = {.allocated = 4, .ready = 5, .factor = "1500m", .reported = 4};
    Entry& b = map.spec.entries.emplace_back();
    b.cluster = "b";
    b.capacity = {.allocated = 2, .ready = 2};
    b.probe.emplace().gated = true;
    b.probe->message = "HTTP 503";
    b.drain_refs = {"m", "n"};
    map.status.conditions.push_back({.type = "Routable",
                                     .status = "True",
                                     .reason = "Routable",
                                     .message = "2 home(s) serving",
                                     .observed_generation = 1});
    return map;
}

TEST(FrozenExplanation, ShowsTheWeightsInForceAndWhyTheyStay) {
    const TrafficMap map = stored();
    const Explanation explanation = explain_frozen(&map, "parse ome.io/traffic-drain: bad");
    EXPECT_EQ(explanation.frozen, "parse ome.io/traffic-drain: bad");
    EXPECT_EQ(explanation.homes.at(0).share, 1.0);
    EXPECT_EQ(text_of(explanation),
              "frozen because parse ome.io/traffic-drain: bad\n"
              "Routable: 2 home(s) serving\n"
              "a 3: in force as stored: allocated 4, ready 5, ceiling 4, factor 1.5\n"
              "b 0: in force as stored: allocated 2, ready 2; gated by probe (HTTP 503); drained "
              "by m, n\n");
    ASSERT_EQ(explanation.homes.at(1).steps.size(), 1U);
    EXPECT_EQ(explanation.homes.at(1).steps[0].what, "stored");
}

TEST(FrozenExplanation, SaysThatThereIsNoMap) {
    EXPECT_EQ(text_of(explain_frozen(nullptr, "why"), "  "),
              "frozen because why\n  there is no map whose weights could be in force\n");
}

TEST(ExplanationText, EndsWithNotes) {
    Explanation explanation;
    explanation.routable = "Routable: 1 home(s) serving";
    explanation.notes = {"the drain waits"};
    EXPECT_EQ(text_of(explanation, "  "), "Routable: 1 home(s) serving\n  note: the drain waits\n");
}

}  // namespace
}  // namespace ome::routing
