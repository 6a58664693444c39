// The worked examples of the command line: every case of the groups cli_output and drain_annotation
// of publisher-cli.json. What a case says is set up or looked at by its keys, so that others of the
// same shape run as well; a key that is not known fails.
#include "kubectl/fake_cluster.hpp"
#include "members.hpp"
#include "support/source_file.hpp"
#include <ome/core/policy_settings.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/routing/traffic_pass.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace ome::kubectl::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<json::object> cases_of(std::string_view group) {
    std::ifstream file(ome::test::source_file("tests/cases/publisher-cli.json"));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const json::value all = json::parse(text);
    std::vector<json::object> cases;
    for (const json::value& one : all.as_array()) {
        if (one.at("group").as_string() == group) {
            cases.push_back(one.as_object());
        }
    }
    return cases;
}

std::string text(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

json::object condition(const std::string& type,
                       const std::string& status,
                       const std::string& reason,
                       std::int64_t generation) {
    return {{"type", type},
            {"status", status},
            {"reason", reason},
            {"observedGeneration", generation},
            {"lastTransitionTime", "2026-10-01T11:00:00Z"}};
}

class CliCase {
public:
    explicit CliCase(const json::object& given)
        : input_(given.at("input").as_object()), expect_(given.at("expect").as_object()) {}

    void run() {
        set_up();
        world_.cluster.default_ns = text(meta()["namespace"]);
        world_.cluster.put(Kind::InferenceService, service_);
        world_.cluster.put(Kind::TrafficMap, map_);
        if (!command_.empty()) {
            exit_ = world_.run(command_);
        }
        for (const auto& [key, wanted] : expect_) {
            check(std::string(key), wanted);
        }
    }

private:
    json::object& meta() { return map_.as_object()["metadata"].as_object(); }
    json::object& spec() { return map_.as_object()["spec"].as_object(); }
    json::object& status() { return map_.as_object()["status"].as_object(); }
    json::array& conditions() { return status()["conditions"].as_array(); }

    void set_up() {
        for (const auto& [key, value] : input_) {
            set(std::string(key), value);
        }
    }

    void set(const std::string& key, const json::value& value) {
        if (key == "cmd") {
            command_ = text(value);
            set_up_command();
        } else if (key == "context") {
            EXPECT_EQ(text(value), world_.cluster.context());
        } else if (key == "api") {
            world_.cluster.failures = {
                {"get TrafficMap", {value == 403 ? Failure::Forbidden : Failure::Unauthorized}}};
        } else if (key == "inferenceservice") {
            world_.cluster.failures = {{"get InferenceService", {Failure::NotFound}}};
        } else if (key == "trafficmap.ownerReferences") {
            meta()["ownerReferences"].as_array()[0].as_object()["uid"] = "another";
        } else if (key == "generation" || key == "mapGeneration") {
            meta()["generation"] = value;
        } else if (key == "namespace") {
            meta()["namespace"] = value;
            meta()["name"] = "checkout";
        } else if (key == "entries") {
            set_entries(value);
        } else if (key == "entry") {
            set_entry(value.as_object());
        } else if (key == "conditionsGeneration") {
            const std::int64_t generation = value.as_int64();
            conditions() = {condition("Routable", "True", "Routable", generation),
                            condition("Published", "True", "Published", generation),
                            condition("OverrideActive", "True", "OverridesApplied", generation)};
        } else if (key == "observedTrafficMapGeneration") {
            status()[key] = value;
        } else if (key == "gatewayRef") {
            status()[key] = value;
        } else if (key == "status.published") {
            status()["published"] = value;
        } else if (key == "publishedCondition") {
            if (const json::object* given = value.if_object()) {
                conditions().push_back(condition("Published",
                                                 text(given->at("status")),
                                                 text(given->at("reason")),
                                                 given->at("observedGeneration").as_int64()));
            }
        } else if (key == "pairs") {
            pairs_ = value.as_array();
        } else if (key == "probe.lastProbeTime") {
            EXPECT_EQ(text(value), "now+1h");
            spec()["entries"].as_array()[0].as_object()["probe"] = json::object{
                {"result", "Passing"},
                {"policyDigest", "sha256:" + std::string(64, 'a')},
                {"lastProbeTime", core::format_timestamp(world_.now + std::chrono::hours(1))}};
        } else {
            ADD_FAILURE() << "unknown input " << key;
        }
    }

    void set_up_command() {
        if (command_.find("undrain") != std::string::npos) {
            service_.as_object()["metadata"].as_object()["annotations"] = json::object{
                {"ome.io/traffic-drain",
                 R"({"maintenance-a":{"cluster":"worker-a","reason":"planned maintenance"}})"}};
        }
    }

    void set_entries(const json::value& value) {
        json::array entries;
        if (const json::array* list = value.if_array()) {
            for (const json::value& one : *list) {
                json::object entry = sample_entry("worker-" + std::to_string(entries.size()),
                                                  one.at("w").as_int64());
                entry["healthy"] = one.at("healthy");
                entries.push_back(std::move(entry));
            }
        } else {
            for (std::int64_t i = 0; i < value.as_int64(); ++i) {
                entries.push_back(sample_entry(fmt::format("worker-{:03}", i), 1));
            }
        }
        spec()["entries"] = std::move(entries);
    }

    void set_entry(const json::object& given) {
        json::object entry = sample_entry("worker-a", 1);
        for (const auto& [key, value] : given) {
            if (key == "drainRefCount") {
                json::array refs;
                for (std::int64_t i = 0; i < value.as_int64(); ++i) {
                    refs.push_back(json::string("d" + std::to_string(i)));
                }
                entry["drainRefs"] = std::move(refs);
            } else {
                entry[key] = value;
            }
        }
        spec()["entries"] = json::array{std::move(entry)};
    }

    const std::string& endpoint(bool wide) {
        std::string& table = wide ? wide_ : narrow_;
        if (table.empty()) {
            World& world = world_;
            world.terminal.output.clear();
            exit_ = world.run(std::string("kubectl ome placement endpoint chat -n prod") +
                              (wide ? " -o wide" : ""));
            table = world.terminal.output;
        }
        return table;
    }

    json::value report() {
        world_.terminal.output.clear();
        EXPECT_EQ(world_.run("kubectl ome placement endpoint chat -n prod -o json"), 0);
        return json::parse(world_.terminal.output);
    }

    std::string column(const std::string& name) {
        if (row_.empty()) {
            world_.terminal.output.clear();
            EXPECT_EQ(world_.run("kubectl ome get tm -A -o wide"), 0);
            row_ = lines_of(world_.terminal.output);
        }
        const std::vector<std::string> header = cells_of(row_.at(0));
        const auto at = std::find(header.begin(), header.end(), name);
        if (at == header.end()) {
            return "<no column " + name + ">";
        }
        return cells_of(row_.at(1)).at(static_cast<std::size_t>(at - header.begin()));
    }

    // With the table of the command, and in the order of the given pairs.
    void check_freshness(const std::string& name, const json::array& wanted) {
        ASSERT_EQ(pairs_.size(), wanted.size());
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            World world;
            json::value service = service_;
            service.as_object()["metadata"].as_object()["generation"] = pairs_[i].at(1);
            json::value map = map_;
            map.as_object()["spec"].as_object()["observedISVCGeneration"] = pairs_[i].at(0);
            world.cluster.put(Kind::InferenceService, service);
            world.cluster.put(Kind::TrafficMap, map);
            EXPECT_EQ(world.run("kubectl ome placement endpoint chat -n prod"), 0);
            EXPECT_EQ(field_of(world.terminal.output, name), text(wanted[i]));
        }
    }

    void check(const std::string& key, const json::value& wanted) {
        if (key == "header") {
            const auto header = cells_of(lines_of(world_.terminal.output).at(0));
            EXPECT_EQ(json::value_from(header), wanted);
        } else if (key == "exit") {
            if (command_.empty()) {
                std::ignore = endpoint(false);
            }
            EXPECT_EQ(exit_, wanted.as_int64()) << world_.terminal.errors;
        } else if (key == "requests") {
            EXPECT_EQ(world_.cluster.requests.size(), wanted.to_number<std::size_t>());
        } else if (key == "patchesSent") {
            EXPECT_EQ(world_.cluster.patches.size(), wanted.to_number<std::size_t>());
        } else if (key == "stdout") {
            EXPECT_EQ(world_.terminal.output, text(wanted));
        } else if (key == "stderr") {
            EXPECT_EQ(world_.terminal.errors, text(wanted) + "\n");
        } else if (key == "stderrContains") {
            EXPECT_THAT(world_.terminal.errors, HasSubstr(text(wanted)));
        } else if (key == "keys" || key == "action" || key == "traffic" || key == "message") {
            check_result(key, wanted);
        } else if (const json::array* several = wanted.if_array()) {
            check_freshness(key, *several);
        } else if (input_.contains("gatewayRef")) {
            EXPECT_EQ(column(key), text(wanted)) << key;
        } else {
            check_endpoint(key, wanted);
        }
    }

    void check_result(const std::string& key, const json::value& wanted) {
        const json::value result = json::parse(world_.terminal.output);
        if (key != "keys") {
            EXPECT_EQ(result.at(key), wanted);
            return;
        }
        json::array keys;
        for (const auto& member : result.as_object()) {
            keys.push_back(json::string(member.key()));
        }
        EXPECT_EQ(keys, wanted);
    }

    void check_endpoint(const std::string& key, const json::value& wanted) {
        constexpr std::string_view prefix = " prefix";
        if (key == "wide") {
            for (const auto& [name, value] : wanted.as_object()) {
                EXPECT_EQ(field_of(endpoint(true), std::string(name)), text(value)) << name;
            }
        } else if (key == "listed") {
            EXPECT_EQ(first_entry().at("drainRefs").as_array().size(),
                      wanted.to_number<std::size_t>());
        } else if (key == "truncated") {
            EXPECT_EQ(first_entry().at("drainPreview").at("truncated"), wanted);
        } else if (key == "rowsShown" || key == "wideRowsShown") {
            EXPECT_EQ(homes_in(endpoint(key != "rowsShown")), wanted.as_int64());
        } else if (key == "issue") {
            EXPECT_EQ(field_of(endpoint(false), "Issue"), text(wanted));
        } else if (key.ends_with(".state")) {
            const std::string name = key.substr(0, key.size() - std::string_view(".state").size());
            EXPECT_THAT(field_of(endpoint(false), name), StartsWith(text(wanted) + " "));
        } else if (key.ends_with(prefix)) {
            EXPECT_THAT(field_of(endpoint(false), key.substr(0, key.size() - prefix.size())),
                        StartsWith(text(wanted)));
        } else {
            EXPECT_EQ(field_of(endpoint(true), cut(key)), text(wanted)) << key;
        }
    }

    // As a cell of the first column shows it.
    static std::string cut(const std::string& name) {
        return name.size() <= 18 ? name : name.substr(0, 15) + "...";
    }

    json::value first_entry() { return report().at("content").at("entries").as_array().at(0); }

    static std::int64_t homes_in(const std::string& table) {
        std::int64_t homes = 0;
        for (const std::string& line : lines_of(table)) {
            homes += line.starts_with("Route home ") ? 1 : 0;
        }
        return homes;
    }

    const json::object& input_;
    const json::object& expect_;
    World world_;
    json::value service_ = sample_service();
    json::value map_ = sample_map(service_, {sample_entry("worker-a", 2)});
    json::array pairs_;
    std::string command_;
    std::string narrow_;
    std::string wide_;
    std::vector<std::string> row_;
    int exit_ = -1;
};

