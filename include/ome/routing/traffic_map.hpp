// The TrafficMap as a value (contract/trafficmap.md 2.1 and 12). What is absent or zero here is
// left out of the document where the contract says so.
#pragma once

#include <ome/core/attempt.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

inline constexpr std::string_view api_version = "ome.io/v1beta1";
inline constexpr std::string_view publisher_finalizer = "ome.io/trafficmap-publisher";

enum class CapacitySource : std::uint8_t { ControlPlane, Endpoint };

struct EntryCapacity {
    std::int32_t allocated = 0;              ///< admitted, lowered to the ceiling; omitted when 0
    std::int32_t ready = 0;                  ///< verbatim; omitted when 0
    std::optional<std::string> factor = {};  ///< canonical quantity
    CapacitySource source = CapacitySource::ControlPlane;
    std::optional<std::int32_t> reported = {};  ///< the ceiling, also 0
    std::string fallback_reason = {};           ///< omitted when empty

    friend bool operator==(const EntryCapacity&, const EntryCapacity&) = default;
};

struct EntryProbe {
    std::string policy_digest;
    core::ProbeResult result = core::ProbeResult::Unknown;
    bool gated = false;                                  ///< omitted when false
    std::optional<core::WallTime> last_probe_time = {};  ///< whole seconds
    std::int32_t consecutive_failures = 0;               ///< omitted when 0
    std::string message = {};                            ///< omitted when empty

    friend bool operator==(const EntryProbe&, const EntryProbe&) = default;
};

struct Entry {
    std::string cluster;
    std::string endpoint;  ///< verbatim
    std::int32_t weight = 0;
    bool healthy = false;
    EntryCapacity capacity = {};
    std::optional<EntryProbe> probe = {};
    std::vector<std::string> drain_refs = {};  ///< byte order; omitted when empty

    friend bool operator==(const Entry&, const Entry&) = default;
};

struct TrafficMapSpec {
    std::string service;
    std::string mode;                           ///< omitted when empty
    std::int64_t observed_isvc_generation = 0;  ///< omitted when 0
    std::string placement_plan_id;              ///< omitted when empty
    std::vector<Entry> entries;                 ///< sorted by cluster; omitted when empty

    friend bool operator==(const TrafficMapSpec&, const TrafficMapSpec&) = default;
};

/// As in Kubernetes' metav1.Condition. `status` is `True`, `False` or `Unknown`.
struct Condition {
    std::string type;
    std::string status;
    std::string reason;
    std::string message;
    core::WallTime last_transition_time = {};  ///< whole seconds
    std::int64_t observed_generation = 0;

    friend bool operator==(const Condition&, const Condition&) = default;
};

struct GatewayRef {
    std::string group;
    std::string kind;
    std::string ns;
    std::string name;

    friend bool operator==(const GatewayRef&, const GatewayRef&) = default;
};

/// `status.publisher`: the publisher's journal (contract/publisher-cli.md).
struct PublisherState {
    struct Target {
        std::string target;
        std::int64_t weight = 0;
        friend bool operator==(const Target&, const Target&) = default;
    };
    struct LastPositive {
        std::int64_t traffic_map_generation = 0;
        std::int64_t observed_isvc_generation = 0;
        std::string plan_compatibility_digest;
        std::vector<Target> targets;
        friend bool operator==(const LastPositive&, const LastPositive&) = default;
    };
    std::string publisher_name;
    std::vector<std::string> claimed_targets;
    std::string observed_options_digest;
    std::optional<LastPositive> last_positive = {};

    friend bool operator==(const PublisherState&, const PublisherState&) = default;
};

struct TrafficMapStatus {
    std::string source_uid;
    std::optional<bool> published = {};
    std::int64_t observed_traffic_map_generation = 0;
    std::optional<GatewayRef> gateway_ref = {};
    std::optional<PublisherState> publisher = {};
    std::vector<Condition> conditions;  ///< the routing controller's and the publisher's

    friend bool operator==(const TrafficMapStatus&, const TrafficMapStatus&) = default;
};

struct OwnerReference {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string uid;
    std::optional<bool> controller = {};
    std::optional<bool> block_owner_deletion = {};

    friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
    core::ServiceKey key;
    std::string uid;
    std::int64_t generation = 0;
    std::string resource_version;  ///< opaque; changes with every write
    std::optional<core::WallTime> creation_timestamp = {};
    std::optional<core::WallTime> deletion_timestamp = {};  ///< present: is being deleted
    std::map<std::string, std::string> labels = {};
    std::map<std::string, std::string> annotations = {};
    std::vector<std::string> finalizers = {};
    std::vector<OwnerReference> owner_references = {};

    friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

struct TrafficMap {
    ObjectMeta meta;
    TrafficMapSpec spec;
    TrafficMapStatus status;

    friend bool operator==(const TrafficMap&, const TrafficMap&) = default;
};

}  // namespace ome::routing
