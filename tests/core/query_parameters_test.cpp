#include <ome/core/query_parameters.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::core {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(QueryParameters, ThatAreKnownAreNoProblem) {
    EXPECT_FALSE(unknown_parameter({}, {}));
    EXPECT_FALSE(unknown_parameter({{"limit", "x"}}, {"namespace", "limit"}));
}

TEST(QueryParameters, ThatNobodyKnowsAreToldWithTheirValueAndWithWhatIsKnown) {
    const auto problem = unknown_parameter({{"limit", "1"}, {"lmit", "5"}}, {"namespace", "limit"});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->field, "lmit");
    EXPECT_EQ(problem->message,
              "query parameter \"lmit\" (with the value \"5\") is not known: this request takes "
              "namespace, limit; did you mean limit?");
}

TEST(QueryParameters, OfARequestThatTakesNoneAreToldSo) {
    const auto problem = unknown_parameter({{"x", ""}}, {});
    ASSERT_TRUE(problem);
    EXPECT_THAT(problem->message, HasSubstr("\"x\" (with the value \"\")"));
    EXPECT_THAT(problem->message, HasSubstr("this request takes none"));
}

TEST(QueryParameters, NamesDifferByCase) {
    const auto problem = unknown_parameter({{"Limit", "1"}}, {"limit"});
    ASSERT_TRUE(problem);
    EXPECT_THAT(problem->message, HasSubstr("did you mean limit?"));
}

TEST(QueryParameters, ComeBackShortAndWithoutControlCharacters) {
    const auto problem = unknown_parameter({{"a\x1b[31m", std::string(10'000, 'v')}}, {"limit"});
    ASSERT_TRUE(problem);
    EXPECT_LT(problem->message.size(), 400U);
    EXPECT_THAT(problem->message, Not(HasSubstr("\x1b")));
    EXPECT_THAT(problem->message, Not(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace ome::core
