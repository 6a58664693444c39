// Which of many equal services gets how much of a budget that is too small, under simulated time.
#include "fleet_support.hpp"

#include <map>
#include <numeric>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr int services = 40;
constexpr int homes_each = 5;
constexpr auto period = 1s;
constexpr auto stall = 800ms;
constexpr auto answer = 2ms;

class FleetFairness : public FleetTest {
protected:
    void SetUp() override {
        for (int i = 0; i < services; ++i) {
            ServiceDeclaration service = some_service(name(i), {"a", "b", "c", "d", "e"});
            service.probe = some_probe();
            service.probe->period = period;
            service.probe->timeout = stall;
            declare(service);
        }
    }

    static std::string name(int service) { return "service-" + std::to_string(service); }

    /// Runs for a minute with that many slots; `stalls` says whether a home keeps its slot until
    /// the time-out.
    template <typename Stalls>
    void run(std::size_t slots, Stalls stalls) {
        const SteadyTime end = clock.steady() + 60s;
        while (clock.steady() < end) {
            while (!in_flight.empty() && in_flight.begin()->first <= clock.steady()) {
                const Attempt ended = in_flight.begin()->second;
                in_flight.erase(in_flight.begin());
                finish(ended, status(200));
            }
            fleet.gather(clock.now());
            while (in_flight.size() < slots) {
                const auto attempt = fleet.take(clock.now());
                if (!attempt) {
                    break;
                }
                ++started[attempt->plan->service.name];
                latest = std::max(latest, attempt->first ? 0ns : clock.steady() - attempt->due);
                in_flight.emplace(clock.steady() + (stalls(*attempt) ? Duration(stall) : answer),
                                  *attempt);
            }
            clock.advance(1ms);
        }
    }

    /// Jain's index over achieved / wanted attempts: 1 when all are served alike, 1/n when one is.
    [[nodiscard]] double fairness() const {
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < services; ++i) {
            const auto found = started.find(name(i));
            const double share =
                found == started.end() ? 0.0 : found->second / (homes_each * (60s / period));
            sum += share;
            squares += share * share;
        }
        return sum * sum / (services * squares);
    }

    std::multimap<SteadyTime, Attempt> in_flight;
    std::map<std::string, double> started;
    Duration latest{};
};

TEST_F(FleetFairness, WithTooFewSlotsEqualServicesAreServedAlike) {
    run(20, [this](const Attempt& attempt) { return cluster_of(attempt) < "c"; });
    EXPECT_GT(fairness(), 0.95);
}

// They hold every slot they get 400 times as long as the others.
TEST_F(FleetFairness, EvenIfHalfOfTheServicesStallAltogether) {
    run(20, [](const Attempt& attempt) { return attempt.plan->service.name.back() % 2 == 0; });
    EXPECT_GT(fairness(), 0.95);
}

// Forty times as many homes as the others: in turn, it gets no more of the starts than they do.
TEST_F(FleetFairness, ABigServiceThatStallsStarvesNobody) {
    ServiceDeclaration big = some_service("big", {});
    for (int i = 0; i < 40 * homes_each; ++i) {
        const std::string cluster = "worker-" + std::to_string(i);
        big.homes.push_back({cluster, "http://" + cluster + ".example", std::nullopt});
    }
    big.probe = some_probe();
    big.probe->period = period;
    big.probe->timeout = stall;
    declare(big);
    run(20, [](const Attempt& attempt) { return attempt.plan->service.name == "big"; });
    EXPECT_GT(fairness(), 0.99);
    EXPECT_GT(started[name(0)], 0.9 * homes_each * (60s / period));
}

TEST_F(FleetFairness, WithEnoughSlotsHomesThatStallDelayNobody) {
    run(110, [](const Attempt& attempt) { return attempt.plan->service.name.back() % 2 == 0; });
    EXPECT_GT(fairness(), 0.999);
    EXPECT_LE(latest, 1ms) << "the step of this simulation";
}

}  // namespace
}  // namespace ome::core
