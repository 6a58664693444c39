// Random declarations, time, answers, suspensions and clock steps against what must always hold.
#include "fleet_support.hpp"

#include <map>
#include <random>
#include <set>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

/// The gate as contract/observer.md 9.2 words it, and nothing else.
struct NaiveGate {
    int failures = 0;
    int passes = 0;
    bool gated = false;

    void apply(char letter) {
        if (letter == 'F') {
            passes = 0;
            ++failures;
            gated = gated || failures >= 2;
        } else if (letter == 'P') {
            failures = 0;
            passes = gated ? passes + 1 : 0;
            if (passes >= 2) {
                gated = false;
                passes = 0;
            }
        }
    }
};

struct Observed {
    std::string identity;
    NaiveGate gate;
    int stalls = 0;
    std::optional<SteadyTime> first_due;
    std::optional<SteadyTime> phase;
    std::uint64_t in_flight = 0;
    bool discard = false;
};

using Place = std::tuple<std::string, std::string, Kind>;  // service, cluster, kind

class FleetProperty : public FleetTest, public testing::WithParamInterface<unsigned> {
protected:
    unsigned pick(unsigned below) { return static_cast<unsigned>(random() % below); }

    std::string some_name() { return "s" + std::to_string(pick(5)); }

    ServiceDeclaration random_declaration() {
        ServiceDeclaration made;
        made.key = {"prod", some_name()};
        made.owner_uid = pick(8) == 0 ? "uid-2" : "uid-1";
        made.suspended = pick(6) == 0;
        if (pick(5) != 0) {
            made.capacity = some_capacity(pick(5) == 0 ? "sha256:c2" : "sha256:c1");
        }
        if (pick(5) != 0) {
            made.probe = some_probe(pick(5) == 0 ? "sha256:p2" : "sha256:p1");
        }
        for (unsigned number = 0; number < 5; ++number) {
            if (pick(3) != 0) {
                const std::string cluster = "c" + std::to_string(number);
                const std::string path = pick(6) == 0 ? "/x" : "";
                made.homes.push_back(
                    {cluster, pick(9) == 0 ? "nonsense" : "http://" + cluster + path, {}});
            }
        }
        return made;
    }

    void note_declaration(const ServiceDeclaration& made) {
        ServiceDeclaration& known = declared[made.key.name];
        const bool was_suspended = known.suspended;
        if (made.suspended) {
            known.owner_uid = made.owner_uid;
            known.key = made.key;
        } else {
            known = made;
        }
        known.suspended = made.suspended;
        std::map<Place, Observed> kept;
        for (const HomeDeclaration& home : known.homes) {
            note_home(known, home, Kind::Poll, known.capacity ? known.capacity->digest : "", kept);
            note_home(known, home, Kind::Probe, known.probe ? known.probe->digest : "", kept);
        }
        std::erase_if(observed,
                      [&](const auto& one) { return std::get<0>(one.first) == made.key.name; });
        observed.merge(kept);
        if (made.suspended && !was_suspended) {
            for (auto& [place, one] : observed) {
                one.discard |= std::get<0>(place) == made.key.name && one.in_flight != 0;
            }
        }
    }

    void note_home(const ServiceDeclaration& known,
                   const HomeDeclaration& home,
                   Kind kind,
                   const std::string& digest,
                   std::map<Place, Observed>& kept) {
        if (digest.empty() || home.endpoint == "nonsense") {
            return;
        }
        const Place place{known.key.name, home.cluster, kind};
        const std::string identity = known.owner_uid + " " + home.endpoint + " " + digest;
        const auto before = observed.find(place);
        if (before != observed.end() && before->second.identity == identity) {
            kept[place] = before->second;
        } else {
            kept[place].identity = identity;
        }
    }

    void forget_one() {
        const std::string name = some_name();
        std::ignore = fleet.forget({"prod", name});
        declared.erase(name);
        std::erase_if(observed, [&](const auto& one) { return std::get<0>(one.first) == name; });
    }

