#include "record_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
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

TEST_F(RecordFileTest, NeverHoldsMoreThanItsLimit) {
    core::Result<RecordFile> file = RecordFile::open(path, 9);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->append("aaaa\n"), std::nullopt);
    EXPECT_EQ(file->append("bbbb\n"), std::nullopt);
    EXPECT_EQ(content(path), "bbbb\n");
}

TEST_F(RecordFileTest, StandardOutputIsWrittenOnAndNeverTurned) {
    std::ofstream(path) << "printed\n";
    const int before = ::dup(STDOUT_FILENO);
    const int output = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    ::dup2(output, STDOUT_FILENO);
    // Not /dev/stdout itself, which a version that fails this would rename.
    const std::string link = path + "-link";
    std::filesystem::create_symlink("/proc/self/fd/1", link);
    for (const std::string& name : {std::string("-"), link}) {
        core::Result<RecordFile> file = RecordFile::open(name, 10);
        EXPECT_TRUE(file && !file->append("aaaa\n") && !file->append("bbbb\n") &&
                    !file->append("cccc\n"));
    }
    ::dup2(before, STDOUT_FILENO);
    ::close(output);
    ::close(before);
    EXPECT_EQ(content(path), "printed\naaaa\nbbbb\ncccc\naaaa\nbbbb\ncccc\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".1"));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_FALSE(std::filesystem::exists("-"));
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

TEST_F(RecordFileTest, MakesAnEmptyFileThatIsThereItsOwnersOnly) {
    std::ofstream(path).flush();
    std::filesystem::permissions(path, std::filesystem::perms(0644));
    const core::Result<RecordFile> file = RecordFile::open(path, 100);
    ASSERT_TRUE(file);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(RecordFileTest, TurnsTheFileBehindALink) {
    const std::string real = std::filesystem::path(path).parent_path() / "sub/real";
    std::filesystem::create_directory(std::filesystem::path(real).parent_path());
    std::filesystem::create_symlink("sub/real", path);
    std::ofstream(real) << "old\n";
    core::Result<RecordFile> file = RecordFile::open(path, 10);
    ASSERT_TRUE(file);
    EXPECT_EQ(content(real + ".1"), "old\n");
    for (const char* line : {"aaaa\n", "bbbb\n", "cccc\n", "dddd\n", "eeee\n"}) {
        EXPECT_EQ(file->append(line), std::nullopt);
    }
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    EXPECT_EQ(content(path), "eeee\n");
    EXPECT_EQ(content(real + ".1"), "cccc\ndddd\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".1"));
}

TEST_F(RecordFileTest, BehindALinkToNowhereItIsMade) {
    std::filesystem::create_symlink("real", path);
    core::Result<RecordFile> file = RecordFile::open(path, 10);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->append("aaaa\n"), std::nullopt);
    EXPECT_EQ(content(path), "aaaa\n");
    EXPECT_TRUE(std::filesystem::is_symlink(path));
}

// As on a full disk.
TEST_F(RecordFileTest, AFailureInTheMiddleTakesNothingOfWhatWasThereBefore) {
    core::Result<RecordFile> file = RecordFile::open(path, 100);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->append("mine\n"), std::nullopt);
    std::ofstream(path, std::ios::app) << "of somebody else\n";
    rlimit usual{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{25, usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_EQ(file->append("longer\n"), "File too large");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(content(path), "mine\nof somebody else\n");
    EXPECT_EQ(file->append("next\n"), std::nullopt);
    EXPECT_EQ(content(path), "mine\nof somebody else\nnext\n");
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
