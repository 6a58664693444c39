#include "standing_complaints.hpp"

#include "shelf_news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StandingComplaints, AreToldOnceForEachChangeAndWhenTheyAreOver) {
    StandingComplaints complaints;
    EXPECT_THAT(complaints.tell({}), IsEmpty());
    EXPECT_THAT(test::in_words(complaints.tell({{"a", {"one"}}, {"b", {"two"}}})),
                ElementsAre("unusable a: one", "unusable b: two"));
    EXPECT_THAT(complaints.tell({{"a", {"one"}}, {"b", {"two"}}}), IsEmpty());
    EXPECT_THAT(test::in_words(complaints.tell({{"b", {"three"}}})),
                ElementsAre("usable a", "unusable b: three"));
    EXPECT_THAT(test::in_words(complaints.tell({})), ElementsAre("usable b"));
}

}  // namespace
}  // namespace ome::controller
