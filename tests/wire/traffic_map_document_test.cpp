#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace ome::wire {
namespace {

routing::TrafficMap small_map() {
    routing::TrafficMap map;
    map.meta.key = {"llama-demo", "llama-chat"};
    map.spec.service = "llama-chat";
    return map;
}

routing::TrafficMap full_map() {
    routing::TrafficMap map = small_map();
    map.meta.uid = "u-1";
    map.meta.generation = 4;
    map.meta.resource_version = "4711";
    map.meta.creation_timestamp = core::WallTime{1'790'589'600, 0};
    map.meta.finalizers = {std::string(routing::publisher_finalizer)};
    map.meta.owner_references = {{.api_version = std::string(routing::api_version),
                                  .kind = "InferenceService",
                                  .name = "llama-chat",
                                  .uid = "0f8e",
                                  .controller = true,
                                  .block_owner_deletion = true}};
    map.spec.mode = "Split";
    map.spec.observed_isvc_generation = 7;
    map.spec.placement_plan_id = "plan-1";
    map.spec.entries = {
        {.cluster = "cluster-a",
         .endpoint = "http://a.example.com",
         .weight = 0,
         .healthy = false,
         .capacity = {.allocated = 4,
                      .ready = 4,
                      .factor = "1500m",
                      .source = routing::CapacitySource::Endpoint,
                      .reported = 0},
         .probe = routing::EntryProbe{.policy_digest = "sha256:00",
                                      .result = core::ProbeResult::Failing,
                                      .gated = true,
                                      .last_probe_time = core::WallTime{1'790'589'600, 0},
                                      .consecutive_failures = 3,
                                      .message = "HTTP 503"},
         .drain_refs = {"maintenance-a"}},
        {.cluster = "cluster-b", .endpoint = "http://b.example.com"},
    };
    map.status.source_uid = "0f8e";
    map.status.published = false;
    map.status.conditions = {{.type = "Routable",
                              .status = "True",
                              .reason = "Routable",
                              .message = "2 home(s) serving",
                              .last_transition_time = {1'790'589'600, 0},
                              .observed_generation = 4}};
    return map;
}

std::string as_json(const routing::TrafficMap& map) {
    std::string out;
    append_traffic_map_json(out, map);
    return out;
}

std::string as_yaml(const routing::TrafficMap& map) {
    std::string out;
    append_traffic_map_yaml(out, map);
    return out;
}

routing::TrafficMap read_one(std::string_view text) {
    const auto read = read_traffic_maps(text);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->size(), 1U);
    EXPECT_TRUE(read->front().map) << read->front().map.error().message;
    return *read->front().map;
}

std::string problem(std::string_view text) {
    const auto read = read_traffic_maps(text);
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->size(), 1U);
    return read->front().map ? "none" : read->front().map.error().message;
}

TEST(TrafficMapDocument, LeavesOutWhatIsEmpty) {
    routing::TrafficMap map = small_map();
    EXPECT_EQ(
        as_json(map),
        R"({"apiVersion":"ome.io/v1beta1","kind":"TrafficMap","metadata":{"name":"llama-chat",)"
        R"("namespace":"llama-demo"},"spec":{"service":"llama-chat"}})");
    map.spec.entries.push_back({.cluster = "a", .endpoint = "http://a"});
    EXPECT_TRUE(as_json(map).find(
                    R"("entries":[{"capacity":{"source":"ControlPlane"},"cluster":"a",)"
                    R"("endpoint":"http://a","healthy":false,"weight":0}])") != std::string::npos)
        << as_json(map);
}

TEST(TrafficMapDocument, WritesYamlAsKubectlDoes) {
    EXPECT_EQ(as_yaml(full_map()), R"(apiVersion: ome.io/v1beta1
kind: TrafficMap
metadata:
  creationTimestamp: "2026-09-28T10:00:00Z"
  finalizers:
  - ome.io/trafficmap-publisher
  generation: 4
  name: llama-chat
  namespace: llama-demo
  ownerReferences:
  - apiVersion: ome.io/v1beta1
    blockOwnerDeletion: true
    controller: true
    kind: InferenceService
    name: llama-chat
    uid: "0f8e"
  resourceVersion: "4711"
  uid: u-1
spec:
  entries:
  - capacity:
      allocated: 4
      factor: "1500m"
      ready: 4
      reported: 0
      source: Endpoint
    cluster: cluster-a
    drainRefs:
    - maintenance-a
    endpoint: http://a.example.com
    healthy: false
    probe:
      consecutiveFailures: 3
      gated: true
      lastProbeTime: "2026-09-28T10:00:00Z"
      message: HTTP 503
      policyDigest: sha256:00
      result: Failing
    weight: 0
  - capacity:
      source: ControlPlane
    cluster: cluster-b
    endpoint: http://b.example.com
    healthy: false
    weight: 0
  mode: Split
  observedISVCGeneration: 7
  placementPlanID: plan-1
  service: llama-chat
status:
  conditions:
  - lastTransitionTime: "2026-09-28T10:00:00Z"
    message: 2 home(s) serving
    observedGeneration: 4
    reason: Routable
    status: "True"
    type: Routable
  observedTrafficMapGeneration: 0
  published: false
  sourceUID: "0f8e"
)");
}

TEST(TrafficMapDocument, CutsTimesToSeconds) {
    routing::TrafficMap map = small_map();
    map.meta.creation_timestamp = core::WallTime{1'790'589'600, 999'999'999};
    EXPECT_NE(as_json(map).find(R"("creationTimestamp":"2026-09-28T10:00:00Z")"),
              std::string::npos);
    const auto read = read_one(
        R"({"kind":"TrafficMap","metadata":{"name":"x","creationTimestamp":"2026-09-28T10:00:00.5Z"}})");
    EXPECT_EQ(read.meta.creation_timestamp, (core::WallTime{1'790'589'600, 0}));
}

// Every text that a YAML reader may take for something else, and every character that it may not
// take as it is.
TEST(TrafficMapDocument, TextsStayTexts) {
    for (const char* text : {"",
                             " ",
                             "a ",
                             " a",
                             "yes",
                             "No",
                             "y",
                             "ON",
                             "true",
                             "False",
                             "null",
                             "Null",
                             "~",
                             "1",
                             "-1",
                             "1e3",
                             "0x1f",
                             "0o17",
                             "017",
                             "1_000",
                             ".5",
                             ".inf",
                             "-.inf",
                             ".nan",
                             "2026-09-28",
                             "2026-09-28 10:00:00",
                             "2026-09-28T10:00:00Z",
                             "1:20",
                             "a: b",
                             "a:",
                             "a #b",
                             "#a",
                             "- a",
                             "-",
                             "---",
                             "...",
                             "? a",
                             "&a",
                             "*a",
                             "!a",
                             "|",
                             ">",
                             "%a",
                             "@a",
                             "`a",
                             "'a'",
                             "\"a\"",
                             "[a]",
                             "{a}",
                             "a, b",
                             "a\nb",
                             "a\tb",
                             "\x01",
                             "\x7f",
                             "\xc2\x80",
                             "\xc2\x85",
                             "\xc2\xa0",
                             "\xe2\x80\xa8",
                             "\xe2\x80\xa9",
                             "\xef\xbb\xbf",
                             "\xef\xbf\xbe",
                             "\xf0\x9f\x98\x80",
                             "\\",
                             "a\\nb",
                             "<<",
                             "=",
                             "a  b",
                             "a : b",
                             "2 home(s) serving",
                             "2 apples: b",
                             "12 e3",
                             "http://a.example:8080/x?y=%20",
                             "HTTP 503",
                             "capacity endpoint unreachable: a: b"}) {
        routing::TrafficMap map = small_map();
        map.spec.placement_plan_id = text;
        map.meta.labels[text] = text;
        map.meta.finalizers = {text, text};
        EXPECT_EQ(read_one(as_yaml(map)), map) << as_yaml(map);
        EXPECT_EQ(read_one(as_json(map)), map) << as_json(map);
    }
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    std::int64_t number(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
    }
    std::int32_t number32(std::int32_t least, std::int32_t most) {
        return static_cast<std::int32_t>(number(least, most));
    }
    bool coin() { return number(0, 1) == 1; }
    std::string text() {
        static constexpr std::string_view pieces[] = {
            "a",    "Z",  "0",  "-",   ":", " ", "#",        "\"",
            "'",    "\n", "\\", "yes", ".", "/", "\xc3\xa4", "\xe2\x80\xa8",
            "\x7f", "{",  "[",  ",",   "&", "*", "!",        "%",
            "~",    "1e3"};
        std::string out;
        for (std::int64_t left = number(0, 6); left > 0; --left) {
            out += pieces[number(0, std::ssize(pieces) - 1)];
        }
        return out;
    }
    std::string some_text() { return "x" + text(); }
    core::WallTime time() { return {number(0, 4'000'000'000), 0}; }

private:
    std::mt19937 engine_;
};

routing::Entry random_entry(Random& random) {
    routing::Entry entry;
    entry.cluster = random.some_text();
    entry.endpoint = random.text();
    entry.weight = random.number32(0, 1'000'000);
    entry.healthy = random.coin();
    entry.capacity.allocated = random.number32(-5, 5);
    entry.capacity.ready = random.number32(0, std::numeric_limits<std::int32_t>::max());
    entry.capacity.fallback_reason = random.text();
    if (random.coin()) {
        entry.capacity.factor = random.text();
        entry.capacity.reported = random.number32(0, 3);
        entry.capacity.source = routing::CapacitySource::Endpoint;
    }
    if (random.coin()) {
        entry.probe.emplace();
        entry.probe->policy_digest = random.text();
        entry.probe->result = static_cast<core::ProbeResult>(random.number(0, 2));
        entry.probe->gated = random.coin();
        entry.probe->consecutive_failures = random.number32(0, 3);
        entry.probe->message = random.text();
        if (random.coin()) {
            entry.probe->last_probe_time = random.time();
        }
    }
    for (std::int64_t left = random.number(0, 2); left > 0; --left) {
        entry.drain_refs.push_back(random.text());
    }
    return entry;
}

routing::PublisherState random_publisher(Random& random) {
    routing::PublisherState publisher;
    publisher.publisher_name = random.text();
    publisher.observed_options_digest = random.text();
    publisher.claimed_targets.resize(static_cast<std::size_t>(random.number(0, 2)), "t/1");
    if (random.coin()) {
        publisher.last_positive.emplace();
        publisher.last_positive->traffic_map_generation = random.number(0, 1'000'000'000'000);
        publisher.last_positive->plan_compatibility_digest = random.text();
        for (std::int64_t left = random.number(0, 2); left > 0; --left) {
            publisher.last_positive->targets.push_back(
                {random.text(), random.number(0, std::numeric_limits<std::int64_t>::max())});
        }
    }
    return publisher;
}

routing::TrafficMapStatus random_status(Random& random) {
    routing::TrafficMapStatus status;
    status.source_uid = random.text();
    if (random.coin()) {
        status.published = random.coin();
        status.gateway_ref = {random.text(), random.text(), random.text(), random.text()};
    }
    status.observed_traffic_map_generation = random.number(0, 2);
    if (random.coin()) {
        status.publisher = random_publisher(random);
    }
    for (std::int64_t left = random.number(0, 3); left > 0; --left) {
        status.conditions.push_back({random.some_text(),
                                     random.coin() ? "True" : "Unknown",
                                     random.text(),
                                     random.text(),
                                     random.time(),
                                     random.number(0, 9)});
    }
    return status;
}

routing::TrafficMap random_map(Random& random) {
    routing::TrafficMap map;
    map.meta.key = {"ns", "name-" + std::to_string(random.number(0, 9))};
    map.meta.uid = random.text();
    map.meta.generation = random.number(0, std::numeric_limits<std::int64_t>::max());
    map.meta.resource_version = random.text();
    if (random.coin()) {
        map.meta.creation_timestamp = random.time();
        map.meta.deletion_timestamp = random.time();
        map.meta.annotations[random.text()] = random.text();
        map.meta.labels[random.text()] = random.text();
        map.meta.owner_references.push_back(
            {random.text(), random.text(), random.text(), random.text(), random.coin(), {}});
    }
    map.spec.service = random.text();
    map.spec.mode = random.text();
    map.spec.observed_isvc_generation = random.number(0, 3);
    map.spec.placement_plan_id = random.text();
    for (std::int64_t left = random.number(0, 3); left > 0; --left) {
        map.spec.entries.push_back(random_entry(random));
    }
    map.status = random_status(random);
    return map;
}

TEST(TrafficMapDocument, ReadsBackWhatItWrote) {
    Random random(4711);
    for (int round = 0; round < 500; ++round) {
        const routing::TrafficMap map = random_map(random);
        const std::string json = as_json(map);
        const std::string yaml = as_yaml(map);
        EXPECT_EQ(read_one(json), map) << json;
        ASSERT_EQ(read_one(yaml), map) << yaml;
    }
}

TEST(TrafficMapDocument, SeveralAreAList) {
    Random random(7);
    for (const std::size_t count : {0U, 1U, 2U, 5U}) {
        std::vector<routing::TrafficMap> maps;
        while (maps.size() < count) {
            maps.push_back(random_map(random));
        }
        for (const std::string& text : {traffic_maps_json(maps), traffic_maps_yaml(maps)}) {
            const auto read = read_traffic_maps(text);
            ASSERT_TRUE(read) << read.error().message;
            ASSERT_EQ(read->size(), count) << text;
            for (std::size_t at = 0; at < count; ++at) {
                EXPECT_EQ(*(*read)[at].map, maps[at]);
            }
        }
    }
    EXPECT_EQ(traffic_maps_json({}),
              R"({"apiVersion":"v1","items":[],"kind":"List"})"
              "\n");
    EXPECT_EQ(traffic_maps_yaml({}), "apiVersion: v1\nitems: []\nkind: List\n");
}

TEST(TrafficMapDocument, IgnoresWhatItDoesNotKnow) {
    const auto map = read_one(
        R"({"kind":"TrafficMap","metadata":{"name":"x","managedFields":[1]},"spec":{"entries":[)"
        R"({"cluster":"a","new":true,"capacity":{"factor":2,"unit":"x"}}]},"extra":{}})");
    EXPECT_EQ(map.spec.entries.at(0).capacity.factor, "2");
}

TEST(TrafficMapDocument, NamesFieldAndRule) {
    const auto with_spec = [](const std::string& spec) {
        return problem(
            R"({"kind":"TrafficMap","metadata":{"name":"x"},"spec":{"entries":[{"cluster":"a",)" +
            spec + "}]}}");
    };
    EXPECT_EQ(with_spec(R"("weight":1000001)"),
              "line 1: spec.entries[0].weight: 1000001 must be an integer from 0 to 1000000");
    EXPECT_EQ(with_spec(R"("healthy":"true")"),
              "line 1: spec.entries[0].healthy: \"true\" must be true or false");
    EXPECT_EQ(with_spec(R"("capacity":{"source":"Magic"})"),
              "line 1: spec.entries[0].capacity.source \"Magic\" must be ControlPlane or Endpoint");
    EXPECT_EQ(
        with_spec(R"("probe":{"result":"Maybe"})"),
        "line 1: spec.entries[0].probe.result \"Maybe\" must be Passing, Failing, or Unknown");
    EXPECT_EQ(with_spec(R"("probe":{"lastProbeTime":"yesterday"})"),
              "line 1: spec.entries[0].probe.lastProbeTime \"yesterday\" must be an RFC 3339 time "
              "with a zone, of the years 0000 to 9999 in UTC");
    EXPECT_EQ(with_spec(R"("drainRefs":["a",5])"),
              "line 1: spec.entries[0].drainRefs[1]: 5 must be a text");
    EXPECT_EQ(problem("kind: TrafficMap\nmetadata: {name: x}\nstatus:\n  conditions:\n  - type: A\n"
                      "    status: true\n"),
              "line 6: status.conditions[0].status: true must be a text");
}

}  // namespace
}  // namespace ome::wire
