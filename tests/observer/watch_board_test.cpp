#include "watch_board.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace ome::observer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchBoardTest : public testing::Test {
protected:
    std::unique_ptr<WatchSeat> sit() {
        return std::make_unique<WatchSeat>(board, io.get_executor());
    }

    net::asio::io_context io{1};
    std::vector<bool> told;
    WatchBoard board{2, [this](bool followed) { told.push_back(followed); }};
};

TEST_F(WatchBoardTest, TheFirstWatchTurnsFollowingOnAndTheLastOneOff) {
    EXPECT_THAT(told, IsEmpty());
    auto first = sit();
    EXPECT_THAT(told, ElementsAre(true));
    auto second = sit();
    EXPECT_TRUE(board.full());
    first.reset();
    EXPECT_THAT(told, ElementsAre(true)) << "somebody still follows";
    second.reset();
    EXPECT_THAT(told, ElementsAre(true, false));
    const auto later = sit();
    EXPECT_THAT(told, ElementsAre(true, false, true));
}

}  // namespace
}  // namespace ome::observer
