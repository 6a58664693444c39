// Where InferenceServices come from and TrafficMaps go: what is told and asked, as values. There is
// a folder (dir_store.hpp), and a Kubernetes API server of the same shape (kube_store.hpp).
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/desired_objects.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/publication_status.hpp>
#include <ome/routing/publication_step.hpp>
#include <ome/routing/published_object.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ome::controller {

/// News of the store, told in order. Each is the newest state and not a difference, so that a lost
/// or repeated one does no harm.
namespace news {

struct ServiceIs {
    std::shared_ptr<const routing::InferenceService> service;
};
/// Authoritatively: what cannot be read at the moment is not gone.
struct ServiceGone {
    core::ServiceKey key;
};
struct MapIs {
    std::shared_ptr<const routing::TrafficMap> map;
};
struct MapGone {
    core::ServiceKey key;
};
/// The map is there and nobody can tell whose it is: it is neither written nor deleted.
struct MapUnreadable {
    core::ServiceKey key;
    core::Problem problem;
};
/// Something that cannot be used; what was there before it stays in force.
struct Unusable {
    std::string place;                    ///< `inferenceservices/demo/chat.yaml:12`
    std::optional<core::ServiceKey> key;  ///< where it can be told
    core::Problem problem;
    std::set<core::ServiceKey> holds = {};  ///< services that stay as they were because of it
    std::string service_uid = {};           ///< of `key`; of a Kubernetes API server
};
/// Something that is used, and does not do what it looks like.
struct Doubtful {
    std::string place;
    core::Problem problem;
    std::optional<core::ServiceKey> key = {};  ///< of a service of a Kubernetes API server
    std::string service_uid = {};              ///< likewise
};
/// An earlier Unusable of this file is over.
struct UsableAgain {
    std::string file;
};
/// An object of the kinds that the publisher writes, whoever it belongs to.
struct ObjectIs {
    std::shared_ptr<const routing::PublishedObject> object;
};
struct ObjectGone {
    routing::ObjectKey key;
};
/// Objects of a kind cannot be read, or (without a problem) can be again.
struct KindUnreadable {
    routing::ObjectKind kind = routing::ObjectKind::HttpRoute;
    std::optional<core::Problem> problem;
    bool missing = false;  ///< there is no such kind, and so nothing of it
};
/// The answer to an AddressQuery.
struct AddressesAre {
    core::ServiceKey source;
    routing::HomeAddresses addresses;
};
/// All that was there at the start has been told. Nothing is written before.
struct Listed {};

}  // namespace news

using StoreNews = std::variant<news::ServiceIs,
                               news::ServiceGone,
                               news::MapIs,
                               news::MapGone,
                               news::MapUnreadable,
                               news::Unusable,
                               news::Doubtful,
                               news::UsableAgain,
                               news::ObjectIs,
                               news::ObjectGone,
                               news::KindUnreadable,
                               news::AddressesAre,
                               news::Listed>;

/// Of a place, `inferenceservices/demo/chat.yaml:12`, the file.
[[nodiscard]] std::string file_of_place(const std::string& place);

/// The state of a map on which a decision was made; the request fails as a conflict when it is not
/// that any more.
struct Precondition {
    std::string uid;  ///< empty, like resource_version: there is no map
    std::string resource_version;

    friend bool operator==(const Precondition&, const Precondition&) = default;
};

/// Steps 9.2 and 8.4 of contract/trafficmap.md: the spec first, then, from the map as it is stored,
/// the conditions.
struct MapWrite {
    core::ServiceKey key;
    Precondition precondition;
    std::shared_ptr<const routing::InferenceService> service;
    std::shared_ptr<const routing::RoutedService> routed;
    routing::TrafficMapSpec spec;  ///< the stored one where only the conditions change
    routing::RoutableVerdict verdict;
    core::WallTime now;  ///< of the decision; for transition times
};

struct MapDelete {
    core::ServiceKey key;
    Precondition precondition;
};

/// For people who look at the service, or at its map, as a Kubernetes Event.
struct EventRecord {
    core::ServiceKey key;
    std::string service_uid;
    bool warning = true;
    std::string reason;  ///< a word: `RoutingFrozen`
    std::string message;
    core::WallTime at;
    std::string map_uid = {};         ///< it is about this map; empty: about the service
    std::string config_map_uid = {};  ///< it is about this ConfigMap of an API server
};

/// Drains that have lapsed are taken off their service (routing/drain_expiry.hpp). Carried out only
/// while the service's two annotations are those of `service`; else nothing happens, and the news
/// that come lead to another decision. No result is told: the service's news are the result.
struct DrainLapse {
    core::ServiceKey key;
    std::shared_ptr<const routing::InferenceService> service;
    std::optional<std::string> drains;    ///< the annotation after it; absent: taken away
    std::optional<std::string> expiries;  ///< likewise
    std::vector<EventRecord> events;      ///< told when it has been carried out
};

// The publisher's requests; `source` is the key of its map.

