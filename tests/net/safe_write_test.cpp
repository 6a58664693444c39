// The calls that flush are taken in place of the C library's, so that a test sees what is there at
// the moment of a flush, and may let it fail.
#include <ome/net/safe_write.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace {

// Whether the call is to succeed; empty: as if nobody looked.
std::function<bool(std::string_view call)> at_flush;

int flushed(const char* call, int result) {
    if (at_flush && !at_flush(call)) {
        errno = EIO;
        return -1;
    }
    return result;
}

}  // namespace

extern "C" int syncfs(int descriptor) noexcept {
    return flushed("syncfs", static_cast<int>(::syscall(SYS_syncfs, descriptor)));
}

extern "C" int fsync(int descriptor) {
    return flushed("fsync", static_cast<int>(::syscall(SYS_fsync, descriptor)));
}

extern "C" int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
    const auto result =
        static_cast<int>(::syscall(SYS_sync_file_range, descriptor, offset, count, flags));
    return (flags & SYNC_FILE_RANGE_WAIT_AFTER) == 0 ? result : flushed("wait", result);
}

namespace ome::net {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int many = 40;

class SafeWriteTest : public testing::Test {
protected:
    SafeWriteTest() { fs::create_directories(folder); }
    ~SafeWriteTest() override {
        at_flush = nullptr;
        fs::remove_all(folder);
    }

    [[nodiscard]] static std::string text_of(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    // So many files in so many folders, all with this text.
    [[nodiscard]] std::vector<FileWrite> files(int count, int folders, const char* text) const {
        std::vector<FileWrite> made;
        for (int i = 0; i < count; ++i) {
            made.push_back({fmt::format("{}/ns-{}/s{}.yaml", folder, i % folders, i), text});
        }
        return made;
    }

    [[nodiscard]] static std::vector<std::string> texts(const std::vector<FileWrite>& files) {
        std::vector<std::string> all;
        for (const FileWrite& file : files) {
            all.push_back(text_of(file.path));
        }
        return all;
    }

    [[nodiscard]] static int problems(const std::vector<FileWrite>& files) {
        int count = 0;
        for (const FileWrite& file : files) {
            count += file.problem ? 1 : 0;
        }
        return count;
    }

    // What is there besides the files that were asked for.
    [[nodiscard]] std::vector<std::string> asides() const {
        std::vector<std::string> texts;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().filename().string().starts_with('.')) {
                texts.push_back(text_of(entry.path()));
            }
        }
        return texts;
    }

    // Flushes in their order, and how many files had the new text at each.
    void record(const std::vector<FileWrite>& of, const char* text) {
        at_flush = [this, &of, text](std::string_view call) {
            const auto all = texts(of);
            flushes.push_back(
                fmt::format("{} {}", call, std::count(all.begin(), all.end(), std::string(text))));
            return true;
        };
    }

    std::string folder = testing::TempDir() + "ome-safe-write-" + std::to_string(::getpid());
    std::vector<std::string> flushes;
};

TEST_F(SafeWriteTest, OfAFewFilesEachIsFlushedBeforeAnyTakesItsPlace) {
    auto few = files(3, 1, "new");
    record(few, "new");
    write_safely(few);
    EXPECT_THAT(flushes, ElementsAre("fsync 0", "fsync 0", "fsync 0", "fsync 3"));
    EXPECT_THAT(texts(few), Each(std::string("new")));
    EXPECT_EQ(problems(few), 0);
    EXPECT_THAT(asides(), SizeIs(0));
}

TEST_F(SafeWriteTest, ManyFilesAreFlushedTogetherBeforeAnyTakesItsPlaceAndTheirFoldersAfter) {
    auto before = files(many, 20, "old");
    write_safely(before);
    auto all = files(many, 20, "new");
    std::vector<std::string> seen;
    std::vector<std::string> aside;
    at_flush = [&](std::string_view call) {
        if (call == "wait") {
            return true;
        }
        const auto now = texts(all);
        seen.push_back(fmt::format(
            "{}: {} new", call, std::count(now.begin(), now.end(), std::string("new"))));
        if (aside.empty()) {
            aside = asides();
        }
        return true;
    };
    write_safely(all);
    EXPECT_THAT(seen, ElementsAre("syncfs: 0 new", "syncfs: 40 new"));
    EXPECT_THAT(aside, AllOf(SizeIs(many), Each(std::string("new"))));
    EXPECT_THAT(asides(), SizeIs(0));
}

