#include <ome/core/address_policy.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ome::core {
namespace {

IpAddress address(std::string_view text) {
    return parse_address(text).value();
}

AddressPolicy policy(const std::vector<std::string>& deny, bool allow_loopback = false) {
    return AddressPolicy::create(deny, allow_loopback).value();
}

bool allowed(const AddressPolicy& policy, std::string_view text) {
    return policy.allows(address(text));
}

TEST(AddressPolicy, DeniesExactlyTheRange) {
    const AddressPolicy denies = policy({"169.254.0.0/16", "100.100.100.200/32"});
    EXPECT_TRUE(allowed(denies, "169.253.255.255"));
    EXPECT_FALSE(allowed(denies, "169.254.0.0"));
    EXPECT_FALSE(allowed(denies, "169.254.255.255"));
    EXPECT_TRUE(allowed(denies, "169.255.0.0"));
    EXPECT_TRUE(allowed(denies, "100.100.100.199"));
    EXPECT_FALSE(allowed(denies, "100.100.100.200"));
}

TEST(AddressPolicy, DeniesAPrefixThatEndsInsideAByte) {
    const AddressPolicy denies = policy({"fe80::/10"});
    EXPECT_TRUE(allowed(denies, "fe7f:ffff::1"));
    EXPECT_FALSE(allowed(denies, "fe80::1"));
    EXPECT_FALSE(allowed(denies, "febf::1"));
    EXPECT_TRUE(allowed(denies, "fec0::1"));
}

TEST(AddressPolicy, RefusesLoopbackInEverySpelling) {
    const AddressPolicy denies = policy({});
    for (const char* text : {"127.0.0.1",
                             "127.255.255.255",
                             "0.0.0.0",
                             "0.1.2.3",
                             "::1",
                             "::",
                             "::ffff:127.0.0.1",
                             "::ffff:0.0.0.0",
                             "::127.0.0.1",
                             "64:ff9b::7f00:1",
                             "2002:7f00:1::1"}) {
        EXPECT_FALSE(allowed(denies, text)) << text;
    }
    for (const char* text : {"126.255.255.255", "128.0.0.0", "1.0.0.0", "2001:db8::1"}) {
        EXPECT_TRUE(allowed(denies, text)) << text;
    }
}

TEST(AddressPolicy, AllowsLoopbackWhenTold) {
    const AddressPolicy allows = policy({"169.254.0.0/16"}, true);
    EXPECT_TRUE(allowed(allows, "127.0.0.1"));
    EXPECT_TRUE(allowed(allows, "::1"));
    EXPECT_TRUE(allowed(allows, "::ffff:127.0.0.1"));
    EXPECT_FALSE(allowed(allows, "169.254.1.1"));
}

TEST(AddressPolicy, SeesThroughFormsThatLeadToADeniedIPv4Address) {
    const AddressPolicy denies = policy({"169.254.0.0/16"});
    EXPECT_FALSE(allowed(denies, "::ffff:169.254.169.254"));
    EXPECT_FALSE(allowed(denies, "64:ff9b::a9fe:a9fe"));
    EXPECT_FALSE(allowed(denies, "64:ff9b:1::a9fe:a9fe"));
    EXPECT_FALSE(allowed(denies, "64:ff9b:1:2:3:4:a9fe:a9fe"));
    EXPECT_FALSE(allowed(denies, "::ffff:0:169.254.169.254"));
    EXPECT_FALSE(allowed(denies, "2002:a9fe:a9fe::1"));
    EXPECT_TRUE(allowed(denies, "64:ff9b::a00:1"));
    EXPECT_TRUE(allowed(denies, "64:ff9b:1::a00:1"));
    EXPECT_TRUE(allowed(denies, "64:ff9b:2::a9fe:a9fe"));
    EXPECT_TRUE(allowed(denies, "::ffff:0:10.0.0.1"));
    EXPECT_TRUE(allowed(denies, "2002:a00:1::1"));
}

TEST(AddressPolicy, ReadsAMappedRangeAsTheIPv4RangeItMeans) {
    const AddressPolicy denies = policy({"::ffff:10.0.0.0/104"});
    EXPECT_FALSE(allowed(denies, "10.1.2.3"));
    EXPECT_TRUE(allowed(denies, "11.1.2.3"));
}

TEST(AddressPolicy, ARangeOfEverythingLeavesNothing) {
    const AddressPolicy denies = policy({"0.0.0.0/0", "::/0"}, true);
    EXPECT_FALSE(allowed(denies, "10.0.0.1"));
    EXPECT_FALSE(allowed(denies, "2001:db8::1"));
}

TEST(AddressPolicy, NamesTheRangeThatCannotBeUsed) {
    const auto message = [](const std::string& text) {
        return AddressPolicy::create({"10.0.0.0/8", text}, false).error().message;
    };
    EXPECT_EQ(message("10.0.0/8"),
              "deny-addresses: \"10.0.0/8\" is not an IP address or CIDR range");
    EXPECT_EQ(message("10.0.0.0/33"),
              "deny-addresses: \"10.0.0.0/33\" must have a prefix length of 0 to 32");
    EXPECT_EQ(message("fd00::/x"),
              "deny-addresses: \"fd00::/x\" must have a prefix length of 0 to 128");
    EXPECT_EQ(message("10.0.0.1/8"),
              "deny-addresses: \"10.0.0.1/8\" has bits set behind its prefix of 8");
}

TEST(AddressPolicy, ReadsOnlyStrictAddresses) {
    for (const char* text : {"127.1", "0x7f.0.0.1", "2130706433", "[::1]", "fe80::1%eth0", ""}) {
        EXPECT_EQ(parse_address(text), std::nullopt) << text;
    }
    EXPECT_EQ(parse_address({"192.0.2.1\0.example", 18}), std::nullopt);
}

TEST(AddressPolicy, ShowsNoControlCharacterOfARangeThatIsWrong) {
    for (const char* text : {"\x1b[2J", "10.0.0.0/\x1b[2J"}) {
        const auto range = parse_cidr(text);
        ASSERT_FALSE(range);
        EXPECT_EQ(range.error().message.find('\x1b'), std::string::npos) << range.error().message;
    }
}

}  // namespace
}  // namespace ome::core
