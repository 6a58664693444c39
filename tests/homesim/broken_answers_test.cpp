#include "broken_answers.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ome::homesim {
namespace {

TEST(BrokenAnswers, AreFoundByTheirNamesWhichDiffer) {
    std::set<std::string_view> names;
    for (const BrokenAnswer& answer : broken_answers()) {
        EXPECT_TRUE(names.insert(answer.name).second) << answer.name;
        EXPECT_EQ(find_broken(answer.name), &answer);
        EXPECT_FALSE(answer.meaning.empty());
        EXPECT_FALSE(answer.bytes(200, "hello").empty());
    }
    EXPECT_EQ(find_broken("well"), nullptr);
}

TEST(BrokenAnswers, LieAboutTheLength) {
    EXPECT_TRUE(find_broken("length-short")
                    ->bytes(200, "hello")
                    .ends_with("Content-Length: 15\r\n\r\nhello"));
    EXPECT_TRUE(find_broken("length-long")
                    ->bytes(200, "hello")
                    .ends_with("Content-Length: 5\r\n\r\nhellomore"));
}

}  // namespace
}  // namespace ome::homesim
