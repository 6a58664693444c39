#include <ome/routing/traffic_pass.hpp>
#include <ome/routing/unaddressable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ome::routing {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

InferenceService service(const std::vector<std::string>& endpoints) {
    InferenceService made;
    made.status.emplace().phase = "Placed";
    for (const std::string& endpoint : endpoints) {
        Candidate& candidate = made.status->candidates.emplace_back();
        candidate.cluster = "c" + std::to_string(made.status->candidates.size());
        candidate.phase = "Admitted";
        candidate.endpoint = endpoint;
    }
    return made;
}

TEST(Unaddressable, AreAdmittedCandidatesThatAreNoHomesOrNotObserved) {
    const InferenceService made = service({"http://a.test",
                                           "llm.example.com:443",
                                           "//h.example",
                                           "",
                                           "ftp://h.example",
                                           "https://b"});
    const auto found = unaddressable(made);
    ASSERT_THAT(found, SizeIs(4));
    EXPECT_EQ(
        sentence(found[0]),
        "status.placement.candidates[1].endpoint: endpoint URL \"llm.example.com:443\" must "
        "be absolute: http:// or https:// is missing in front (as in https://llm.example.com): "
        "cluster \"c2\" is no home and gets no traffic");
    EXPECT_THAT(sentence(found[1]),
                HasSubstr("\"c3\" keeps the weight that its replicas give it, and is neither "
                          "polled nor probed"));
    EXPECT_THAT(sentence(found[2]), HasSubstr("candidates[3].endpoint: endpoint URL \"\" must"));
    EXPECT_THAT(sentence(found[3]), HasSubstr("must use HTTP or HTTPS"));
    EXPECT_EQ(field_of(found[3]), "status.placement.candidates[4].endpoint");
}

// Whatever is told here, what the contract says of homes stays.
TEST(Unaddressable, AreHomesExactlyWhereTheySaySo) {
    const InferenceService made =
        service({"llm.example.com", "//h.example", "ftp://h.example", "/x"});
    std::set<std::string> homes;
    for (const Home& home : serving_homes(made)) {
        homes.insert(home.cluster);
    }
    for (const Unaddressable& one : unaddressable(made)) {
        EXPECT_EQ(one.home, homes.contains(one.cluster)) << one.cluster;
    }
}

TEST(Unaddressable, AreNotThoseThatWouldServeNothingAnyway) {
    InferenceService made = service({"h.example"});
    made.status->candidates[0].phase = "Admitting";
    EXPECT_THAT(unaddressable(made), IsEmpty());
    made = service({"h.example"});
    made.status->phase = "Placing";
    EXPECT_THAT(unaddressable(made), IsEmpty());
    EXPECT_THAT(unaddressable(InferenceService{}), IsEmpty());
    made = service({"h.example"});
    made.status->plan.emplace().mode = "Single";
    made.status->plan->winner = "other";
    EXPECT_THAT(unaddressable(made), IsEmpty()) << "given up by the plan";
}

TEST(Unaddressable, AreToldWithoutPasswords) {
    EXPECT_THAT(sentence(unaddressable(service({"user:s3cret@h.example"})).at(0)),
                testing::Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace ome::routing
