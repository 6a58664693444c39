// A real API server takes every kind of map that the controller writes, and keeps all of it: maps
// of random runs, and those of the cases. A field that the type lacks is refused here (a strict
// field validation), one that it changes is seen by comparing.
#include "kube/servers.hpp"
#include "model/simulation.hpp"
#include "support/run.hpp"
#include "support/source_file.hpp"
#include <ome/kube/client.hpp>
#include <ome/wire/status_apply.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::uint64_t rounds = 30;

json::object document_of(const routing::TrafficMap& map) {
    std::string text;
    wire::append_traffic_map_json(text, map);
    return json::parse(text).as_object();
}

/// What makes two maps the same for a type: all but times, versions and what the API server sets.
std::string kind_of(const json::object& document) {
    json::value shape = document;
    shape.as_object().erase("metadata");
    if (json::value* entries = shape.at("spec").as_object().if_contains("entries")) {
        for (json::value& entry : entries->as_array()) {
            if (json::value* probe = entry.as_object().if_contains("probe")) {
                probe->as_object().erase("lastProbeTime");
            }
        }
    }
    if (json::value* status = shape.as_object().if_contains("status")) {
        for (json::value& condition : status->at("conditions").as_array()) {
            condition.as_object().erase("lastTransitionTime");
            condition.as_object().erase("observedGeneration");
        }
        status->as_object().erase("sourceUID");
    }
    shape.at("spec").as_object().erase("observedISVCGeneration");
    return json::serialize(shape);
}

/// One map of each kind.
std::map<std::string, routing::TrafficMap> maps_of_random_runs() {
    std::map<std::string, routing::TrafficMap> maps;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        model::Simulation simulation(seed);
        simulation.on_written([&](const routing::TrafficMap& map) {
            maps.try_emplace(kind_of(document_of(map)), map);
        });
        simulation.run(60s);
    }
    return maps;
}

/// `spec.entries.weight`: the names of all members.
void add_fields(const std::string& at, const json::value& value, std::set<std::string>& fields) {
    if (const json::array* items = value.if_array()) {
        for (const json::value& item : *items) {
            add_fields(at, item, fields);
        }
    }
    if (const json::object* members = value.if_object()) {
        for (const auto& member : *members) {
            const std::string name = at + "." + std::string(member.key());
            fields.insert(name);
            add_fields(name, member.value(), fields);
        }
    }
}

/// Those that the type has.
void add_typed_fields(const std::string& at,
                      const json::value& schema,
                      std::set<std::string>& fields) {
    if (const json::value* items = schema.as_object().if_contains("items")) {
        add_typed_fields(at, *items, fields);
    }
    if (const json::value* properties = schema.as_object().if_contains("properties")) {
        for (const auto& property : properties->as_object()) {
            const std::string name = at + "." + std::string(property.key());
            fields.insert(name);
            add_typed_fields(name, property.value(), fields);
        }
    }
}

std::set<std::string> fields_of_routing() {
    const json::value crd = json::parse(
        kube_servers().kubectl({"get", "crd", "trafficmaps.ome.io", "-o", "json"}).output);
    const json::value& top = crd.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties");
    std::set<std::string> fields;
    add_typed_fields("spec", top.at("spec"), fields);
    add_typed_fields("status.conditions", top.at_pointer("/status/properties/conditions"), fields);
    return fields;
}

json::array sorted(const json::value& conditions) {
    json::array all = conditions.as_array();
    std::sort(all.begin(), all.end(), [](const json::value& a, const json::value& b) {
        return a.at("type").as_string() < b.at("type").as_string();
    });
    return all;
}

