#include <ome/net/small_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ome::net {
namespace {

namespace fs = std::filesystem;

class SmallFileTest : public testing::Test {
protected:
    SmallFileTest() {
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    ~SmallFileTest() override { fs::remove_all(folder); }

    void write(const std::string& text) const { std::ofstream(path, std::ios::trunc) << text; }
    [[nodiscard]] std::string problem() const {
        const auto file = read_small_file(path);
        return file ? "no problem" : file.error().message;
    }

    std::string folder = testing::TempDir() + "ome-small-file-" + std::to_string(::getpid());
    std::string path = folder + "/file";
};

TEST_F(SmallFileTest, GivesBytesAndPermissions) {
    write("some bytes\n");
    ::chmod(path.c_str(), 0640);
    const auto file = read_small_file(path);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->bytes, "some bytes\n");
    EXPECT_EQ(file->mode, 0640U);
    EXPECT_FALSE(is_readable_by_others(*file));
    ::chmod(path.c_str(), 0644);
    EXPECT_TRUE(is_readable_by_others(*read_small_file(path)));
}

TEST_F(SmallFileTest, TellsWhatIsWrongWithTheFile) {
    EXPECT_EQ(problem(), path + ": No such file or directory");
    ::mkfifo(path.c_str(), 0600);
    EXPECT_EQ(problem(), path + ": is not a regular file");
}

TEST_F(SmallFileTest, ReadsUpToItsBoundAndNoFurther) {
    write(std::string(most_file_bytes, 'x'));
    EXPECT_EQ(problem(), "no problem");
    write(std::string(most_file_bytes + 1, 'x'));
    EXPECT_EQ(problem(), path + ": is larger than 4194304 bytes");
}

TEST_F(SmallFileTest, ItsSignatureChangesWithTheFileBehindALink) {
    EXPECT_EQ(file_signature(path), "");
    std::ofstream(folder + "/one") << "1";
    std::ofstream(folder + "/two") << "22";
    fs::create_symlink("one", path);
    const std::string first = file_signature(path);
    EXPECT_EQ(file_signature(path), first);
    fs::remove(path);
    fs::create_symlink("two", path);
    EXPECT_NE(file_signature(path), first);
}

}  // namespace
}  // namespace ome::net
