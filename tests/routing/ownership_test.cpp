#include <ome/routing/ownership.hpp>

#include <gtest/gtest.h>

namespace ome::routing {
namespace {

InferenceService some_service() {
    InferenceService service;
    service.key = {"prod", "svc"};
    service.uid = "uid-1";
    service.generation = 7;
    return service;
}

TrafficMap stored_map(const InferenceService& service) {
    TrafficMap map;
    map.meta.key = service.key;
    map.meta.uid = "map-uid";
    map.meta.resource_version = "17";
    map.meta.owner_references = {owner_reference(service)};
    map.spec.service = service.key.name;
    map.status.source_uid = service.uid;
    return map;
}

TEST(Ownership, EveryControllerReferenceMustBeOurs) {
    const InferenceService service = some_service();
    TrafficMap map = stored_map(service);
    EXPECT_TRUE(exactly_owned(map, service.key, service.uid));
    OwnerReference other = owner_reference(service);
    other.uid = "uid-2";
    map.meta.owner_references.push_back(other);
    EXPECT_FALSE(exactly_owned(map, service.key, service.uid));
    map.meta.owner_references.back().controller = false;
    EXPECT_TRUE(exactly_owned(map, service.key, service.uid));
}

TEST(Ownership, NobodyOwnsWithoutAUid) {
    InferenceService service = some_service();
    service.uid.clear();
    EXPECT_FALSE(exactly_owned(stored_map(service), service.key, ""));
}

TEST(Ownership, ForeignMapIsNeverWritten) {
    const InferenceService service = some_service();
    TrafficMap map = stored_map(service);
    map.meta.owner_references.clear();
    EXPECT_EQ(write_refusal(service, &map)->message,
              "TrafficMap prod/svc exists but is not controlled by InferenceService UID \"uid-1\"");
    map = stored_map(service);
    map.status.source_uid = "uid-0";
    EXPECT_EQ(
        write_refusal(service, &map)->message,
        "TrafficMap prod/svc source UID \"uid-0\" does not match InferenceService UID \"uid-1\"");
    map.status.source_uid.clear();
    EXPECT_FALSE(write_refusal(service, &map));
    EXPECT_FALSE(write_refusal(service, nullptr));
}

TEST(Ownership, DeleteNamesWhatItSaw) {
    const InferenceService service = some_service();
    const TrafficMap map = stored_map(service);
    const Reap found = reap(service, &map);
    EXPECT_EQ(found.action, Reap::Action::Delete);
    EXPECT_EQ(found.uid, "map-uid");
    EXPECT_EQ(found.resource_version, "17");
    EXPECT_EQ(reap(service, nullptr).action, Reap::Action::Nothing);
}

TEST(Ownership, PublisherRestoresItsFinalizerBeforeTheDelete) {
    const InferenceService service = some_service();
    TrafficMap map = stored_map(service);
    map.status.publisher.emplace().claimed_targets = {"v1:httproute:ns/route"};
    EXPECT_EQ(reap(service, &map).action, Reap::Action::Nothing);
    map.meta.finalizers = {std::string(publisher_finalizer)};
    EXPECT_EQ(reap(service, &map).action, Reap::Action::Delete);
}

TEST(Ownership, IncompleteIdentitiesAreErrors) {
    InferenceService service = some_service();
    TrafficMap map = stored_map(service);
    map.meta.uid.clear();
    EXPECT_EQ(reap(service, &map).error, "reap TrafficMap prod/svc: UID is empty");
    map = stored_map(service);
    map.meta.resource_version.clear();
    EXPECT_EQ(reap(service, &map).error, "reap TrafficMap prod/svc: resourceVersion is empty");
    service.uid.clear();
    EXPECT_EQ(reap(service, &map).error, "reap TrafficMap prod/svc: InferenceService UID is empty");
}

TEST(Ownership, OrphanIsReapedOnlyWithProvenance) {
    const core::ServiceKey key{"prod", "svc"};
    TrafficMap map = stored_map(some_service());
    EXPECT_EQ(reap_without_source(key, &map).action,
              Reap::Action::Nothing);  // left to the collector
    map.meta.owner_references.clear();
    EXPECT_EQ(reap_without_source(key, &map).action, Reap::Action::Delete);
    map.meta.deletion_timestamp = core::WallTime{1, 0};
    EXPECT_EQ(reap_without_source(key, &map).action, Reap::Action::Nothing);
    map.meta.deletion_timestamp.reset();
    map.status.source_uid.clear();
    EXPECT_EQ(reap_without_source(key, &map).action, Reap::Action::Nothing);
}

TEST(Ownership, NewerPlanOrGenerationMakesASnapshotStale) {
    InferenceService used = some_service();
    InferenceService live = used;
    live.generation = 8;
    EXPECT_FALSE(stale_snapshot(used, &live));  // no plan, no fence
    used.status.emplace().plan.emplace().id = "plan-a";
    live = used;
    EXPECT_FALSE(stale_snapshot(used, &live));
    live.status->plan->revision = 2;
    EXPECT_TRUE(stale_snapshot(used, &live));
    live = used;
    live.generation = 8;
    EXPECT_TRUE(stale_snapshot(used, &live));
    live = used;
    live.uid = "uid-2";
    EXPECT_TRUE(stale_snapshot(used, &live));
    EXPECT_TRUE(stale_snapshot(used, nullptr));
}

Entry gated_entry() {
    Entry entry;
    entry.cluster = "a";
    entry.endpoint = "https://A.example/x/";
    EntryProbe& probe = entry.probe.emplace();
    probe.policy_digest = "sha256:1";
    probe.result = core::ProbeResult::Failing;
    probe.gated = true;
    probe.consecutive_failures = 3;
    return entry;
}

TEST(Ownership, RecordIsRestoredForTheSameIdentityAlone) {
    const InferenceService service = some_service();
    TrafficMap map = stored_map(service);
    map.spec.entries = {gated_entry()};
    const auto restored =
        [&](const std::string& cluster, const std::string& endpoint, const std::string& digest) {
            return restorable_probe(service, &map, cluster, endpoint, digest).has_value();
        };
    EXPECT_TRUE(restored("a", "https://a.example/x", "sha256:1"));
    EXPECT_TRUE(restorable_probe(service, &map, "a", "https://a.example/x", "sha256:1")->gated);
    EXPECT_FALSE(restored("b", "https://a.example/x", "sha256:1"));
    EXPECT_FALSE(restored("a", "https://b.example/x", "sha256:1"));
    EXPECT_FALSE(restored("a", "https://a.example/x", "sha256:2"));
    map.spec.service = "other";
    EXPECT_FALSE(restored("a", "https://a.example/x", "sha256:1"));
    map = stored_map(service);
    map.spec.entries = {gated_entry()};
    map.meta.owner_references.front().uid = "uid-2";
    EXPECT_FALSE(restored("a", "https://a.example/x", "sha256:1"));
}

}  // namespace
}  // namespace ome::routing
