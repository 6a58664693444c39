#include <ome/core/declaration_lease.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

using namespace std::chrono_literals;

const SteadyTime start{1h};

TEST(DeclarationLease, ExpiresWhenNothingRenewedItForItsTime) {
    DeclarationLease lease(5min);
    lease.renew(start);
    EXPECT_FALSE(lease.expired(start + 5min - 1ns));
    EXPECT_TRUE(lease.expired(start + 5min));
    lease.renew(start + 4min);
    EXPECT_FALSE(lease.expired(start + 5min));
    EXPECT_TRUE(lease.expired(start + 9min));
}

TEST(DeclarationLease, WithoutADeclarationThereIsNothingToExpire) {
    DeclarationLease lease(5min);
    EXPECT_FALSE(lease.expired(start + 24h));
    lease.hold(start);
    lease.release(start + 1h);
    EXPECT_FALSE(lease.expired(start + 24h));
}

TEST(DeclarationLease, AnOpenWatchWithAHolderKeepsItAndItsEndBeginsTheTimeAnew) {
    DeclarationLease lease(5min);
    lease.renew(start);
    lease.hold(start + 1min);
    lease.hold(start + 1min);
    EXPECT_FALSE(lease.expired(start + 1h));
    lease.release(start + 1h);
    EXPECT_FALSE(lease.expired(start + 2h)) << "another one is still open";
    lease.release(start + 2h);
    EXPECT_FALSE(lease.expired(start + 2h + 5min - 1ns));
    EXPECT_TRUE(lease.expired(start + 2h + 5min));
}

TEST(DeclarationLease, ZeroMeansNever) {
    DeclarationLease lease(0s);
    lease.renew(start);
    EXPECT_FALSE(lease.expired(SteadyTime::max()));
}

TEST(DeclarationLease, ExpiresOnceAndBeginsAnewWithTheNextDeclaration) {
    DeclarationLease lease(5min);
    lease.renew(start);
    lease.end();
    EXPECT_FALSE(lease.expired(start + 1h));
    lease.renew(start + 1h);
    EXPECT_TRUE(lease.expired(start + 1h + 5min));
}

TEST(DeclarationLease, ATimeAsLongAsTheClockDoesNotWrapAround) {
    DeclarationLease lease(Duration::max());
    lease.renew(start);
    EXPECT_FALSE(lease.expired(start + 24h));
}

}  // namespace
}  // namespace ome::core
