#include <ome/net/text_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ome::net {
namespace {

class TextFile : public testing::Test {
protected:
    TextFile() {
        char name[] = "/tmp/text-file-XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~TextFile() override {
        unlink(path("x").c_str());
        rmdir(folder_.c_str());
    }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    std::string folder_;
};

TEST_F(TextFile, IsReadWhole) {
    std::ofstream(path("x")) << "a\nb";
    const auto text = read_text_file(path("x"));
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "a\nb");
}

TEST_F(TextFile, MayBeEmpty) {
    std::ofstream(path("x")).flush();
    const auto text = read_text_file(path("x"));
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "");
}

TEST_F(TextFile, IsNoFolderAndNoPipe) {
    const auto of_folder = read_text_file(folder_);
    ASSERT_FALSE(of_folder);
    EXPECT_EQ(of_folder.error().message, folder_ + ": is a folder, expected a file");
    ASSERT_EQ(mkfifo(path("x").c_str(), 0600), 0);
    const auto of_pipe = read_text_file(path("x"));
    ASSERT_FALSE(of_pipe) << "and it does not wait for a writer";
    EXPECT_EQ(of_pipe.error().message, path("x") + ": is a pipe, expected a file");
}

TEST_F(TextFile, IsNotReadWhenItIsTooLarge) {
    std::ofstream(path("x")).flush();
    std::filesystem::resize_file(path("x"), std::uintmax_t{257} << 20);  // a hole, no bytes
    const auto text = read_text_file(path("x"));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().message, path("x") + ": has more than 268435456 bytes");
}

TEST_F(TextFile, IsNamedWithTheCauseWhenItCannotBeRead) {
    const auto text = read_text_file(path("none"));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().message, path("none") + ": No such file or directory");
}

TEST_F(TextFile, IsTheStandardInputByTheNameOfADash) {
    std::istringstream input("from there");
    const auto text = read_text_input("-", input);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "from there");
    std::ofstream(path("x")) << "from a file";
    EXPECT_EQ(*read_text_input(path("x"), input), "from a file");
}

}  // namespace
}  // namespace ome::net
