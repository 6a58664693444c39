#include <ome/wire/watch_line.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

const WatchPlace place{"abc", 17};

TEST(WatchLine, AReadingCarriesTheServiceWithTheHomesThatChanged) {
    core::ServiceReading service{{"prod", "chat"}, "uid-\"1\"", true, {}};
    service.homes.push_back({"worker-a", "http://user:secret@a.example/", {}, {}});
    service.homes.push_back({"worker-b", "http://b.example/", {}, {}});
    std::string out;
    append_reading_line(out, place, service);
    EXPECT_EQ(out.back(), '\n');
    const auto line = boost::json::parse(out);
    EXPECT_EQ(line.at("type"), "Reading");
    EXPECT_EQ(line.at("instance"), "abc");
    EXPECT_EQ(line.at("revision"), 17);
    EXPECT_EQ(line.at("service").at("ownerUID"), "uid-\"1\"");
    EXPECT_EQ(line.at("service").at("revision"), 17);
    EXPECT_EQ(line.at("service").at("suspended"), true);
    EXPECT_EQ(line.at("service").at("homes").as_array().size(), 2U);
    EXPECT_EQ(out.find("secret"), out.npos);
}

TEST(WatchLine, ForgottenNamesTheHomesOrNoneForTheWholeService) {
    std::string out;
    append_forgotten_line(out, place, {"prod", "chat"}, {"a", "b"});
    append_forgotten_line(out, place, {"prod", "chat"}, {});
    EXPECT_EQ(
        out,
        R"({"type":"Forgotten","instance":"abc","revision":17,"service":{"namespace":"prod","name":"chat","clusters":["a","b"]}})"
        "\n"
        R"({"type":"Forgotten","instance":"abc","revision":17,"service":{"namespace":"prod","name":"chat"}})"
        "\n");
}

TEST(WatchLine, BookmarkAndGone) {
    std::string out;
    append_bookmark_line(out, place);
    append_gone_line(out, "def");
    EXPECT_EQ(out,
              R"({"type":"Bookmark","instance":"abc","revision":17})"
              "\n"
              R"({"type":"Gone","instance":"def"})"
              "\n");
}

}  // namespace
}  // namespace ome::wire
