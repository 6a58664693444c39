#include <ome/routing/unknown_phase.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

InferenceService service(std::string phase, const std::vector<std::string>& candidates) {
    InferenceService made;
    made.status.emplace().phase = std::move(phase);
    for (const std::string& one : candidates) {
        Candidate& candidate = made.status->candidates.emplace_back();
        candidate.cluster = "c" + std::to_string(made.status->candidates.size());
        candidate.phase = one;
    }
    return made;
}

TEST(UnknownPhases, AreToldWithTheirClusterAndWhatFollows) {
    const auto found = unknown_phases(service("Placd", {"Admitted", "Admited"}));
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(sentence(found[0]),
              "status.placement.phase: \"Placd\" is none of Pending, Admitting, Racing, Placed, "
              "Failed: no cluster gets traffic while it is not Placed");
    EXPECT_EQ(found[1].field, "status.placement.candidates[1].phase");
    EXPECT_EQ(sentence(found[1]),
              "status.placement.candidates[1].phase: \"Admited\" is none of Admitting, Placed, "
              "Admitted: the cluster \"c2\" gets no traffic while it is not Admitted");
}

TEST(UnknownPhases, AreNoneOfThoseThatThereAreOrThatAreNotThereYet) {
    EXPECT_THAT(unknown_phases(service("", {"", "Admitting", "Placed", "Admitted"})), IsEmpty());
    for (const char* phase : {"Pending", "Admitting", "Racing", "Placed", "Failed"}) {
        EXPECT_THAT(unknown_phases(service(phase, {})), IsEmpty()) << phase;
    }
    EXPECT_THAT(unknown_phases({}), IsEmpty());
}

}  // namespace
}  // namespace ome::routing