TEST_F(SafeWriteTest, ManyFilesOfOneFolderFlushThisFolderAlone) {
    auto all = files(many, 1, "new");
    record(all, "new");
    write_safely(all);
    EXPECT_EQ(std::count(flushes.begin(), flushes.end(), "wait 0"), many);
    EXPECT_EQ(std::count(flushes.begin(), flushes.end(), "syncfs 0"), 1);
    EXPECT_EQ(flushes.back(), "fsync 40");
}

TEST_F(SafeWriteTest, WhenTheFlushOfAllFailsAllStayAsTheyWere) {
    auto before = files(many, 2, "old");
    write_safely(before);
    auto all = files(many, 2, "new");
    at_flush = [](std::string_view call) { return call != "syncfs"; };
    write_safely(all);
    EXPECT_EQ(problems(all), many);
    EXPECT_THAT(all.front().problem->message, HasSubstr("cannot flush: Input/output error"));
    EXPECT_THAT(texts(all), Each(std::string("old")));
    EXPECT_THAT(asides(), SizeIs(0));
}

TEST_F(SafeWriteTest, AFileWhoseBytesDoNotReachTheDiskStaysAloneAsItWas) {
    auto before = files(many, 2, "old");
    write_safely(before);
    auto all = files(many, 2, "new");
    int waits = 0;
    at_flush = [&waits](std::string_view call) { return call != "wait" || ++waits != 5; };
    write_safely(all);
    EXPECT_EQ(problems(all), 1);
    ASSERT_TRUE(all[4].problem);
    EXPECT_EQ(text_of(all[4].path), "old");
    EXPECT_EQ(text_of(all[5].path), "new");
    EXPECT_THAT(asides(), SizeIs(0));
}

TEST_F(SafeWriteTest, ANameWithoutAFolderIsInTheFolderThatThisProcessIsIn) {
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    std::vector<FileWrite> file{{"plain.svg", "new"}};
    write_safely(file);
    fs::current_path(before);
    EXPECT_EQ(problems(file), 0);
    EXPECT_EQ(text_of(fs::path(folder) / "plain.svg"), "new");
    EXPECT_THAT(asides(), SizeIs(0));
}

TEST_F(SafeWriteTest, WhatStandsInPlaceOfAnAsideIsNeitherFollowedNorWaitedFor) {
    auto all = files(2, 1, "new");
    const auto aside_of = [](const std::string& path) {
        const std::size_t slash = path.rfind('/');
        return path.substr(0, slash) + "/." + path.substr(slash + 1) + ".ome-tmp";
    };
    fs::create_directories(fs::path(all[0].path).parent_path());
    std::ofstream(folder + "/precious") << "precious";
    fs::create_symlink(folder + "/precious", aside_of(all[0].path));
    ASSERT_EQ(::mkfifo(aside_of(all[1].path).c_str(), 0600), 0);
    write_safely(all);
    EXPECT_EQ(problems(all), 2);
    EXPECT_EQ(text_of(folder + "/precious"), "precious");
}

TEST_F(SafeWriteTest, AFolderThatCannotBeMadeIsTheCauseThatIsTold) {
    std::vector<FileWrite> one{{"/sys/ome-safe-write-test/s.yaml", "new"}};  // nobody may
    write_safely(one);
    ASSERT_TRUE(one.front().problem);
    EXPECT_THAT(one.front().problem->message, testing::Not(HasSubstr("No such file")));
}

TEST_F(SafeWriteTest, OneThatCannotBeOpenedKeepsNoOtherBack) {
    auto all = files(many, 2, "new");
    std::ofstream(folder + "/file") << "not a folder";
    all[7].path = folder + "/file/s7.yaml";
    write_safely(all);
    EXPECT_EQ(problems(all), 1);
    EXPECT_TRUE(all[7].problem);
    EXPECT_EQ(text_of(all[8].path), "new");
}

}  // namespace
}  // namespace ome::net