TEST(CliOutput, IsThatOfTheWorkedExamples) {
    const auto cases = cases_of("cli_output");
    ASSERT_FALSE(cases.empty());
    for (const json::object& one : cases) {
        SCOPED_TRACE(text(one.at("name")));
        CliCase(one).run();
    }
}

class DrainCase {
public:
    explicit DrainCase(const json::object& given)
        : input_(given.at("input").as_object()), expect_(given.at("expect").as_object()) {}

    void run() {
        if (input_.contains("parse")) {
            check_parse();
        } else if (input_.contains("drains")) {
            check_weights();
        } else if (input_.contains("reasons")) {
            check_reasons();
        } else {
            check_command();
        }
    }

private:
    void check_parse() {
        const std::string annotation = text(input_.at("parse"));
        const auto drains = routing::parse_drains(annotation);
        for (const auto& [key, wanted] : expect_) {
            if (key == "overrides") {
                json::array found;
                for (const routing::Drain& drain : *drains) {
                    found.push_back(json::object{
                        {"id", drain.id}, {"cluster", drain.cluster}, {"reason", drain.reason}});
                }
                EXPECT_EQ(found, wanted);
            } else if (key == "errorContains") {
                ASSERT_TRUE(drains.has_error());
                EXPECT_THAT(drains.error().message, HasSubstr(text(wanted)));
            } else if (key == "controllerLogPrefix" || key == "mapFrozen") {
                const auto admitted = admitted_with(annotation);
                ASSERT_TRUE(admitted.has_error()) << "the map is frozen";
                if (key == "controllerLogPrefix") {
                    EXPECT_THAT(admitted.error().message, StartsWith(text(wanted)));
                }
            } else {
                ADD_FAILURE() << "unknown expectation " << key;
            }
        }
    }

