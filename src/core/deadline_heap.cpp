#include "deadline_heap.hpp"

namespace ome::core {

void DeadlineHeap::arm(Key key, SteadyTime due) {
    disarm(key);
    if (key >= position_.size()) {
        position_.resize(key + std::size_t{1}, none);
    }
    heap_.push_back({due, key});
    rise(heap_.size() - 1, {due, key});
}

void DeadlineHeap::disarm(Key key) {
    if (key >= position_.size() || position_[key] == none) {
        return;
    }
    const std::size_t hole = position_[key];
    position_[key] = none;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (hole == heap_.size()) {
        return;
    }
    if (hole > 0 && last < heap_[(hole - 1) / 2]) {
        rise(hole, last);
    } else {
        sink(hole, last);
    }
}

std::optional<DeadlineHeap::Key> DeadlineHeap::pop_due(SteadyTime now) {
    if (heap_.empty() || heap_.front().due > now) {
        return std::nullopt;
    }
    const Key key = heap_.front().key;
    disarm(key);
    return key;
}

std::optional<SteadyTime> DeadlineHeap::next() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.front().due);
}

void DeadlineHeap::place(std::size_t at, Entry entry) {
    heap_[at] = entry;
    position_[entry.key] = static_cast<std::uint32_t>(at);
}

void DeadlineHeap::rise(std::size_t at, Entry entry) {
    while (at > 0 && entry < heap_[(at - 1) / 2]) {
        place(at, heap_[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(at, entry);
}

void DeadlineHeap::sink(std::size_t at, Entry entry) {
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
        if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) {
            ++child;
        }
        if (!(heap_[child] < entry)) {
            break;
        }
        place(at, heap_[child]);
        at = child;
    }
    place(at, entry);
}

}  // namespace ome::core
