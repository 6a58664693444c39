#include <ome/wire/service_remarks.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

namespace json = boost::json;

std::vector<core::Problem> remarks(const json::object& annotations) {
    return service_remarks(json::object{
        {"metadata",
         {{"namespace", "demo"}, {"name", "chat"}, {"uid", "u"}, {"annotations", annotations}}},
        {"spec", {{"model", {{"name", "of others"}}}}}});
}

TEST(ServiceRemarks, ASlipInTheNameOfAnAnnotationIsTold) {
    const auto told = remarks({{"ome.io/traffic-drian", "{}"}});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told.front().message, testing::HasSubstr("did you mean ome.io/traffic-drain?"));
    EXPECT_THAT(told.front().field, testing::HasSubstr("ome.io/traffic-drian"));
}

TEST(ServiceRemarks, WhatIsOfOthersIsNot) {
    EXPECT_TRUE(remarks({{"example.com/x", "y"}, {"ome.io/traffic-drain", "{}"}}).empty());
    EXPECT_TRUE(service_remarks(json::object{}).empty());
}

TEST(ServiceRemarks, ThereIsABoundOfThem) {
    json::object many;
    for (char last = 'a'; last <= 'z'; ++last) {
        many[std::string("ome.io/traffic-drai") + last + "n"] = "{}";
    }
    EXPECT_EQ(remarks(many).size(), 10U);
}

}  // namespace
}  // namespace ome::wire
