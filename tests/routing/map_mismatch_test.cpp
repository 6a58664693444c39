#include <ome/routing/map_mismatch.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TrafficMap one_home() {
    TrafficMap map;
    map.meta.key = {"demo", "chat"};
    map.spec.service = "chat";
    map.spec.mode = "All";
    map.spec.observed_isvc_generation = 3;
    Entry& entry = map.spec.entries.emplace_back();
    entry.cluster = "worker-a";
    entry.endpoint = "https://a.example";
    entry.weight = 2;
    entry.healthy = true;
    entry.capacity = {.allocated = 2, .ready = 2, .factor = "1500m"};
    entry.probe = EntryProbe{.policy_digest = "sha256:1", .result = core::ProbeResult::Passing};
    map.status.source_uid = "uid";
    map.status.conditions = {
        {.type = "Routable",
         .status = "True",
         .reason = "Routable",
         .message = "1 home(s) serving"},
        {.type = "Published", .status = "True", .reason = "Published", .message = ""}};
    return map;
}

TEST(MapMismatch, NothingWhereAllIsEqual) {
    EXPECT_THAT(mismatches(one_home(), one_home(), {}), IsEmpty());
}

TEST(MapMismatch, TheHistoryOfAWriterIsLeftOut) {
    TrafficMap live = one_home();
    live.meta.generation = 17;
    live.meta.resource_version = "99";
    live.spec.entries[0].probe->last_probe_time = core::WallTime{1'790'589'800, 0};
    live.spec.entries[0].capacity.factor = "1.5";
    live.status.conditions[0].last_transition_time = {1'790'589'800, 0};
    live.status.conditions[0].observed_generation = 17;
    live.status.conditions[1].status = "False";
    EXPECT_THAT(mismatches(live, one_home(), {}), IsEmpty());
}

TEST(MapMismatch, NamesEachField) {
    TrafficMap live = one_home();
    live.spec.mode = "Split";
    live.spec.observed_isvc_generation = 2;
    Entry& entry = live.spec.entries[0];
    entry.weight = 0;
    entry.healthy = false;
    entry.capacity.source = CapacitySource::Endpoint;
    entry.capacity.reported = 0;
    entry.probe->gated = true;
    entry.drain_refs = {"m", "n"};
    live.status.conditions[0].status = "False";
    EXPECT_THAT(
        mismatches(live, one_home(), {}),
        ElementsAre(Mismatch{"spec.mode", "Split", "All"},
                    Mismatch{"spec.observedISVCGeneration", "2", "3"},
                    Mismatch{"spec.entries[worker-a].weight", "0", "2"},
                    Mismatch{"spec.entries[worker-a].healthy", "false", "true"},
                    Mismatch{"spec.entries[worker-a].capacity.source", "Endpoint", "ControlPlane"},
                    Mismatch{"spec.entries[worker-a].capacity.reported", "0", ""},
                    Mismatch{"spec.entries[worker-a].probe.gated", "true", "false"},
                    Mismatch{"spec.entries[worker-a].drainRefs", "m,n", ""},
                    Mismatch{"status.conditions[Routable]",
                             "False Routable: 1 home(s) serving",
                             "True Routable: 1 home(s) serving"}));
}

TEST(MapMismatch, EntriesOfOneSideAlone) {
    TrafficMap live = one_home();
    live.spec.entries[0].cluster = "worker-b";
    EXPECT_THAT(mismatches(live, one_home(), {}),
                ElementsAre(Mismatch{"spec.entries[worker-a]", "", "an entry"},
                            Mismatch{"spec.entries[worker-b]", "an entry", ""}));
    live = one_home();
    live.spec.entries[0].probe.reset();
    EXPECT_THAT(mismatches(live, one_home(), {}),
                ElementsAre(Mismatch{"spec.entries[worker-a].probe", "", "a probe"}));
}

}  // namespace
}  // namespace ome::routing
