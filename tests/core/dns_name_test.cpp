#include <ome/core/dns_name.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ome::core {
namespace {

TEST(DnsName, Labels) {
    EXPECT_TRUE(is_dns_label("a"));
    EXPECT_TRUE(is_dns_label("a-1"));
    EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
    for (const std::string& bad : {std::string(),
                                   std::string("-a"),
                                   std::string("a-"),
                                   std::string("A"),
                                   std::string("a.b"),
                                   std::string(64, 'a')}) {
        EXPECT_FALSE(is_dns_label(bad)) << bad;
    }
}

TEST(DnsName, Subdomains) {
    EXPECT_TRUE(is_dns_subdomain("a.b-c.d"));
    EXPECT_TRUE(is_dns_subdomain(std::string(253, 'a')));
    for (const std::string& bad : {std::string(),
                                   std::string("a..b"),
                                   std::string(".a"),
                                   std::string("a."),
                                   std::string("*.a"),
                                   std::string(254, 'a')}) {
        EXPECT_FALSE(is_dns_subdomain(bad)) << bad;
    }
}

TEST(DnsName, LabelValues) {
    EXPECT_TRUE(is_label_value(""));
    EXPECT_TRUE(is_label_value("A_b.c-1"));
    for (const std::string& bad :
         {std::string("-a"), std::string("a_"), std::string("a b"), std::string(64, 'a')}) {
        EXPECT_FALSE(is_label_value(bad)) << bad;
    }
}

}  // namespace
}  // namespace ome::core