/// By the case's name.
std::map<std::string, json::value> specs_of_cases() {
    std::ifstream in(source_file("tests/cases/trafficmap.json"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const json::value all = json::parse(text);
    std::map<std::string, json::value> specs;
    for (const json::value& entry : all.as_array()) {
        if (const json::value* spec = entry.at("expect").as_object().if_contains("spec")) {
            specs.try_emplace(std::string(entry.at("name").as_string()), *spec);
        }
    }
    return specs;
}

class MapAcceptance : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            client = std::make_unique<kube::Client>(io, kube_servers().access());
            ns = make_namespace();
        }
    }

    kube::Outcome<json::value> send(const char* method,
                                    const std::string& target,
                                    const char* type,
                                    const json::object& body) {
        kube::ApiRequest request;
        request.method = method;
        request.target = target + "?fieldManager=test&fieldValidation=Strict";
        request.content_type = type;
        request.body = json::serialize(body);
        return run(io, client->call(std::move(request)));
    }

    kube::Outcome<json::value> create(const std::string& name, const json::value& spec) {
        return send("POST",
                    collection_path(kube::traffic_maps, ns),
                    "application/json",
                    {{"apiVersion", "ome.io/v1beta1"},
                     {"kind", "TrafficMap"},
                     {"metadata", {{"name", name}}},
                     {"spec", spec}});
    }

    /// As the controller writes it: a status apply with all that the routing owns.
    kube::Outcome<json::value> write_status(const json::value& stored,
                                            const routing::TrafficMap& map) {
        routing::ObjectMeta meta = wire::read_traffic_map(stored).value().meta;
        const wire::StatusApply apply =
            wire::routing_status_apply(meta, map.status.source_uid, map.status.conditions);
        return send("PATCH",
                    object_path(kube::traffic_maps, ns, meta.key.name, apply.subresource),
                    "application/apply-patch+yaml",
                    apply.body);
    }

    net::asio::io_context io{1};
    std::unique_ptr<kube::Client> client;
    std::string ns;
};

TEST_F(MapAcceptance, EveryKindOfMapOfRandomRunsIsKeptAsItIsWritten) {
    const auto maps = maps_of_random_runs();
    std::size_t count = 0;
    for (const auto& [kind, map] : maps) {
        const json::object sent = document_of(map);
        const auto stored = create(fmt::format("random-{}", ++count), sent.at("spec"));
        ASSERT_TRUE(stored) << stored.error().message << "\n" << sent;
        EXPECT_EQ(stored->at("spec"), sent.at("spec"));
        const auto with_status = write_status(*stored, map);
        ASSERT_TRUE(with_status) << with_status.error().message << "\n" << sent;
        EXPECT_EQ(with_status->at("spec"), sent.at("spec"));
        ASSERT_FALSE(HasFailure()) << sent;
        EXPECT_EQ(sorted(with_status->at("status").at("conditions")),
                  sorted(sent.at("status").at("conditions")))
            << "as a folder has them";
        // Its order is the server's.
        routing::TrafficMap kept = wire::read_traffic_map(*with_status).value();
        EXPECT_EQ(kept.status.source_uid, map.status.source_uid);
        EXPECT_THAT(kept.status.conditions,
                    testing::UnorderedElementsAreArray(map.status.conditions));
    }
    std::cout << count << " kinds of maps\n";
    EXPECT_GT(count, 5 * rounds);
}

TEST_F(MapAcceptance, EveryMapOfTheCasesIsKeptAsItIsWritten) {
    int count = 0;
    for (const auto& [name, spec] : specs_of_cases()) {
        const auto stored = create(fmt::format("case-{}", ++count), spec);
        ASSERT_TRUE(stored) << name << ": " << stored.error().message;
        EXPECT_EQ(stored->at("spec"), spec) << name;
    }
    std::cout << count << " maps\n";
    EXPECT_GT(count, 20);
}

TEST_F(MapAcceptance, TheseMapsHaveEveryFieldThatTheRoutingWrites) {
    std::set<std::string> written;
    for (const auto& [name, spec] : specs_of_cases()) {
        add_fields("spec", spec, written);
    }
    for (const auto& [kind, map] : maps_of_random_runs()) {
        const json::object document = document_of(map);
        add_fields("spec", document.at("spec"), written);
        add_fields("status.conditions", document.at("status").at("conditions"), written);
    }
    EXPECT_EQ(written, fields_of_routing());
}

// What the first two rest on.
TEST_F(MapAcceptance, AFieldThatTheTypeLacksIsRefused) {
    const auto stored = create("odd", {{"service", "odd"}, {"flavour", "plain"}});
    ASSERT_FALSE(stored);
    EXPECT_THAT(stored.error().message, testing::HasSubstr("unknown field \"spec.flavour\""));
}

}  // namespace
}  // namespace ome::test
