#include <ome/core/change_feed.hpp>

#include <utility>

namespace ome::core {

std::uint64_t ChangeFeed::service_changed(const ServiceKey& service) {
    return put({service, {}, false});
}

std::uint64_t ChangeFeed::home_changed(const ServiceKey& service, const std::string& cluster) {
    drop(Subject{service, cluster, true});
    return put({service, cluster, false});
}

std::uint64_t ChangeFeed::home_forgotten(const ServiceKey& service, const std::string& cluster) {
    if (!drop(Subject{service, cluster, false})) {
        return revision_;
    }
    return put({service, cluster, true});
}

std::uint64_t ChangeFeed::service_forgotten(const ServiceKey& service) {
    const auto first = subjects_.lower_bound(Subject{service, {}, false});
    auto last = first;
    bool known = false;
    for (; last != subjects_.end() && last->first.service == service; ++last) {
        known = known || !last->first.forgotten;
    }
    if (!known) {
        return revision_;
    }
    for (auto at = first; at != last;) {
        at = drop(at);
    }
    return put({service, {}, true});
}

void ChangeFeed::clear() {
    subjects_.clear();
    log_.clear();
    traces_.clear();
    horizon_ = ++revision_;
}

bool ChangeFeed::reaches(std::uint64_t since) const {
    return since >= horizon_ && since <= revision_;
}

std::vector<FeedItem> ChangeFeed::after(std::uint64_t revision, std::size_t limit) const {
    std::vector<FeedItem> items;
    for (auto at = log_.upper_bound(revision); at != log_.end() && items.size() < limit; ++at) {
        const Subject& subject = *at->second;
        items.push_back({at->first, subject.service, subject.cluster, subject.forgotten});
    }
    return items;
}

std::uint64_t ChangeFeed::put(Subject subject) {
    ++revision_;
    const auto [at, created] = subjects_.try_emplace(std::move(subject), revision_);
    if (!created) {
        log_.erase(std::exchange(at->second, revision_));
    }
    log_.emplace_hint(log_.end(), revision_, &at->first);
    if (at->first.forgotten) {
        traces_.insert(revision_);
        limit_traces();
    }
    return revision_;
}

ChangeFeed::Subjects::iterator ChangeFeed::drop(Subjects::iterator subject) {
    log_.erase(subject->second);
    traces_.erase(subject->second);
    return subjects_.erase(subject);
}

bool ChangeFeed::drop(const Subject& subject) {
    const auto found = subjects_.find(subject);
    if (found == subjects_.end()) {
        return false;
    }
    drop(found);
    return true;
}

void ChangeFeed::limit_traces() {
    while (traces_.size() > most_forgotten_) {
        const std::uint64_t oldest = *traces_.begin();
        horizon_ = oldest;
        drop(subjects_.find(*log_.at(oldest)));
    }
}

}  // namespace ome::core