    static routing::InferenceService placed_service() {
        routing::InferenceService service;
        service.key = {"prod", "chat"};
        service.uid = "u";
        service.placement = routing::PlacementIntent{.policy = "ClusterAffinity", .mode = "All"};
        service.status = routing::PlacementStatus{.phase = "Placed", .candidates = {}};
        return service;
    }

    static core::Result<std::optional<routing::RoutedService>> admitted_with(
        const std::string& annotation) {
        routing::InferenceService service = placed_service();
        service.drains = annotation;
        core::RoutingSettings installation;
        installation.enabled = true;
        return routing::admit(service, installation);
    }

    static void check_entries(const routing::TrafficMapSpec& spec,
                              const json::object& weights,
                              const json::object& refs) {
        for (const routing::Entry& entry : spec.entries) {
            if (weights.contains(entry.cluster)) {
                EXPECT_EQ(entry.weight, weights.at(entry.cluster).as_int64()) << entry.cluster;
            }
            if (refs.contains(entry.cluster)) {
                EXPECT_EQ(json::value_from(entry.drain_refs), refs.at(entry.cluster));
            }
        }
    }

    void check_weights() {
        routing::InferenceService service = placed_service();
        for (const auto& [cluster, weight] : input_.at("baseWeights").as_object()) {
            const auto replicas = static_cast<std::int32_t>(weight.as_int64());
            service.status->candidates.push_back({.cluster = std::string(cluster),
                                                  .phase = "Admitted",
                                                  .endpoint = "https://x.example",
                                                  .admitted_replicas = replicas,
                                                  .ready_replicas = replicas});
        }
        routing::RoutedService routed;
        for (const auto& [id, cluster] : input_.at("drains").as_object()) {
            routed.drains.push_back({std::string(id), text(cluster), "reason"});
        }
        check_entries(routing::build_plan(service, routed, {}).spec,
                      expect_.at("weights").as_object(),
                      expect_.at("drainRefs").as_object());
        constexpr std::string_view after = "afterUndrain ";
        for (const auto& [key, wanted] : expect_) {
            if (!std::string_view(key).starts_with(after)) {
                continue;
            }
            routing::RoutedService later = routed;
            std::erase_if(later.drains, [&](const auto& drain) {
                return drain.id == std::string_view(key).substr(after.size());
            });
            const routing::TrafficMapSpec spec = routing::build_plan(service, later, {}).spec;
            check_entries(spec, wanted.as_object(), {});
            for (const routing::Entry& entry : spec.entries) {
                if (wanted.as_object().contains(entry.cluster)) {
                    EXPECT_EQ(json::value_from(entry.drain_refs), wanted.at("drainRefs"));
                }
            }
        }
    }

