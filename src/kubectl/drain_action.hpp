// Putting a drain on a service and taking it off, without doing it: what is refused, and the patch
// (contract/publisher-cli.md 2.3).
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/drain_expiry.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ome::kubectl {

namespace json = boost::json;

struct DrainRequest {
    std::string ns;
    std::string service;
    std::string id;
    /// Absent: to be taken off.
    struct Hold {
        std::string cluster;
        std::string reason;
        std::optional<core::WallTime> until = {};  ///< absent: until it is taken off
    };
    std::optional<Hold> hold = {};
};

/// The rules for an ID, a cluster and a reason, in the order of the contract. Absent: all keep
/// them.
[[nodiscard]] std::optional<std::string> broken_rule(const DrainRequest& request);

struct DrainPlan {
    std::string uid;
    std::string resource_version;  ///< the one that is tested
    routing::Drain drain;          ///< put on or taken off
    std::optional<core::WallTime> until = {};
    std::size_t before = 0;  ///< drains of the service
    std::size_t after = 0;
    json::array patch;
    std::optional<std::string> value = {};  ///< of the annotation after it; absent: none
};

/// The problem is the refusal's text, and the order of the refusals is the contract's.
[[nodiscard]] core::Result<DrainPlan> plan_drain(const DrainRequest& request,
                                                 const json::value& service);

/// Whether drains can be put on and taken off beside those that an annotation holds.
[[nodiscard]] bool can_be_changed(const std::optional<std::string>& drains);

/// The drains that a service has, for who takes one off that it does not have: `\nhint: ...`.
/// Empty: that is not what is wrong.
[[nodiscard]] std::string hint_of_ids(const DrainRequest& request, const json::value& service);

/// A drain of a cluster that the service's placement does not name, which is probably misspelt, in
/// words. Absent: nothing to say, as for a service that is not placed anywhere yet.
[[nodiscard]] std::optional<std::string> unknown_home(const DrainRequest& request,
                                                      const json::value& service);

/// A service whose map is frozen by what the service itself says, so that the drain waits, in
/// words. Absent: nothing of that can be told from the service.
[[nodiscard]] std::optional<std::string> frozen_warning(const DrainRequest& request,
                                                        const json::value& service);

/// Whether the answer to the patch is about this service and shows what was asked for.
[[nodiscard]] bool is_answer_to(const DrainRequest& request,
                                const DrainPlan& plan,
                                const json::value& answer);

}  // namespace ome::kubectl
