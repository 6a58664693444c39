// What is due next among very many: one binary heap instead of a timer each.
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ome::core {

/// Keys are small dense numbers; each has at most one deadline. The heap knows where each key
/// stands, so a deadline is moved or taken back in O(log n) and leaves no garbage behind.
class DeadlineHeap {
public:
    using Key = std::uint32_t;

    /// Sets or moves the deadline of `key`.
    void arm(Key key, SteadyTime due);
    void disarm(Key key);

    /// The key with the earliest deadline at or before `now`, which loses it; ties by key.
    [[nodiscard]] std::optional<Key> pop_due(SteadyTime now);

    [[nodiscard]] std::optional<SteadyTime> next() const;
    [[nodiscard]] std::size_t size() const { return heap_.size(); }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    struct Entry {
        SteadyTime due;
        Key key;

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    void place(std::size_t at, Entry entry);
    void rise(std::size_t at, Entry entry);
    void sink(std::size_t at, Entry entry);

    std::vector<Entry> heap_;
    std::vector<std::uint32_t> position_;  // by key
};

}  // namespace ome::core