    json::value service() {
        json::value service = sample_service();
        json::object& meta = service.as_object()["metadata"].as_object();
        for (const char* name : {"uid", "resourceVersion", "annotations"}) {
            if (input_.contains(name)) {
                meta[name] = input_.at(name);
            }
        }
        if (input_.contains("existingDrains")) {
            json::object drains;
            for (std::int64_t i = 0; i < input_.at("existingDrains").as_int64(); ++i) {
                drains["d" + std::to_string(i)] = json::object{{"cluster", "b"}, {"reason", "r"}};
            }
            meta["annotations"] = json::object{{"ome.io/traffic-drain", json::serialize(drains)}};
        }
        return service;
    }

    std::vector<std::string> command(const std::string& reason) const {
        const std::string verb = text(input_.at("cmd"));
        std::vector<std::string> words{
            "kubectl-ome", "traffic", verb, "chat", "-n", "prod", "--yes", "-o", "json"};
        words.insert(words.end(), {"--id", text(input_.at("id"))});
        if (verb == "drain") {
            words.insert(
                words.end(),
                {"--workload-cluster", text(input_.at("workloadCluster")), "--reason", reason});
        }
        return words;
    }

    void check_reasons() {
        json::array accepted;
        for (const json::value& reason : input_.at("reasons").as_array()) {
            World world;
            world.cluster.put(Kind::InferenceService, service());
            accepted.push_back(world.run_words(command(text(reason))) == 0);
        }
        EXPECT_EQ(accepted, expect_.at("accepted"));
    }

