// What a pass knows of each home, before and after the weights; build_plan() and explain() both
// start here, so that they cannot disagree.
#pragma once

#include "weights.hpp"
#include <ome/routing/traffic_pass.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

struct Row {
    Home home;
    std::optional<CapacityObservation> capacity;  ///< absent: polling is off
    std::optional<ProbeObservation> probe;        ///< absent: no block is written
    std::vector<const Drain*> drains;             ///< those that name the home, by ID
};

struct Table {
    std::vector<Row> rows;            ///< sorted by cluster
    std::vector<WeightInput> inputs;  ///< of the rows
    Weights weights;                  ///< before withdrawals and drains
    bool all_failed = false;
};

/// The policy that counts when all homes are gated; with probing off PreserveTraffic, to no effect.
[[nodiscard]] core::AllFailedPolicy all_failed_policy(const core::Policies& policies);

/// `homes`: those of the service.
[[nodiscard]] Table make_table(const InferenceService& service,
                               std::vector<Home> homes,
                               const RoutedService& routed,
                               const Observations& observations);

[[nodiscard]] inline Table make_table(const InferenceService& service,
                                      const RoutedService& routed,
                                      const Observations& observations) {
    return make_table(service, serving_homes(service), routed, observations);
}

/// Contract 8.1, in its order.
[[nodiscard]] RoutableVerdict verdict_of(const InferenceService& service, const Table& table);

/// What is left of the weight of a row after a withdrawal by the plan, and after the drains too.
[[nodiscard]] std::int32_t weight_before_drains(const Table& table, std::size_t row);
[[nodiscard]] std::int32_t final_weight(const Table& table, std::size_t row);

}  // namespace ome::routing
