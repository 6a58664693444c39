#include "kube_readability.hpp"

#include <gtest/gtest.h>

namespace ome::controller {
namespace {

kube::Failure refused(unsigned code) {
    kube::Failure failure{kube::Failure::Kind::Refused, "GET /x: " + std::to_string(code)};
    failure.status.code = code;
    return failure;
}

void fail(Readability& what, unsigned code, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
        EXPECT_TRUE(what.failed(refused(code)));
    }
}

TEST(Readability, OneRefusalSaysNothing) {
    Readability what;
    EXPECT_TRUE(what.unknown());
    fail(what, 404, Readability::refusals_believed - 1);
    EXPECT_TRUE(what.unknown());
    fail(what, 404, 1);
    EXPECT_FALSE(what.unknown());
    ASSERT_TRUE(what.problem());
    EXPECT_EQ(what.problem()->message, "GET /x: 404");
    EXPECT_TRUE(what.missing());
}

TEST(Readability, AListEndsIt) {
    Readability what;
    fail(what, 403, Readability::refusals_believed);
    EXPECT_TRUE(what.problem());
    EXPECT_FALSE(what.missing()) << "there may be objects that we must not see";
    what.listed();
    EXPECT_FALSE(what.problem());
    EXPECT_FALSE(what.unknown());
    fail(what, 404, Readability::refusals_believed - 1);
    EXPECT_FALSE(what.problem()) << "they are counted anew";
    fail(what, 404, 1);
    EXPECT_TRUE(what.missing());
}

TEST(Readability, TroubleOfTheServerIsNoneOfTheCollection) {
    Readability what;
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(what.failed({kube::Failure::Kind::Unreachable, "no way"}));
        EXPECT_FALSE(what.failed(refused(429)));
    }
    EXPECT_TRUE(what.unknown());
    what.listed();
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(what.failed(refused(503)));
    }
    EXPECT_FALSE(what.problem());
}

TEST(Readability, NobodyWaitsForAListThatNeverComes) {
    Readability what;
    fail(what, 500, Readability::refusals_believed);
    EXPECT_FALSE(what.unknown());
    EXPECT_FALSE(what.missing());
    fail(what, 404, 1);
    EXPECT_EQ(what.problem()->message, "GET /x: 500") << "one thing is told once";
}

}  // namespace
}  // namespace ome::controller
