#include "deadline_heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime start{1h};

TEST(DeadlineHeap, GivesWhatIsDueEarliestFirstAndNothingTooEarly) {
    DeadlineHeap heap;
    heap.arm(5, start + 2s);
    heap.arm(3, start + 1s);
    EXPECT_EQ(heap.next(), start + 1s);
    EXPECT_EQ(heap.pop_due(start + 1s - 1ns), std::nullopt);
    EXPECT_EQ(heap.pop_due(start + 1s), 3u);
    EXPECT_EQ(heap.pop_due(start + 1s), std::nullopt);
}

TEST(DeadlineHeap, MovesAndTakesBackDeadlinesWithoutGarbage) {
    DeadlineHeap heap;
    for (int again = 0; again < 1000; ++again) {
        heap.arm(1, start + std::chrono::seconds(again % 7));
        heap.arm(2, start + 3s);
    }
    EXPECT_EQ(heap.size(), 2u);
    heap.disarm(2);
    heap.disarm(2);
    heap.disarm(77);
    EXPECT_EQ(heap.size(), 1u);
    EXPECT_EQ(heap.pop_due(start + 1h), 1u);
    EXPECT_EQ(heap.next(), std::nullopt);
}

TEST(DeadlineHeap, AgreesWithAnOrderedMap) {
    std::mt19937 random(11);  // NOLINT: the same on every run
    DeadlineHeap heap;
    std::map<std::uint32_t, SteadyTime> model;
    const auto earliest = [&] {
        return std::min_element(model.begin(), model.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
        });
    };
    for (int step = 0; step < 20'000; ++step) {
        const auto key = static_cast<std::uint32_t>(random() % 100);
        const SteadyTime due = start + std::chrono::seconds(random() % 50);
        if (random() % 3 != 0) {
            heap.arm(key, due);
            model[key] = due;
        } else if (random() % 2 == 0) {
            heap.disarm(key);
            model.erase(key);
        } else {
            const auto first = earliest();
            const bool any = first != model.end() && first->second <= due;
            ASSERT_EQ(heap.pop_due(due), any ? std::optional(first->first) : std::nullopt);
            if (any) {
                model.erase(first);
            }
        }
        ASSERT_EQ(heap.size(), model.size());
        ASSERT_EQ(heap.next(), model.empty() ? std::nullopt : std::optional(earliest()->second));
    }
}

}  // namespace
}  // namespace ome::core