/// Its part of a map's status, and nothing else of the map.
struct MapStatusWrite {
    core::ServiceKey source;
    Precondition precondition;
    routing::PublicationStatus status;
    std::shared_ptr<const routing::TrafficMap> map = nullptr;  ///< what was decided on, if known
};
/// Whether the publisher holds the map. A map that is being deleted goes with its last finalizer.
struct MapFinalizerWrite {
    core::ServiceKey source;
    Precondition precondition;
    bool held = true;
    std::shared_ptr<const routing::TrafficMap> map = nullptr;  ///< what was decided on, if known
};
struct ObjectWriteRequest {
    core::ServiceKey source;
    routing::ObjectWrite write;
};
struct ObjectDeleteRequest {
    core::ServiceKey source;
    routing::ObjectDelete remove;
};
/// Answered by news::AddressesAre, however long that takes.
struct AddressQuery {
    core::ServiceKey source;
    std::map<std::string, std::string> hosts;  ///< by cluster
};

using StoreRequest = std::variant<MapWrite,
                                  MapDelete,
                                  EventRecord,
                                  MapStatusWrite,
                                  MapFinalizerWrite,
                                  ObjectWriteRequest,
                                  ObjectDeleteRequest,
                                  AddressQuery,
                                  DrainLapse>;

/// What became of a write or a delete.
struct StoreResult {
    enum class Outcome : std::uint8_t { Done, Conflict, Failed };

    core::ServiceKey key;
    Outcome outcome = Outcome::Done;
    /// As it is stored now; null: there is none. Not told for Failed.
    std::shared_ptr<const routing::TrafficMap> map = {};
    core::Problem problem = {};  ///< of Failed
    bool told = false;           ///< it is: as a right that is missing (StoreState)
};

/// What became of a write or a delete of the publisher.
struct PublicationResult {
    core::ServiceKey source;
    StoreResult::Outcome outcome = StoreResult::Outcome::Done;
    std::optional<routing::ObjectKey> object = {};  ///< absent: it was about the map
    // As stored now; null: there is none. Not told for Failed.
    std::shared_ptr<const routing::TrafficMap> map = {};
    std::shared_ptr<const routing::PublishedObject> stored = {};
    core::Problem problem = {};  ///< of Failed
};

/// Puts owner, spec and conditions of a write into a map. `map` is the stored one, or an empty one
/// that has its metadata; its generation rises when the spec differs.
void apply_write(routing::TrafficMap& map, const MapWrite& write);

/// Whether the conditions that follow from `spec` as stored in `map` differ from those it has.
[[nodiscard]] bool status_differs(const routing::TrafficMap& map, const MapWrite& write);

/// A right of an API server that was refused, and not given since.
struct MissingRight {
    std::string verb;      ///< `list`
    std::string resource;  ///< `trafficmaps.ome.io`, `trafficmaps/status.ome.io`
    std::string ns;        ///< empty: all namespaces
    std::string hinders;   ///< what cannot be done meanwhile
    std::string problem;   ///< what the server said
    core::WallTime since;
    bool blocks = false;  ///< without it this process is not ready for its work

    friend bool operator==(const MissingRight&, const MissingRight&) = default;
};

/// `list trafficmaps.ome.io in namespace demo`
[[nodiscard]] std::string spoken(const MissingRight& right);

/// The Lease by which controllers agree on who leads, as it was last seen. Times as they are
/// written there.
struct LeaseSeen {
    std::string name;    ///< `namespace/name`
    std::string holder;  ///< empty: nobody
    bool ours = false;
    std::string since;    ///< when its holder took it
    std::string renewed;  ///< when its holder renewed it last
    std::int32_t transitions = 0;
    /// Until when its holder leads if he does not renew it: of ours by our own clock, of another's
    /// by his. Absent: it cannot be told.
    std::optional<core::WallTime> valid_until = {};

    friend bool operator==(const LeaseSeen&, const LeaseSeen&) = default;
};

/// Something that an API server is asked for and does not do, and has not done since.
struct StoreTrouble {
    std::string at;  ///< `lease`, `watch`, `read`, `write`, a kind of objects, `configuration`
    std::string problem;
    core::WallTime since;  ///< when it failed first

    friend bool operator==(const StoreTrouble&, const StoreTrouble&) = default;
};

/// StoreTrouble::at of the Lease.
inline constexpr const char* at_lease = "lease";

/// Of the store itself, for people.
struct StoreState {
    std::optional<LeaseSeen> lease = {};  ///< absent: there is none, or it was not seen yet
    std::vector<MissingRight> missing_rights = {};
    std::vector<StoreTrouble> troubles = {};

    friend bool operator==(const StoreState&, const StoreState&) = default;
};

/// All methods are called on one thread, and both functions are called there.
class Store {
public:
    struct Listener {
        std::function<void(std::vector<StoreNews>)> news;
        std::function<void(std::vector<StoreResult>)> results;
        std::function<void(std::vector<PublicationResult>)> published;
        /// Whether this process is the one that writes; told once that is known, and then as it
        /// changes. News begin after `true`: with all that is there, at every lead anew, up to
        /// Listed. After `false` what was submitted and told before it is void: its results may
        /// still come, though never after the next `true`.
        std::function<void(bool leading)> leading;
        /// As it is now, whenever it has changed.
        std::function<void(StoreState)> state = {};
    };

    virtual ~Store() = default;
    virtual void start(Listener listener) = 0;
    /// In order for each key. Every write and delete gets one result, of the kind of
    /// its request, unless the lead ends before.
    virtual void submit(std::vector<StoreRequest> requests) = 0;
    /// What was submitted is carried out, its results are told no more.
    virtual void stop() = 0;
};

}  // namespace ome::controller
