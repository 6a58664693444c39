// Attempts that are due and wait for a permit: first come first served within a service, services
// in turn (design.md D20), so that a service with 1,000 homes cannot starve one with 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ome::core {

/// Services and items are small dense numbers; an item waits at most once. Every call is O(1),
/// except remove_service(), which takes a step per item of it. Memory follows the largest numbers.
class WaitingLine {
public:
    using Service = std::uint32_t;
    using Item = std::uint32_t;

    /// `item` must not be waiting.
    void push(Service service, Item item);

    /// The oldest item of the service whose turn it is; that service goes to the end.
    [[nodiscard]] std::optional<Item> pop();

    /// Does nothing when the item is not waiting.
    void remove(Item item);
    void remove_service(Service service);

    [[nodiscard]] bool waiting(Item item) const;
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t services() const { return services_; }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    struct Link {
        std::uint32_t before = none;
        std::uint32_t after = none;
    };
    struct List {
        std::uint32_t head = none;
        std::uint32_t tail = none;
    };
    struct Waiter {
        Link link;
        Service service = none;  // none: not waiting
    };
    struct Queue {
        Link link;  // in the ring of services with waiters
        List items;
    };

    template <typename Node>
    static void append(List& list, std::vector<Node>& nodes, std::uint32_t node);
    template <typename Node>
    static void unlink(List& list, std::vector<Node>& nodes, std::uint32_t node);

    std::vector<Waiter> waiters_;
    std::vector<Queue> queues_;
    List turns_;
    std::size_t size_ = 0;
    std::size_t services_ = 0;
};

}  // namespace ome::core
