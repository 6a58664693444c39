// Reads every version of every TrafficMap that was written and tells which transitions must never
// have happened. Knows the promises of the controller (docs/architecture.md, "Promises") and what
// the world was like when; knows nothing of how the controller works and shares no code with it:
// documents are plain JSON here.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::model {

/// Milliseconds since 1970 on the clock of the run, which may be a fake one.
using Millis = std::int64_t;

struct HomeFacts {
    std::string endpoint;
    std::int64_t admitted = 0;
    std::int64_t ready = 0;
    std::int64_t factor = 1;  ///< whole factors only
};

/// An InferenceService as it was from one instant until the next facts.
struct ServiceFacts {
    bool routed = true;  ///< exists, is placed by intent, not opted out, not being deleted
    bool valid = true;   ///< false: something in it freezes the map, or it cannot be read
    std::string uid;
    std::map<std::string, HomeFacts> homes;     ///< by cluster; empty while it is not Placed
    std::map<std::string, std::string> drains;  ///< cluster by drain id

    struct Probe {
        std::string settings;  ///< differs when the policy differs
        std::int64_t failure_threshold = 1;
        std::int64_t success_threshold = 1;
    };
    std::optional<Probe> probe;

    struct Capacity {
        std::string settings;
        std::int64_t quorum = 1;
        Millis max_age = 0;
    };
    std::optional<Capacity> capacity;
};

enum class AnswerKind : std::uint8_t { Passing, Failing, Unknown, Report, NoReport };

/// What a home answered (or did not: a refused connection is Failing, or NoReport).
struct Answer {
    Millis at = 0;
    AnswerKind kind = AnswerKind::Unknown;
    std::int64_t servable = 0;  ///< of a Report
};

struct Silence {
    Millis from = 0;
    Millis until = std::numeric_limits<Millis>::max();
};

/// The truth, told by whoever drives the run. Each list grows in the order of time.
class World {
public:
    /// `lag`: how old the facts may be that a version rests on (queues, stand-stills).
    explicit World(Millis lag) : lags_{{std::numeric_limits<Millis>::min(), lag}} {}
    /// From then on it is this.
    void lag(Millis from, Millis lag) { lags_[from] = lag; }

    void facts(Millis at, const std::string& key, ServiceFacts facts);
    void answer(const std::string& key, const std::string& cluster, Answer answer);
    void foreign(const std::string& key) { foreign_[key] = true; }

    /// From `from` on the controller hears nothing of the observer.
    void silent(Millis from) { silences_.push_back({from}); }
    void heard(Millis at) { silences_.back().until = at; }

    /// The controller was started. It keeps the ceilings of the stored maps, however old they are,
    /// until it hears of the observer, for 5 s at most.
    void restarted(Millis at) { restarts_.push_back(at); }
    [[nodiscard]] bool restarted_just_before(Millis at) const;

    struct Span {
        Millis from;
        ServiceFacts facts;
    };
    /// What held at any instant of the closed span, oldest first.
    [[nodiscard]] std::vector<const ServiceFacts*> between(const std::string& key,
                                                           Millis from,
                                                           Millis until) const;
    [[nodiscard]] const std::vector<Answer>& answers(const std::string& key,
                                                     const std::string& cluster) const;
    [[nodiscard]] bool is_foreign(const std::string& key) const { return foreign_.contains(key); }
    [[nodiscard]] bool silent_throughout(Millis from, Millis until) const;
    [[nodiscard]] Millis lag_at(Millis at) const {
        return std::prev(lags_.upper_bound(at))->second;
    }

private:
    std::map<Millis, Millis> lags_;
    std::map<std::string, std::vector<Span>> facts_;
    std::map<std::string, std::map<std::string, std::vector<Answer>>> answers_;
    std::map<std::string, bool> foreign_;
    std::vector<Silence> silences_;
    std::vector<Millis> restarts_;
};

/// Versions must come in the order in which they were written.
class MapChecker {
public:
    explicit MapChecker(const World& world) : world_(world) {}

    /// A version of the map of `key` (`namespace/name`), or that it was deleted.
    void version(Millis at, const std::string& key, const boost::json::object& map);
    void deleted(Millis at, const std::string& key);
    /// By somebody else, rightly: its owner is gone.
    void collected(const std::string& key) { before_.erase(key); }

    /// One line each: when, which map, which home, the promise and what is wrong.
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    [[nodiscard]] std::size_t versions() const { return versions_; }

private:
    struct Known;  // of a home, over all versions so far
    struct Step;

    struct GateMemory {
        std::string identity;
        Millis open_and_passing_at = std::numeric_limits<Millis>::min();
        Millis gated_at = 0;
    };
    struct Before {
        Millis at = 0;
        boost::json::object map;
        std::map<std::string, GateMemory> gates;
    };

    void check_entry(Step& step);
    void check_facts(const Step& step);
    void check_allocated(const Step& step);
    void check_reported(const Step& step);
    void check_gate(const Step& step);
    void check_drain(const Step& step);
    void check_healthy(const Step& step);
    void check_weights(Step& step, const boost::json::array& entries);
    void remember_gate(const Step& step, GateMemory& memory);
    void violation(const Step& step, std::string_view promise, const std::string& text);

    const World& world_;
    std::map<std::string, Before> before_;
    std::vector<std::string> violations_;
    std::size_t versions_ = 0;
};

}  // namespace ome::model
