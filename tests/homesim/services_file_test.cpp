#include "services_file.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::homesim {
namespace {

TEST(ServicesFile, GroupsHomesAndSpreadsThemOverThePorts) {
    ServicesFile settings;
    settings.address = "127.0.0.1";
    settings.ports = {1000, 1001};
    settings.poll_path = "/capacity";
    settings.homes_per_service = 2;
    const boost::json::value list =
        boost::json::parse(services_file(settings, {"home-0", "home-1", "home-2"}));
    ASSERT_EQ(list.as_array().size(), 2U);
    EXPECT_EQ(list.at_pointer("/0/homes/1/cluster"), "home-1");
    EXPECT_EQ(list.at_pointer("/0/homes/1/endpoint"), "http://127.0.0.1:1001/h/home-1");
    EXPECT_EQ(list.at_pointer("/1/name"), "service-1");
    EXPECT_EQ(list.at_pointer("/1/homes").as_array().size(), 1U);
    EXPECT_EQ(list.at_pointer("/1/capacity/period"), "1s");
    EXPECT_EQ(list.at_pointer("/1/probe/acceptStatuses"), boost::json::array{200});
}

TEST(ServicesFile, LeavesOutAKindThatIsNotWanted) {
    ServicesFile settings;
    settings.ports = {1000};
    settings.probe = false;
    const boost::json::value list = boost::json::parse(services_file(settings, {"home-0"}));
    EXPECT_FALSE(list.at(0).as_object().contains("probe"));
    EXPECT_TRUE(list.at(0).as_object().contains("capacity"));
}

}  // namespace
}  // namespace ome::homesim
