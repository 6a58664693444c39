#include <ome/core/schedule.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/kube/event_book.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ome::kube {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_message = 1024;

std::string seconds_text(core::WallTime at) {
    return core::format_timestamp({at.seconds, 0});
}

std::string object_key(const EventNote& note) {
    return fmt::format("{}/{}/{}/{}", note.about.plural, note.ns, note.name, note.uid);
}

}  // namespace

EventBook::EventBook(EventBookSettings settings) : settings_(std::move(settings)) {}

std::string EventBook::key_of(const EventNote& note) {
    return fmt::format("{}/{}/{}", object_key(note), note.reason, note.message);
}

bool EventBook::take_token(const EventNote& note, core::SteadyTime now) {
    const double full = settings_.burst;
    auto [found, fresh] = buckets_.try_emplace(object_key(note), Bucket{full, now});
    Bucket& bucket = found->second;
    const double gained = static_cast<double>((now - bucket.at).count()) /
                          static_cast<double>(settings_.one_more_each.count());
    bucket.tokens = std::min(full, bucket.tokens + std::max(gained, 0.0));
    bucket.at = now;
    if (bucket.tokens < 1.0) {
        return false;
    }
    bucket.tokens -= 1.0;
    return true;
}

// The name tells one Event from another and is the same when it is sent twice.
EventWrite EventBook::first(const EventNote& note, core::Now now) {
    const std::string key = key_of(note);
    const std::string at = seconds_text(now.wall);
    const std::uint64_t hash = core::identity_hash({key,
                                                    settings_.instance,
                                                    std::to_string(now.wall.seconds),
                                                    std::to_string(now.wall.nanoseconds)});
    const std::string name = fmt::format("{}.{:016x}", note.name, hash);
    order_.push_back(key);
    known_[key] = {name, 1, now.steady, std::prev(order_.end())};
    const json::object event{
        {"apiVersion", events.api_version()},
        {"kind", std::string(events.kind)},
        {"metadata", {{"namespace", note.ns}, {"name", name}}},
        {"involvedObject",
         {{"apiVersion", note.about.api_version()},
          {"kind", std::string(note.about.kind)},
          {"namespace", note.ns},
          {"name", note.name},
          {"uid", note.uid}}},
        {"type", note.warning ? "Warning" : "Normal"},
        {"reason", note.reason},
        {"message", core::sanitize_detail(note.message, longest_message)},
        {"firstTimestamp", at},
        {"lastTimestamp", at},
        {"count", 1},
        {"source", {{"component", settings_.component}, {"host", settings_.instance}}},
        {"reportingComponent", settings_.component},
        {"reportingInstance", settings_.instance}};
    return {true, note.ns, name, json::serialize(event)};
}

EventWrite EventBook::again(Known& known, const EventNote& note, core::Now now) const {
    known.last = now.steady;
    ++known.count;
    const json::object patch{{"count", known.count}, {"lastTimestamp", seconds_text(now.wall)}};
    return {false, note.ns, known.name, json::serialize(patch)};
}

void EventBook::forget_some() {
    while (known_.size() > settings_.most_known) {
        known_.erase(order_.front());
        order_.pop_front();
    }
    // A bucket that is forgotten is a full one: better some too many than no bound on memory.
    while (buckets_.size() > settings_.most_known) {
        const auto oldest =
            std::min_element(buckets_.begin(), buckets_.end(), [](const auto& a, const auto& b) {
                return a.second.at < b.second.at;
            });
        buckets_.erase(oldest);
    }
}

std::optional<EventWrite> EventBook::admit(const EventNote& note, core::Now now) {
    if (!take_token(note, now.steady)) {
        ++dropped_;
        return std::nullopt;
    }
    const auto found = known_.find(key_of(note));
    if (found != known_.end() && now.steady - found->second.last < settings_.same_within) {
        order_.splice(order_.end(), order_, found->second.used);
        return again(found->second, note, now);
    }
    if (found != known_.end()) {
        order_.erase(found->second.used);
        known_.erase(found);
    }
    EventWrite write = first(note, now);
    forget_some();
    return write;
}

void EventBook::lost(const EventNote& note) {
    const auto found = known_.find(key_of(note));
    if (found != known_.end()) {
        order_.erase(found->second.used);
        known_.erase(found);
    }
}

}  // namespace ome::kube
