// The kept corpora, fuzzing's findings among them, through the same properties in every build.
#include "support/source_file.hpp"
#include "targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ome::fuzz {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, KeepsEveryProperty) {
    const fs::path folder = fs::path(test::source_file("tests/fuzz/corpus")) / GetParam().name;
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    std::size_t inputs = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path());
        GetParam().check(content(entry.path()));
        ++inputs;
    }
    EXPECT_GT(inputs, 0U);
}

TEST(CorpusFolders, BelongToATarget) {
    for (const fs::directory_entry& entry :
         fs::directory_iterator(test::source_file("tests/fuzz/corpus"))) {
        EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
            return entry.path().filename() == target.name;
        })) << entry.path();
    }
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(targets), [](const auto& one) {
    return std::string(one.param.name);
});

}  // namespace
}  // namespace ome::fuzz
