#include "label_selector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ome::controller {
namespace {

using testing::HasSubstr;

class Selector : public testing::TestWithParam<const char*> {};

using Readable = Selector;
using Unreadable = Selector;

TEST_P(Readable, IsTaken) {
    EXPECT_EQ(selector_fault(GetParam()), std::nullopt);
}

// As an API server takes them, an empty value included.
INSTANTIATE_TEST_SUITE_P(Of,
                         Readable,
                         testing::Values("",
                                         "  ",
                                         "team",
                                         "!team",
                                         "! team , tier",
                                         "team=chat",
                                         "team = chat",
                                         "team==chat,tier!=b",
                                         "team=",
                                         "team=,tier",
                                         "team in (chat)",
                                         "team in(chat,docs),tier notin ( a , b )",
                                         "team in ()",
                                         "team in (,a)",
                                         "in in (in)",
                                         "example.com/team.x_y=A-1",
                                         "size>3,size<-1"));

TEST_P(Unreadable, IsToldWithWhatIsWrong) {
    EXPECT_NE(selector_fault(GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Of,
                         Unreadable,
                         testing::Values("=x",
                                         "a in (",
                                         "a in",
                                         "a in b",
                                         "a in (b",
                                         "a in (b c)",
                                         "a in (b))",
                                         "a notin (b=c)",
                                         ",",
                                         "a,",
                                         ",a",
                                         "a,,b",
                                         "!",
                                         "!=b",
                                         "!!a",
                                         "!a=b",
                                         "a b",
                                         "a===b",
                                         "a=b=c",
                                         "a=b c=d",
                                         "a=-b",
                                         "a='b'",
                                         "-a=b",
                                         "/a=b",
                                         "a/=b",
                                         "A_B/c=d",
                                         "a/b/c=d",
                                         "a>b",
                                         "a>",
                                         "(a)"));

TEST(SelectorFault, NamesThePlaceAndTheRule) {
    EXPECT_EQ(selector_fault("=x"), "a label key is missing before \"=\"");
    EXPECT_EQ(selector_fault("a=b,"), "a label key is missing at its end");
    EXPECT_EQ(selector_fault("a in ("), "the list of a in lacks its ) at its end");
    EXPECT_EQ(selector_fault("a b"),
              "\"b\" after a must be one of = == != in notin < > or a comma");
    EXPECT_EQ(selector_fault("a>b"), "value \"b\" of a> must be a whole number");
    EXPECT_THAT(selector_fault("a='b'").value_or(""),
                HasSubstr("value \"'b'\" of a must be at most 63 of letters"));
    EXPECT_THAT(selector_fault("a=" + std::string(64, 'x')).value_or(""), HasSubstr("at most 63"));
    EXPECT_THAT(selector_fault("A_B/c").value_or(""),
                HasSubstr("label key \"A_B/c\" must be NAME or PREFIX/NAME"));
}

}  // namespace
}  // namespace ome::controller
