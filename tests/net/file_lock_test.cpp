#include <ome/net/file_lock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(FileLock, IsHeldByOneAtATime) {
    const std::string path = testing::TempDir() + "ome_file_lock_test";
    {
        auto first = FileLock::take(path, 0s);
        ASSERT_TRUE(first) << first.error().message;
        const auto second = FileLock::take(path, 20ms);
        ASSERT_FALSE(second);
        EXPECT_THAT(second.error().message, HasSubstr("is locked by another process"));
        FileLock moved = std::move(*first);
        EXPECT_FALSE(FileLock::take(path, 0s)) << "it moved and is still held";
    }
    EXPECT_TRUE(FileLock::take(path, 10s));
    std::remove(path.c_str());
    EXPECT_THAT(FileLock::take("/nonexistent/folder/lock", 0s).error().message,
                HasSubstr("/nonexistent/folder/lock: cannot lock"));
}

}  // namespace
}  // namespace ome::net
