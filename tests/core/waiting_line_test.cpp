#include <ome/core/waiting_line.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace ome::core {
namespace {

std::vector<std::uint32_t> drain(WaitingLine& line) {
    std::vector<std::uint32_t> order;
    while (const auto item = line.pop()) {
        order.push_back(*item);
    }
    return order;
}

TEST(WaitingLine, ServesServicesInTurnAndEachInOrder) {
    WaitingLine line;
    for (const std::uint32_t item : {10u, 11u, 12u, 13u}) {
        line.push(0, item);
    }
    line.push(7, 20);
    line.push(7, 21);
    line.push(3, 30);
    EXPECT_EQ(line.services(), 3u);
    EXPECT_EQ(line.size(), 7u);
    EXPECT_EQ(drain(line), (std::vector<std::uint32_t>{10, 20, 30, 11, 21, 12, 13}));
    EXPECT_EQ(line.services(), 0u);
}

TEST(WaitingLine, AServiceThatComesBackWaitsForItsTurn) {
    WaitingLine line;
    line.push(1, 10);
    line.push(2, 20);
    line.push(2, 21);
    EXPECT_EQ(line.pop(), 10u);
    line.push(1, 10);
    EXPECT_EQ(drain(line), (std::vector<std::uint32_t>{20, 10, 21}));
}

TEST(WaitingLine, ForgetsItemsAndWholeServices) {
    WaitingLine line;
    line.push(1, 10);
    line.push(1, 11);
    line.push(2, 20);
    line.remove(10);
    line.remove(10);
    line.remove(99);
    EXPECT_FALSE(line.waiting(10));
    line.remove_service(2);
    line.remove_service(99);
    EXPECT_EQ(line.services(), 1u);
    EXPECT_EQ(drain(line), (std::vector<std::uint32_t>{11}));
}

TEST(WaitingLine, AgreesWithASlowModel) {
    std::mt19937 random(7);  // NOLINT: the same on every run
    WaitingLine line;
    std::map<std::uint32_t, std::deque<std::uint32_t>> queues;
    std::deque<std::uint32_t> turns;
    const auto forget_if_empty = [&](std::uint32_t service) {
        if (queues[service].empty()) {
            std::erase(turns, service);
        }
    };
    for (int step = 0; step < 20'000; ++step) {
        const auto item = static_cast<std::uint32_t>(random() % 60);
        const std::uint32_t service = item % 7;
        switch (random() % 5) {
            case 0:
            case 1:
                if (!line.waiting(item)) {
                    if (queues[service].empty()) {
                        turns.push_back(service);
                    }
                    queues[service].push_back(item);
                    line.push(service, item);
                }
                break;
            case 2:
                std::erase(queues[service], item);
                forget_if_empty(service);
                line.remove(item);
                break;
            case 3: {
                if (random() % 20 == 0) {
                    queues[service].clear();
                    forget_if_empty(service);
                    line.remove_service(service);
                }
                break;
            }
            default: {
                std::optional<std::uint32_t> expected;
                if (!turns.empty()) {
                    const std::uint32_t turn = turns.front();
                    turns.pop_front();
                    expected = queues[turn].front();
                    queues[turn].pop_front();
                    if (!queues[turn].empty()) {
                        turns.push_back(turn);
                    }
                }
                ASSERT_EQ(line.pop(), expected);
            }
        }
        ASSERT_EQ(line.services(), turns.size());
    }
}

}  // namespace
}  // namespace ome::core
