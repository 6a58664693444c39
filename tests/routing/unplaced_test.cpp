#include <ome/routing/unplaced.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

InferenceService service(const std::vector<std::string>& clusters) {
    InferenceService made;
    made.routing.emplace().capacity_factors = {{"a", "2"}, {"z", "2"}};
    made.status.emplace();
    for (const std::string& cluster : clusters) {
        made.status->candidates.emplace_back().cluster = cluster;
    }
    return made;
}

const std::vector<Drain> drains = {{"m", "b", "r"}, {"n", "y", "r"}};

TEST(Unplaced, AreFactorsAndDrainsOfNoCandidate) {
    EXPECT_THAT(unplaced(service({"a", "b"}), drains),
                ElementsAre(Unplaced{Unplaced::Kind::Factor, "z", "z"},
                            Unplaced{Unplaced::Kind::Drain, "n", "y"}));
    EXPECT_THAT(unplaced(service({"a", "b", "y", "z"}), drains), IsEmpty());
}

TEST(Unplaced, AreUnknownWithoutCandidates) {
    EXPECT_THAT(unplaced(service({}), drains), IsEmpty());
    EXPECT_THAT(unplaced(InferenceService{}, drains), IsEmpty());
}

TEST(Unplaced, AreToldWithTheCandidatesAndTheEffect) {
    EXPECT_EQ(sentence({Unplaced::Kind::Drain, "n", "y"}, service({"a", "b"})),
              "the drain \"n\" is for \"y\", which is no candidate of status.placement (these are: "
              "\"a\", \"b\"): it stays pending");
    const std::string many =
        sentence({Unplaced::Kind::Factor, "z", "z"}, service(std::vector<std::string>(11, "long")));
    EXPECT_THAT(many, testing::HasSubstr("\"long\", ...): it has no effect"));
}

}  // namespace
}  // namespace ome::routing
