#include <ome/core/change_feed.hpp>

#include <algorithm>
#include <utility>

namespace ome::core {

std::uint64_t ChangeFeed::service_changed(const ServiceKey& service) {
    return put({service, {}, false});
}

std::uint64_t ChangeFeed::home_changed(const ServiceKey& service, const std::string& cluster) {
    drop(SubjectView{service, cluster, true});
    return put({service, cluster, false});
}

std::uint64_t ChangeFeed::home_forgotten(const ServiceKey& service, const std::string& cluster) {
    if (!drop(SubjectView{service, cluster, false})) {
        return revision_;
    }
    return put({service, cluster, true});
}

std::uint64_t ChangeFeed::service_forgotten(const ServiceKey& service) {
    const auto first = subjects_.lower_bound(SubjectView{service, {}, false});
    auto last = first;
    bool known = false;
    for (; last != subjects_.end() && *last->first.service == service; ++last) {
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
    auto at = std::upper_bound(
        log_.begin(), log_.end(), revision, [](std::uint64_t wanted, const Entry& entry) {
            return wanted < entry.revision;
        });
    for (; at != log_.end() && items.size() < limit; ++at) {
        if (at->subject != nullptr) {
            const Subject& subject = *at->subject;
            items.push_back({at->revision, *subject.service, subject.cluster, subject.forgotten});
        }
    }
    return items;
}

std::uint64_t ChangeFeed::put(const SubjectView& subject) {
    ++revision_;
    make_room();
    auto at = subjects_.find(subject);
    if (at == subjects_.end()) {
        Subject fresh{shared(subject.service), std::string(subject.cluster), subject.forgotten};
        at = subjects_.emplace(std::move(fresh), revision_).first;
    } else {
        entry_of(std::exchange(at->second, revision_))->subject = nullptr;
    }
    log_.push_back({revision_, &at->first});
    if (at->first.forgotten) {
        traces_.insert(revision_);
        limit_traces();
    }
    return revision_;
}

std::shared_ptr<const ServiceKey> ChangeFeed::shared(const ServiceKey& service) const {
    const auto first = subjects_.lower_bound(SubjectView{service, {}, false});
    if (first != subjects_.end() && *first->first.service == service) {
        return first->first.service;
    }
    return std::make_shared<const ServiceKey>(service);
}

// Half as much again as there is to hold, so that what was struck out goes now and then, at a cost
// that a change does not notice.
void ChangeFeed::make_room() {
    if (log_.size() < log_.capacity()) {
        return;
    }
    std::vector<Entry> fresh;
    fresh.reserve(subjects_.size() + subjects_.size() / 2 + 64);
    std::copy_if(log_.begin(), log_.end(), std::back_inserter(fresh), [](const Entry& entry) {
        return entry.subject != nullptr;
    });
    log_.swap(fresh);
}

std::vector<ChangeFeed::Entry>::iterator ChangeFeed::entry_of(std::uint64_t revision) {
    return std::lower_bound(
        log_.begin(), log_.end(), revision, [](const Entry& entry, std::uint64_t wanted) {
            return entry.revision < wanted;
        });
}

ChangeFeed::Subjects::iterator ChangeFeed::drop(Subjects::iterator subject) {
    entry_of(subject->second)->subject = nullptr;
    traces_.erase(subject->second);
    return subjects_.erase(subject);
}

bool ChangeFeed::drop(const SubjectView& subject) {
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
        drop(view(*entry_of(oldest)->subject));
    }
}

}  // namespace ome::core