    void take_some(unsigned permits) {
        fleet.gather(clock.now());
        std::map<std::string, int> served;
        std::string last;
        for (; permits > 0; --permits) {
            const std::size_t services = fleet.services_waiting();
            const auto attempt = fleet.take(clock.now());
            if (!attempt) {
                expect_nothing_left_due();
                return;
            }
            if (services > 1) {
                EXPECT_NE(attempt->plan->service.name, last) << "another service was waiting";
            }
            last = attempt->plan->service.name;
            check_taken(*attempt);
        }
    }

    void check_taken(const Attempt& attempt) {
        const RequestPlan& plan = *attempt.plan;
        const auto found = observed.find({plan.service.name, cluster_of(attempt), plan.kind});
        ASSERT_NE(found, observed.end()) << "nobody declared it";
        Observed& one = found->second;
        EXPECT_FALSE(declared[plan.service.name].suspended);
        EXPECT_EQ(one.in_flight, 0u) << "two in flight";
        EXPECT_LE(attempt.due, clock.steady());
        one.in_flight = attempt.token;
        one.discard = false;
        if (!one.first_due || *one.first_due == attempt.due) {
            one.first_due = attempt.due;
        } else {
            one.phase = one.phase.value_or(attempt.due);
            EXPECT_EQ((attempt.due - *one.phase) % 10s, 0s) << "the phase moved";
            EXPECT_GE(attempt.due - *one.first_due, 1s);
        }
        EXPECT_TRUE(out.emplace(attempt.slot, attempt).second) << "a slot has two tenants";
        peak = std::max(peak, fleet.counts().observations + out.size());
        EXPECT_LT(attempt.slot, peak + 64);
    }

    // Permits were left over: whatever is due has been offered.
    void expect_nothing_left_due() {
        EXPECT_EQ(fleet.counts().waiting, 0u);
        for (const auto& [name, made] : declared) {
            const auto reading = fleet.read({"prod", name}, clock.now());
            for (const HomeReading& home : reading->homes) {
                expect_later(home.capacity, {name, home.cluster, Kind::Poll});
                expect_later(home.probe, {name, home.cluster, Kind::Probe});
            }
        }
    }

    template <typename Reading>
    void expect_later(const std::optional<Reading>& reading, const Place& place) {
        const auto found = observed.find(place);
        if (reading && reading->next_attempt_time && found != observed.end() &&
            found->second.in_flight == 0) {
            EXPECT_GT(*reading->next_attempt_time, clock.wall());
        }
    }

    void finish_one() {
        if (out.empty()) {
            return;
        }
        const auto at = std::next(
            out.begin(), static_cast<std::ptrdiff_t>(pick(static_cast<unsigned>(out.size()))));
        const Attempt attempt = at->second;
        out.erase(at);
        char letter = "FPUCS"[pick(5)];
        note_result(attempt, letter);
        finish(attempt, answer(attempt, letter));
    }

    AttemptOutcome answer(const Attempt& attempt, char letter) {
        switch (letter) {
            case 'C':
                return fault(Fault::Cancelled);
            case 'S':
                return fault(Fault::Stalled);
            case 'F':
                return status(503);
            case 'U':
                return status(429);
            default:
                break;
        }
        return attempt.plan->kind == Kind::Poll
                   ? report(static_cast<std::int32_t>(pick(6)),
                            clock.wall() + -std::chrono::seconds(pick(40)))
                   : status(200);
    }

    void note_result(const Attempt& attempt, char letter) {
        for (auto& [place, one] : observed) {
            if (one.in_flight != attempt.token) {
                continue;
            }
            one.in_flight = 0;
            if (std::exchange(one.discard, false) || letter == 'C') {
                return;
            }
            if (letter == 'S' && one.stalls < 2) {
                ++one.stalls;
                return;
            }
            one.stalls = 0;
            one.gate.apply(letter == 'S' ? 'F' : letter);
        }
    }

