// What changed since a revision, for any number of readers at any pace: every home stands in it
// once, at its newest change, so its size follows the homes and not the changes or the readers. A
// reader is a revision; one that falls behind skips what has changed again. Readings are not kept
// here, they are read when they are told.
#pragma once

#include <ome/core/declaration.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ome::core {

struct FeedItem {
    std::uint64_t revision = 0;
    ServiceKey service;
    std::string cluster;     ///< empty: the service itself
    bool forgotten = false;  ///< the home, or without a cluster the whole service

    friend bool operator==(const FeedItem&, const FeedItem&) = default;
};

class ChangeFeed {
public:
    /// Forgotten ones leave only a trace, and at most this many traces are kept; who is further
    /// behind than the oldest must list again.
    explicit ChangeFeed(std::size_t most_forgotten) : most_forgotten_(most_forgotten) {}

    [[nodiscard]] std::uint64_t revision() const { return revision_; }

    /// A revision of its own, with nothing to tell.
    std::uint64_t advance() { return ++revision_; }

    /// New, another owner, suspended or resumed.
    std::uint64_t service_changed(const ServiceKey& service);
    std::uint64_t home_changed(const ServiceKey& service, const std::string& cluster);
    std::uint64_t home_forgotten(const ServiceKey& service, const std::string& cluster);
    std::uint64_t service_forgotten(const ServiceKey& service);

    /// Forgets all without a trace. Revisions go on.
    void clear();

    /// Whether after(`since`) tells all that a reader at `since` does not know.
    [[nodiscard]] bool reaches(std::uint64_t since) const;

    /// Up to `limit` items after a revision, in order.
    [[nodiscard]] std::vector<FeedItem> after(std::uint64_t revision, std::size_t limit) const;

    [[nodiscard]] std::size_t size() const { return log_.size(); }

private:
    // The service itself before its homes. A trace of a service stays when it is declared again:
    // a reader must hear that the homes of before are gone.
    struct Subject {
        ServiceKey service;
        std::string cluster;
        bool forgotten = false;

        friend auto operator<=>(const Subject&, const Subject&) = default;
    };
    using Subjects = std::map<Subject, std::uint64_t>;

    std::uint64_t put(Subject subject);
    Subjects::iterator drop(Subjects::iterator subject);
    bool drop(const Subject& subject);
    void limit_traces();

    Subjects subjects_;
    std::map<std::uint64_t, const Subject*> log_;
    std::set<std::uint64_t> traces_;
    std::size_t most_forgotten_;
    std::uint64_t revision_ = 0;
    std::uint64_t horizon_ = 0;  ///< the newest revision of a trace that was dropped
};

}  // namespace ome::core
