#include "record_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ome::observer {
namespace {

class RecordFileTest : public testing::Test {
protected:
    RecordFileTest() {
        std::string folder = testing::TempDir() + "ome-record-XXXXXX";
        path = std::string(mkdtemp(folder.data())) + "/record";
    }
    ~RecordFileTest() override {
        std::filesystem::remove_all(std::filesystem::path(path).parent_path());
    }

    static std::string content(const std::string& name) {
        std::ifstream file(name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string path;
};

TEST_F(RecordFileTest, TurnsTheFileAtItsLimitAndKeepsOneMore) {
    core::Result<RecordFile> file = RecordFile::open(path, 10);
    ASSERT_TRUE(file);
    for (const char* line : {"aaaa\n", "bbbb\n", "cccc\n", "dddd\n", "eeee\n"}) {
        EXPECT_EQ(file->append(line), std::nullopt);
    }
    EXPECT_EQ(content(path), "eeee\n");
    EXPECT_EQ(content(path + ".1"), "cccc\ndddd\n");
}

TEST_F(RecordFileTest, BeginsAnewAndKeepsWhatWasThere) {
    std::ofstream(path) << "old\n";
    core::Result<RecordFile> file = RecordFile::open(path, 100);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->append("new\n"), std::nullopt);
    EXPECT_EQ(content(path), "new\n");
    EXPECT_EQ(content(path + ".1"), "old\n");
}

TEST_F(RecordFileTest, IsForItsOwnerOnly) {
    const core::Result<RecordFile> file = RecordFile::open(path, 100);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(RecordFileTest, SaysWhyAFullDiskTakesNothing) {
    core::Result<RecordFile> file = RecordFile::open("/dev/full", 100);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->append("line\n"), "No space left on device");
}

TEST_F(RecordFileTest, NamesTheFileThatCannotBeWritten) {
    EXPECT_EQ(RecordFile::open(path + "/x", 100).error().message,
              "--record \"" + path +
                  "/x\" must be a file that can be written: No such file or directory");
}

}  // namespace
}  // namespace ome::observer
