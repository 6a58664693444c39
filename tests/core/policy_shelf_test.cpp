#include "policy_shelf.hpp"

#include "fleet_support.hpp"

namespace ome::core {
namespace {

TEST(PolicyShelf, EqualPoliciesAreOne) {
    PolicyShelf<ProbePolicy> shelf;
    const auto one = shelf.find(some_probe());
    const auto other = shelf.find(some_probe());
    EXPECT_EQ(one, other);
    EXPECT_EQ(one->path, "/v1/models");
    EXPECT_EQ(shelf.find(std::nullopt), nullptr);
}

TEST(PolicyShelf, PoliciesThatDifferAreTwoWhateverTheirDigest) {
    PolicyShelf<CapacityPolicy> shelf;
    const auto one = shelf.find(some_capacity());
    CapacityPolicy longer = some_capacity();
    longer.timeout += std::chrono::seconds(1);
    const auto other = shelf.find(longer);
    EXPECT_NE(one, other);
    EXPECT_NE(one->timeout, other->timeout);
    EXPECT_NE(one, shelf.find(some_capacity("sha256:other")));
}

TEST(PolicyShelf, WhatNobodyHasAnyMoreIsForgotten) {
    PolicyShelf<ProbePolicy> shelf;
    const auto kept = shelf.find(some_probe());
    for (int i = 0; i < 1000; ++i) {
        std::ignore = shelf.find(some_probe("sha256:" + std::to_string(i)));
    }
    EXPECT_LT(shelf.size(), 64U);
    EXPECT_EQ(shelf.find(some_probe()), kept);
}

}  // namespace
}  // namespace ome::core
