#include <ome/core/quantity.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

std::string canonical(std::string_view text) {
    const auto quantity = parse_quantity(text);
    return quantity ? quantity->canonical() : "none";
}

TEST(Quantity, WritesTheLargestSuffixThatLeavesAnInteger) {
    EXPECT_EQ(canonical("2"), "2");
    EXPECT_EQ(canonical("1.5"), "1500m");
    EXPECT_EQ(canonical("1000m"), "1");
    EXPECT_EQ(canonical(".5"), "500m");
    EXPECT_EQ(canonical("2."), "2");
    EXPECT_EQ(canonical("+3"), "3");
    EXPECT_EQ(canonical("0.0001"), "100u");
    EXPECT_EQ(canonical("0.3333"), "333300u");
    EXPECT_EQ(canonical("1000000"), "1M");
    EXPECT_EQ(canonical("1E"), "1E");
    EXPECT_EQ(canonical("1000E"), "1000E");
    EXPECT_EQ(canonical("9223372036854775807"), "9223372036854775807");
}

TEST(Quantity, KeepsBinarySuffixesOfWholeNumbersFrom1024) {
    EXPECT_EQ(canonical("1Ki"), "1Ki");
    EXPECT_EQ(canonical("1024Ki"), "1Mi");
    EXPECT_EQ(canonical("1.5Ki"), "1536");
    EXPECT_EQ(canonical("0.5Ki"), "512");
    EXPECT_EQ(canonical(".001Ki"), "1024m");
    EXPECT_EQ(canonical("-1Ki"), "-1Ki");
    EXPECT_EQ(canonical("8Ei"), "9223372036854775807");
    EXPECT_EQ(canonical("100000000000000000000.5Ki"), "9223372036854775807");
}

TEST(Quantity, KeepsExponents) {
    EXPECT_EQ(canonical("1e3"), "1e3");
    EXPECT_EQ(canonical("1E4"), "10e3");
    EXPECT_EQ(canonical("15e-1"), "1500e-3");
    EXPECT_EQ(canonical("1e+2"), "100");
}

TEST(Quantity, KnowsTheSignOfEveryForm) {
    for (const char* text : {"1n", "0.0000000001", "1e-100", "1Ki", "1E", "1e5", "+.1"}) {
        EXPECT_TRUE(parse_quantity(text)->positive()) << text;
    }
    for (const char* text : {"0", "-0", "0.000", "0Ki", "0e10", "-1n", "-0.5", "-1e-100"}) {
        EXPECT_FALSE(parse_quantity(text)->positive()) << text;
    }
}

TEST(Quantity, RoundsAwayFromZeroBelowNano) {
    EXPECT_EQ(canonical("0.0000000001"), "1n");
    EXPECT_EQ(canonical("-0.0000000011"), "-2n");
    EXPECT_EQ(canonical("0.9999999991"), "1");
    EXPECT_EQ(canonical("0.0000000020"), "2n");
}

TEST(Quantity, IsWrittenForPeopleAsANumber) {
    for (const auto& [quantity, number] : {std::pair{"1500m", "1.5"},
                                           {"500m", "0.5"},
                                           {"50m", "0.05"},
                                           {"1n", "0.000000001"},
                                           {"2", "2"},
                                           {"0", "0"},
                                           {"-1500m", "-1.5"},
                                           {"1k", "1000"},
                                           {"1Ki", "1024"},
                                           {"1.5Ki", "1536"},
                                           {"1e3", "1000"},
                                           {"333300u", "0.3333"},
                                           {"999999999999999999", "999999999999999999"},
                                           {"9999999999999999999", "9999999999999999999"},
                                           {"1E", "1E"},
                                           {"30e99999", "30e99999"},
                                           {"none", "none"}}) {
        EXPECT_EQ(decimal_of(quantity), number);
    }
}

TEST(Quantity, RefusesWhatIsNone) {
    for (const char* text : {"",
                             "m",
                             "-",
                             "1Kib",
                             "1 ",
                             " 1",
                             "--1",
                             "+-1",
                             "0x10",
                             ".",
                             "1e",
                             "1e+",
                             "1e+-3",
                             "1e1.5",
                             "1ki",
                             "1i",
                             "1K",
                             "1e99999999999",
                             "10e2147483647",
                             "1_0"}) {
        EXPECT_FALSE(parse_quantity(text).has_value()) << text;
    }
}

}  // namespace
}  // namespace ome::core
