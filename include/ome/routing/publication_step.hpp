// The next thing to do for the publication of one map (contract/publisher-cli.md 1.7, 1.8, 1.11 and
// 1.12), from everything as it was last observed. Level-triggered: whoever carries the step out
// observes what came of it and asks again, until there is nothing left to do; a process that ends
// in between goes on where it stopped. An unchanged plan on unchanged objects is no step at all
// (D7).
#pragma once

#include <ome/routing/drift.hpp>
#include <ome/routing/publication_plan.hpp>
#include <ome/routing/publication_status.hpp>
#include <ome/routing/publication_world.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ome::routing {

/// When to look again although nothing happens.
enum class Retry : std::uint8_t { None, Resync, Backoff };

/// Where the publication stands.
struct Verdict {
    Publication what = Publication::Transitioning;
    core::Problem why = {};  ///< of a failure
    Retry retry = Retry::Resync;
};

struct ObjectWrite {
    PublishedObject object;  ///< labels and spec; what else the stored one has stays
    // Of the stored one; empty: there is none.
    std::string uid = {};
    std::string resource_version = {};
};

struct ObjectDelete {
    ObjectKey key;
    std::string uid;
    std::string resource_version;
};

/// What was there, complete, after a step.
struct AppliedPlan {
    PublicationPlan plan;
    std::map<ObjectKey, PublishedObject> objects;
};

/// What the steps of one map remember from one another; nothing is lost for good with it.
struct PublicationMemory {
    struct Failure {
        Publication what = Publication::ApplyFailed;
        core::Problem why;
    };
    /// A write that did not succeed, while its pause lasts.
    std::optional<Failure> failure = {};
    /// What differs from it since was changed by others.
    std::optional<AppliedPlan> applied = {};
    DriftGuard drift = {};
};

struct PublishedHostname {
    std::string name;
    core::ServiceKey gateway;
};

struct PublicationStep {
    enum class Finalizer : std::uint8_t { Keep, Add, Remove };

    // What is to be done: one of finalizer, status and objects. All objects may go at once, in
    // order.
    Finalizer finalizer = Finalizer::Keep;
    std::optional<PublicationStatus> status = {};
    std::vector<ObjectWrite> writes = {};
    std::vector<ObjectDelete> deletes = {};

    Publication failing = Publication::ApplyFailed;  ///< what it is when one of these fails
    std::vector<ObjectKey> repairs = {};             ///< of the writes: they undo what others did
    std::vector<ObjectKey> held_back = {};           ///< not repaired for now: see `look_again`
    std::optional<core::SteadyTime> look_again = {};

    /// What the map is on the way to have, or has: no other route may have it on that Gateway, and
    /// none has.
    std::optional<PublishedHostname> hostname = {};

    /// Absent: nothing is to be said of the map (routing is off, it is another publisher's).
    std::optional<Verdict> verdict = {};
    std::optional<AppliedPlan> applied = {};  ///< of Published

    [[nodiscard]] bool idle() const {
        return finalizer == Finalizer::Keep && !status && writes.empty() && deletes.empty();
    }
};

[[nodiscard]] PublicationStep next_step(const TrafficMap& map,
                                        const PublicationWorld& world,
                                        const PublicationSettings& settings,
                                        const PublicationMemory& memory,
                                        const core::Now& now);

/// Of a map that is gone and was not finalized: its file was removed, or its finalizer taken off.
/// Takes away what was published of it. `claims` are those of the map as it was last seen; empty:
/// it was never seen, and its route is where one would be made now. Without a verdict nothing is
/// left.
[[nodiscard]] PublicationStep removal_without_map(const core::ServiceKey& source,
                                                  const std::vector<std::string>& claims,
                                                  const PublicationWorld& world,
                                                  const PublicationSettings& settings,
                                                  const PublicationMemory& memory);

/// The claims of a map's journal by which this publisher may have made something; empty: nothing of
/// its is left.
[[nodiscard]] std::vector<std::string> standing_claims(const TrafficMap& map);

/// Whether the routing controller means to have a map of the service (contract 1.8, step 6).
[[nodiscard]] bool is_published_at_all(const InferenceService& service,
                                       const PublicationSettings& settings);

/// The map says something that the publisher has to take back before the map may go.
[[nodiscard]] bool holds_publisher_state(const TrafficMap& map);

/// Step 5 of a pass: whether the map is that of its service as it is now. Absent: it is. `retry` is
/// Backoff where the service could not be read at all.
[[nodiscard]] std::optional<Verdict> owner_verdict(const TrafficMap& map,
                                                   const InferenceService* service);

}  // namespace ome::routing