    // What the server says to the patch, told in words.
    static ClusterError answer_of(const std::string& server) {
        if (server.find("empty details") != std::string::npos ||
            server.find("409") != std::string::npos) {
            return {Failure::Conflict};
        }
        return {Failure::Rejected};
    }

    void check_command() {
        World world;
        world.cluster.put(Kind::InferenceService, service());
        if (input_.contains("server")) {
            world.cluster.failures["patch"] = answer_of(text(input_.at("server")));
        }
        const int exit = world.run_words(
            command(input_.contains("reason") ? text(input_.at("reason")) : std::string()));
        const auto& patches = world.cluster.patches;
        for (const auto& [key, wanted] : expect_) {
            if (key == "patch") {
                ASSERT_EQ(patches.size(), 1U) << world.terminal.errors;
                EXPECT_EQ(patches[0].operations, wanted);
            } else if (key == "value") {
                ASSERT_EQ(patches.size(), 1U) << world.terminal.errors;
                EXPECT_EQ(patches[0].operations.back().at("value"), wanted);
            } else if (key == "overrides") {
                const json::value traffic = json::parse(world.terminal.output).at("traffic");
                EXPECT_EQ(
                    json::array({traffic.at("overridesBefore"), traffic.at("overridesAfter")}),
                    wanted);
            } else if (key == "reportedCluster") {
                EXPECT_EQ(json::parse(world.terminal.output).at("traffic").at("cluster"), wanted);
            } else if (key == "error") {
                EXPECT_THAT(world.terminal.errors,
                            testing::EndsWith("error: " + text(wanted) + "\n"));
            } else if (key == "exit") {
                EXPECT_EQ(exit, wanted.as_int64());
            } else if (key == "requests") {
                EXPECT_TRUE(patches.empty());
            } else if (key == "retries") {
                EXPECT_EQ(patches.size(), 1U + wanted.to_number<std::size_t>());
            } else {
                ADD_FAILURE() << "unknown expectation " << key;
            }
        }
    }

    const json::object& input_;
    const json::object& expect_;
};

TEST(DrainAnnotation, IsThatOfTheWorkedExamples) {
    const auto cases = cases_of("drain_annotation");
    ASSERT_FALSE(cases.empty());
    for (const json::object& one : cases) {
        SCOPED_TRACE(text(one.at("name")));
        DrainCase(one).run();
    }
}

}  // namespace
}  // namespace ome::kubectl::test
