// What changed since a revision, for any number of readers at any pace: every home stands in it
// once, at its newest change, so its size follows the homes and not the changes or the readers. A
// reader is a revision; one that falls behind skips what has changed again. Readings are not kept
// here, they are read when they are told.
#pragma once

#include <ome/core/declaration.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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

    [[nodiscard]] std::size_t size() const { return subjects_.size(); }

private:
    struct Subject {
        std::shared_ptr<const ServiceKey> service;  ///< one for all subjects of a service
        std::string cluster;
        bool forgotten = false;
    };
    struct SubjectView {
        const ServiceKey& service;
        std::string_view cluster;
        bool forgotten = false;
    };

    // The service itself before its homes. A trace of a service stays when it is declared again:
    // a reader must hear that the homes of before are gone.
    struct Order {
        using is_transparent = void;
        template <typename One, typename Other>
        bool operator()(const One& one, const Other& other) const {
            const SubjectView a = view(one);
            const SubjectView b = view(other);
            return std::tie(a.service, a.cluster, a.forgotten) <
                   std::tie(b.service, b.cluster, b.forgotten);
        }
    };
    using Subjects = std::map<Subject, std::uint64_t, Order>;

    struct Entry {
        std::uint64_t revision = 0;
        const Subject* subject = nullptr;  ///< null: it has changed again since, or is dropped
    };

    static SubjectView view(const Subject& subject) {
        return {*subject.service, subject.cluster, subject.forgotten};
    }
    static SubjectView view(const SubjectView& subject) { return subject; }

    std::uint64_t put(const SubjectView& subject);
    [[nodiscard]] std::shared_ptr<const ServiceKey> shared(const ServiceKey& service) const;
    Subjects::iterator drop(Subjects::iterator subject);
    bool drop(const SubjectView& subject);
    [[nodiscard]] std::vector<Entry>::iterator entry_of(std::uint64_t revision);
    void make_room();
    void limit_traces();

    Subjects subjects_;
    std::vector<Entry> log_;  // by revision; a map took 40 bytes a home more
    std::set<std::uint64_t> traces_;
    std::size_t most_forgotten_;
    std::uint64_t revision_ = 0;
    std::uint64_t horizon_ = 0;  ///< the newest revision of a trace that was dropped
};

}  // namespace ome::core
