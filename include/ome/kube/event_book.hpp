// Kubernetes Events as they are written: the same one again is counted up and not written anew, and
// one object cannot have any number of them. Pure.
#pragma once

#include <ome/core/time.hpp>
#include <ome/kube/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace ome::kube {

struct EventNote {
    Resource about;  ///< the type of the object
    std::string ns;
    std::string name;
    std::string uid;
    bool warning = true;
    std::string reason;   ///< a word: `RoutingFrozen`
    std::string message;  ///< cut to 1,024 bytes
};

/// What to send: a new Event, or a merge patch of one that is there.
struct EventWrite {
    bool create = true;
    std::string ns;
    std::string name;  ///< of the Event
    std::string body;
};

struct EventBookSettings {
    std::string component;  ///< who says so: `ome-trafficmap`
    std::string instance;   ///< which of them: the pod
    core::Duration same_within = std::chrono::minutes(10);
    std::uint32_t burst = 25;  ///< of one object, and then
    core::Duration one_more_each = std::chrono::minutes(5);
    std::size_t most_known = 4096;  ///< Events, and objects; the longest unused goes first
};

class EventBook {
public:
    explicit EventBook(EventBookSettings settings);

    /// Absent: the object has had enough of them.
    [[nodiscard]] std::optional<EventWrite> admit(const EventNote& note, core::Now now);

    /// A patch found no Event: the next of the kind is written anew.
    void lost(const EventNote& note);

    /// Not admitted, ever.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    struct Known {
        std::string name;
        std::int64_t count = 0;
        core::SteadyTime last;
        std::list<std::string>::iterator used;
    };
    struct Bucket {
        double tokens = 0;
        core::SteadyTime at;
    };
    [[nodiscard]] static std::string key_of(const EventNote& note);
    [[nodiscard]] bool take_token(const EventNote& note, core::SteadyTime now);
    [[nodiscard]] EventWrite first(const EventNote& note, core::Now now);
    [[nodiscard]] EventWrite again(Known& known, const EventNote& note, core::Now now) const;
    void forget_some();

    EventBookSettings settings_;
    std::map<std::string, Known> known_;
    std::list<std::string> order_;  // keys, the longest unused first
    std::map<std::string, Bucket> buckets_;
    std::uint64_t dropped_ = 0;
};

}  // namespace ome::kube
