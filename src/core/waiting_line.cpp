#include <ome/core/waiting_line.hpp>

namespace ome::core {

template <typename Node>
void WaitingLine::append(List& list, std::vector<Node>& nodes, std::uint32_t node) {
    nodes[node].link = {list.tail, none};
    (list.tail == none ? list.head : nodes[list.tail].link.after) = node;
    list.tail = node;
}

template <typename Node>
void WaitingLine::unlink(List& list, std::vector<Node>& nodes, std::uint32_t node) {
    const Link link = nodes[node].link;
    (link.before == none ? list.head : nodes[link.before].link.after) = link.after;
    (link.after == none ? list.tail : nodes[link.after].link.before) = link.before;
    nodes[node].link = {};
}

void WaitingLine::push(Service service, Item item) {
    if (item >= waiters_.size()) {
        waiters_.resize(item + std::size_t{1});
    }
    if (service >= queues_.size()) {
        queues_.resize(service + std::size_t{1});
    }
    if (queues_[service].items.head == none) {
        append(turns_, queues_, service);
        ++services_;
    }
    waiters_[item].service = service;
    append(queues_[service].items, waiters_, item);
    ++size_;
}

std::optional<WaitingLine::Item> WaitingLine::pop() {
    if (turns_.head == none) {
        return std::nullopt;
    }
    const Service service = turns_.head;
    const Item item = queues_[service].items.head;
    remove(item);
    if (queues_[service].items.head != none) {
        unlink(turns_, queues_, service);
        append(turns_, queues_, service);
    }
    return item;
}

void WaitingLine::remove(Item item) {
    if (!waiting(item)) {
        return;
    }
    const Service service = waiters_[item].service;
    unlink(queues_[service].items, waiters_, item);
    waiters_[item].service = none;
    --size_;
    if (queues_[service].items.head == none) {
        unlink(turns_, queues_, service);
        --services_;
    }
}

void WaitingLine::remove_service(Service service) {
    while (service < queues_.size() && queues_[service].items.head != none) {
        remove(queues_[service].items.head);
    }
}

bool WaitingLine::waiting(Item item) const {
    return item < waiters_.size() && waiters_[item].service != none;
}

}  // namespace ome::core
