#include <ome/core/permits.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>

namespace ome::core {
namespace {

// Reactors and an arbiter whose messages travel with delay: the harshest order the promise must
// survive, without a thread.
class Exchange {
public:
    Exchange(std::size_t reactors, std::int64_t total)
        : arbiter_(reactors, total), sides_(reactors) {
        for (const Allowance& allowance : arbiter_.initial()) {
            receive(allowance);
        }
    }

    struct Side {
        std::uint64_t serial = 0;
        std::int64_t allowance = 0;
        std::int64_t in_use = 0;
        std::int64_t services = 0;
        std::int64_t waiting = 0;
        std::int64_t started = 0;
    };

    Side& side(std::size_t i) { return sides_[i]; }

    std::int64_t in_use() const {
        return std::accumulate(
            sides_.begin(), sides_.end(), std::int64_t{0}, [](auto sum, const Side& s) {
                return sum + s.in_use;
            });
    }

    void start_what_may(std::size_t i) {
        Side& side = sides_[i];
        while (side.waiting > 0 && side.in_use < side.allowance) {
            --side.waiting;
            ++side.in_use;
            ++side.started;
        }
        side.services = side.waiting > 0 ? std::max<std::int64_t>(side.services, 1) : 0;
    }

    void report(std::size_t i) {
        const Side& side = sides_[i];
        to_arbiter_.push_back({.reactor = i,
                               .serial = side.serial,
                               .started = side.started,
                               .in_use = side.in_use,
                               .services_waiting = side.services,
                               .attempts_waiting = side.waiting});
    }

    void deliver_report() {
        if (to_arbiter_.empty()) {
            return;
        }
        const PermitReport report = to_arbiter_.front();
        to_arbiter_.pop_front();
        send(arbiter_.report(report));
    }

    void deliver_allowance() {
        if (to_reactors_.empty()) {
            return;
        }
        receive(to_reactors_.front());
        to_reactors_.pop_front();
    }

    void set_total(std::int64_t total) { send(arbiter_.set_total(total)); }

    void settle() {
        for (int round = 0; round < 20; ++round) {
            for (std::size_t i = 0; i < sides_.size(); ++i) {
                start_what_may(i);
                report(i);
            }
            while (!to_arbiter_.empty() || !to_reactors_.empty()) {
                deliver_report();
                const std::size_t receiver =
                    to_reactors_.empty() ? 0 : to_reactors_.front().reactor;
                deliver_allowance();
                start_what_may(receiver);
            }
        }
    }

private:
    void send(const std::vector<Allowance>& allowances) {
        to_reactors_.insert(to_reactors_.end(), allowances.begin(), allowances.end());
    }

    void receive(const Allowance& allowance) {
        Side& side = sides_[allowance.reactor];
        EXPECT_GT(allowance.serial, side.serial) << "allowances of one reactor arrive in order";
        side.serial = allowance.serial;
        side.allowance = allowance.permits;
    }

    PermitArbiter arbiter_;
    std::vector<Side> sides_;
    std::deque<PermitReport> to_arbiter_;
    std::deque<Allowance> to_reactors_;
};

TEST(PermitArbiter, DealsTheTotalEvenlyAtFirst) {
    const std::vector<Allowance> initial = PermitArbiter(3, 16).initial();
    ASSERT_EQ(initial.size(), 3U);
    EXPECT_EQ(initial[0].permits, 6);
    EXPECT_EQ(initial[1].permits, 5);
    EXPECT_EQ(initial[2].permits, 5);
}

TEST(PermitArbiter, GivesAllPermitsToTheOnlyReactorThatNeedsThem) {
    Exchange exchange(4, 16);
    exchange.side(2).waiting = 100;
    exchange.side(2).services = 3;
    exchange.settle();
    EXPECT_EQ(exchange.side(2).in_use, 16);
}

TEST(PermitArbiter, SharesAShortBudgetInProportionToTheServicesWaiting) {
    Exchange exchange(2, 16);
    exchange.side(0).waiting = 1000;
    exchange.side(0).services = 1;
    exchange.side(1).waiting = 1000;
    exchange.side(1).services = 3;
    exchange.settle();
    // What was handed out before both had spoken comes back as attempts finish.
    for (int i = 0; i < 100; ++i) {
        for (std::size_t r : {0U, 1U}) {
            exchange.side(r).in_use = std::max<std::int64_t>(exchange.side(r).in_use - 1, 0);
        }
        exchange.settle();
    }
    EXPECT_NEAR(static_cast<double>(exchange.side(0).in_use), 4.0, 1.0);
    EXPECT_NEAR(static_cast<double>(exchange.side(1).in_use), 12.0, 1.0);
}

TEST(PermitArbiter, ALonePermitGoesRound) {
    Exchange exchange(4, 1);
    for (int round = 0; round < 400; ++round) {
        for (std::size_t i = 0; i < 4; ++i) {
            exchange.side(i).waiting = 10;
            exchange.side(i).services = 1;
        }
        exchange.settle();
        ASSERT_LE(exchange.in_use(), 1);
        for (std::size_t i = 0; i < 4; ++i) {
            exchange.side(i).in_use = 0;
        }
    }
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_GT(exchange.side(i).started, 40) << "reactor " << i;
    }
}

TEST(PermitArbiter, ALoweredTotalHoldsOnceAttemptsFinish) {
    Exchange exchange(2, 16);
    for (std::size_t i : {0U, 1U}) {
        exchange.side(i).waiting = 100;
        exchange.side(i).services = 1;
    }
    exchange.settle();
    EXPECT_EQ(exchange.in_use(), 16);
    exchange.set_total(4);
    exchange.settle();
    EXPECT_EQ(exchange.in_use(), 16);
    exchange.side(0).in_use = 0;
    exchange.side(1).in_use = 0;
    exchange.settle();
    EXPECT_EQ(exchange.in_use(), 4);
}

TEST(PermitArbiter, NeverLetsMoreRunThanTheTotalWhateverTheOrderOfMessages) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](std::int64_t below) {
            return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random);
        };
        const auto reactors = static_cast<std::size_t>(1 + draw(5));
        const std::int64_t total = 1 + draw(20);
        Exchange exchange(reactors, total);
        for (int step = 0; step < 2000; ++step) {
            const auto i = static_cast<std::size_t>(draw(static_cast<std::int64_t>(reactors)));
            Exchange::Side& side = exchange.side(i);
            switch (draw(6)) {
                case 0:
                    side.waiting += draw(5);
                    side.services = std::min<std::int64_t>(1 + draw(4), side.waiting);
                    break;
                case 1:
                    side.in_use -= side.in_use > 0 ? 1 : 0;
                    break;
                case 2:
                    exchange.report(i);
                    break;
                case 3:
                    exchange.deliver_report();
                    break;
                case 4:
                    exchange.deliver_allowance();
                    break;
                default:
                    exchange.start_what_may(i);
            }
            ASSERT_LE(exchange.in_use(), total) << "seed " << seed << " step " << step;
        }
        exchange.settle();
        std::int64_t waiting = 0;
        for (std::size_t i = 0; i < reactors; ++i) {
            waiting += exchange.side(i).waiting;
        }
        ASSERT_TRUE(waiting == 0 || exchange.in_use() == total)
            << "seed " << seed << ": a permit lies idle while attempts wait";
    }
}

}  // namespace
}  // namespace ome::core
