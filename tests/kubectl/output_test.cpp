#include "output.hpp"

#include "names.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::kubectl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
namespace json = boost::json;

TEST(Output, AgesReadAsKubectlPrintsThem) {
    EXPECT_EQ(age_text(-5s), "<invalid>");
    EXPECT_EQ(age_text(-1s), "0s");
    EXPECT_EQ(age_text(0s), "0s");
    EXPECT_EQ(age_text(119s), "119s");
    EXPECT_EQ(age_text(120s), "2m");
    EXPECT_EQ(age_text(5min + 10s), "5m10s");
    EXPECT_EQ(age_text(10min + 10s), "10m");
    EXPECT_EQ(age_text(179min), "179m");
    EXPECT_EQ(age_text(3h), "3h");
    EXPECT_EQ(age_text(3h + 5min), "3h5m");
    EXPECT_EQ(age_text(47h + 59min), "47h");
    EXPECT_EQ(age_text(48h), "2d");
    EXPECT_EQ(age_text(51h), "2d3h");
    EXPECT_EQ(age_text(24h * 100), "100d");
    EXPECT_EQ(age_text(24h * 731), "2y1d");
    EXPECT_EQ(age_text(24h * 365 * 9), "9y");
    EXPECT_EQ(age_of("yesterday", {}), "<unknown>");
}

TEST(Output, DocumentsHoldNothingThatATerminalObeys) {
    const json::value value{{"reason", "a\u009b2J\u202e\x7f\u2069\u061cz"}};
    EXPECT_EQ(document(value, Format::Json),
              "{\n    \"reason\": \"a\\u009b2J\\u202e\\u007f\\u2069\\u061cz\"\n}\n");
    EXPECT_EQ(document(value, Format::Yaml),
              "reason: \"a\\u009b2J\\u202e\\u007f\\u2069\\u061cz\"\n");
    EXPECT_EQ(document({{"x\u2066", "\u202e"}}, Format::Yaml), "\"x\\u2066\": \"\\u202e\"\n");
    EXPECT_EQ(document({{"x", "\ufeff"}}, Format::Yaml), "x: \"\\ufeff\"\n");
}

TEST(Output, TablesHoldNothingThatATerminalObeys) {
    EXPECT_EQ(table({{"a\x1b[2Jb", "c\u202ed\n", " e "}}), "ab   c d    e \n");
}

TEST(Output, CellsAreBoundedByCharacters) {
    EXPECT_EQ(bounded("four", 4), "four");
    EXPECT_EQ(bounded("fiver", 4), "f...");
    EXPECT_EQ(bounded("ééééé", 5), "ééééé");
    EXPECT_EQ(bounded("éééééé", 5), "éé...");
    EXPECT_THAT(chunks("abcde", 2), ElementsAre("ab", "cd", "e"));
    EXPECT_THAT(chunks("世界a", 3), ElementsAre("世", "界a"));
    EXPECT_THAT(chunks("", 2), ElementsAre(""));
    EXPECT_EQ(table({{"A", "B"}, {"long", "x"}}), "A      B\nlong   x\n");
}

TEST(Names, LabelsAndSubdomains) {
    EXPECT_TRUE(is_label("a-1"));
    for (const std::string& wrong : {std::string(),
                                     std::string("A"),
                                     std::string("-a"),
                                     std::string("a-"),
                                     std::string("a.b"),
                                     std::string("a_b"),
                                     std::string(64, 'a')}) {
        EXPECT_FALSE(is_label(wrong)) << wrong;
    }
    EXPECT_TRUE(is_subdomain("worker-a.example.com"));
    EXPECT_FALSE(is_subdomain("a..b"));
    EXPECT_FALSE(is_subdomain("a."));
    EXPECT_FALSE(is_subdomain(std::string(254, 'a')));
}

TEST(Names, WhatLooksLikeACredential) {
    for (const char* secret : {"sk-abcdefghijkl",
                               "the key is sk-proj-abcdefghijkl",
                               "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
                               "AKIAIOSFODNN7EXAMPLE",
                               "ghp_abcdefghijklmnopqrst",
                               "Authorization: Bearer abcdefgh",
                               "password=hunter2",
                               "token: abc"}) {
        EXPECT_TRUE(looks_like_credential(secret)) << secret;
    }
    for (const char* harmless : {"planned maintenance",
                                 "task-force",
                                 "risk-assessment-needed",
                                 "token bucket is full",
                                 "password rotation",
                                 "disk < 10% & rising",
                                 ""}) {
        EXPECT_FALSE(looks_like_credential(harmless)) << harmless;
    }
}

TEST(Names, PrintableAndTrimmed) {
    EXPECT_TRUE(is_printable("a \"quoted\" back\\slash é"));
    EXPECT_FALSE(is_printable("a\nb"));
    EXPECT_FALSE(is_printable("a\xff"));
    EXPECT_FALSE(is_printable("a\u202e"));
    EXPECT_TRUE(is_trimmed("a b"));
    EXPECT_FALSE(is_trimmed(" a"));
}

}  // namespace
}  // namespace ome::kubectl
