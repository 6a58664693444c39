// How many bytes a home takes, counted at the allocator of this program: the observer holds a
// hundred thousand of them. The bounds are a fifth above what was counted when they were set.
#include "fleet_support.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {

std::size_t bytes_in_use = 0;

}  // namespace

void* operator new(std::size_t size) {
    void* const made = std::malloc(size);
    if (made == nullptr) {
        throw std::bad_alloc();
    }
    bytes_in_use += malloc_usable_size(made);
    return made;
}

void operator delete(void* gone) noexcept {
    bytes_in_use -= malloc_usable_size(gone);
    std::free(gone);
}

void operator delete(void* gone, std::size_t) noexcept {
    operator delete(gone);
}

namespace ome::core {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t homes = 1000;

class FleetMemory : public FleetTest {
protected:
    /// Real names and digests: longer than what a string holds in itself.
    void declare_homes(std::size_t per_service) {
        for (std::size_t first = 0; first < homes; first += per_service) {
            ServiceDeclaration service = some_service("service-" + std::to_string(first), {});
            service.owner_uid = std::string(36, 'u');
            service.capacity = some_capacity("sha256:" + std::string(64, 'c'));
            service.probe = some_probe("sha256:" + std::string(64, 'p'));
            for (std::size_t home = first; home < first + per_service; ++home) {
                const std::string cluster = "worker-" + std::to_string(home);
                service.homes.push_back(
                    {cluster, "http://" + cluster + ".clusters.example:8080/llama", std::nullopt});
            }
            declare(service);
        }
        std::ignore = fleet.take_changes();
    }

    /// Long enough for every history to be full.
    void observe(bool healthy) {
        for (int second = 0; second < 150; ++second) {
            for (const Attempt& attempt : due()) {
                AttemptOutcome outcome =
                    fault(Fault::Unreachable, "connect: connection refused by the other side");
                if (healthy) {
                    outcome = attempt.plan->kind == Kind::Poll ? servable(4) : status(200);
                }
                outcome.phases = {0ms, 1ms, 0ms, 2ms, 4ms};
                finish(attempt, std::move(outcome));
            }
            std::ignore = fleet.take_changes();
            clock.advance(1s);
        }
    }

    [[nodiscard]] std::size_t bytes_a_home() const { return (bytes_in_use - before) / homes; }

    std::size_t before = bytes_in_use;
};

TEST_F(FleetMemory, OfAHomeThatIsDeclared) {
    declare_homes(homes);
    EXPECT_LE(bytes_a_home(), 900U);
}

TEST_F(FleetMemory, OfAHomeOfASmallServiceThatIsDeclared) {
    declare_homes(2);
    EXPECT_LE(bytes_a_home(), 1250U);
}

TEST_F(FleetMemory, OfAHomeWithFullHistories) {
    declare_homes(homes);
    observe(true);
    EXPECT_LE(bytes_a_home(), 1580U);
}

TEST_F(FleetMemory, OfAHomeOfASmallServiceWithFullHistories) {
    declare_homes(2);
    observe(true);
    EXPECT_LE(bytes_a_home(), 1950U);
}

TEST_F(FleetMemory, OfAHomeThatIsDown) {
    declare_homes(homes);
    observe(false);
    EXPECT_LE(bytes_a_home(), 1900U);
}

TEST_F(FleetMemory, NothingIsLeftOfHomesThatAreForgotten) {
    const std::size_t empty = bytes_in_use;
    declare_homes(2);
    observe(true);
    const std::size_t full = bytes_in_use;
    for (std::size_t first = 0; first < homes; first += 2) {
        std::ignore = fleet.forget({"prod", "service-" + std::to_string(first)});
    }
    std::ignore = fleet.take_changes();
    // Slots and places in heaps stay for the next ones.
    EXPECT_LT(bytes_in_use - empty, (full - empty) / 2);
}

}  // namespace
}  // namespace ome::core