    void check_readings() {
        std::size_t gated = 0;
        std::size_t fallback = 0;
        for (const auto& [name, made] : declared) {
            const auto reading = fleet.read({"prod", name}, clock.now());
            ASSERT_TRUE(reading);
            ASSERT_EQ(reading->homes.size(), made.homes.size());
            for (const HomeReading& home : reading->homes) {
                if (home.capacity) {
                    EXPECT_EQ(home.capacity->ceiling.has_value(),
                              home.capacity->fallback_reason.empty());
                    fallback += home.capacity->ceiling ? 0u : 1u;
                }
                if (home.probe) {
                    const NaiveGate& naive = observed.at({name, home.cluster, Kind::Probe}).gate;
                    EXPECT_EQ(home.probe->gated, naive.gated);
                    EXPECT_EQ(home.probe->consecutive_failures, naive.failures);
                    EXPECT_EQ(home.probe->consecutive_passes, naive.passes);
                    gated += home.probe->gated ? 1u : 0u;
                }
            }
        }
        EXPECT_EQ(fleet.counts().gated, gated);
        EXPECT_EQ(fleet.counts().fallback, fallback);
        EXPECT_EQ(fleet.counts().observations, observed.size());
        EXPECT_EQ(fleet.counts().in_flight, out.size());
    }

    void step() {
        switch (pick(12)) {
            case 0: {
                const ServiceDeclaration made = random_declaration();
                declare(made);
                note_declaration(made);
                break;
            }
            case 1:
                if (pick(10) == 0) {
                    forget_one();
                }
                break;
            case 2:
                if (pick(10) == 0) {
                    clock.step_wall(std::chrono::seconds(pick(120)) - 60s);
                }
                break;
            case 3:
            case 4:
            case 5:
                take_some(1 + pick(20));
                break;
            case 6:
                clock.advance(std::chrono::milliseconds(pick(15'000)));
                break;
            default:
                finish_one();
                break;
        }
    }

    std::mt19937 random{GetParam()};
    std::map<std::string, ServiceDeclaration> declared;
    std::map<Place, Observed> observed;
    std::map<Slot, Attempt> out;
    std::size_t peak = 0;
};

TEST_P(FleetProperty, HoldsWhateverHappens) {
    for (int at = 0; at < 6000 && !HasFailure(); ++at) {
        step();
        check_readings();
        std::ignore = fleet.take_changes();
    }
    while (!declared.empty()) {
        forget_one();
    }
    while (!out.empty()) {
        finish_one();
    }
    EXPECT_EQ(fleet.next_wakeup(), std::nullopt);
    const FleetCounts counts = fleet.counts();
    EXPECT_EQ(counts.homes + counts.observations + counts.waiting + counts.in_flight +
                  counts.gated + counts.fallback,
              0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FleetProperty, testing::Range(1u, 9u));

// A twin that hears no reads must announce by itself what a reader would have seen.
TEST_F(FleetTest, AReaderOfChangesKnowsWhatAReaderOfReadingsSees) {
    std::mt19937 random(3);  // NOLINT: the same on every run
    ServiceDeclaration declaration = some_service("llama", {"a", "b", "c"});
    declaration.capacity = some_capacity();
    declaration.capacity->quorum = 2;
    declaration.probe = some_probe();
    declare(declaration);
    std::map<std::string, HomeReading> heard;
    for (int at = 0; at < 3000; ++at) {
        clock.advance(std::chrono::milliseconds(random() % 4000));
        for (const Attempt& attempt : due()) {
            const auto ago = std::chrono::seconds(random() % 35);
            finish(attempt,
                   random() % 8 == 0                   ? status(503)
                   : attempt.plan->kind == Kind::Probe ? status(200)
                                                       : report(3, clock.wall() + -ago));
        }
        for (Change& change : fleet.take_changes()) {
            heard[change.reading.cluster] = std::move(change.reading);
        }
        for (std::size_t place = 0; place < 3; ++place) {
            const HomeReading seen = home("llama", place);
            const HomeReading& known = heard[seen.cluster];
            ASSERT_EQ(known.capacity->ceiling, seen.capacity->ceiling);
            ASSERT_EQ(known.capacity->fallback_reason, seen.capacity->fallback_reason);
            ASSERT_EQ(known.probe.has_value(), seen.probe.has_value());
            if (seen.probe) {
                ASSERT_EQ(known.probe->gated, seen.probe->gated);
                ASSERT_EQ(known.probe->message, seen.probe->message);
                ASSERT_EQ(known.probe->consecutive_failures, seen.probe->consecutive_failures);
            }
        }
    }
}

}  // namespace
}  // namespace ome::core
