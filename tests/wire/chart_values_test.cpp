#include "chart_values.hpp"

#include "routing/publication_cases.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/wire/config_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

void set_path(json::object& root, std::string_view path, const json::value& value) {
    const std::size_t dot = path.find('.');
    if (dot == path.npos) {
        root[path] = value;
        return;
    }
    json::value& inside = root[path.substr(0, dot)];
    set_path(inside.is_object() ? inside.get_object() : inside.emplace_object(),
             path.substr(dot + 1),
             value);
}

void add_absent(json::object& config, const std::string& block, const json::object& valid) {
    json::object& members = config["routing"].as_object()[block].as_object();
    members.insert(valid.begin(), valid.end());
}

const json::object valid_probe{{"path", "/v1/models"},
                               {"method", "GET"},
                               {"acceptStatuses", json::array{200}},
                               {"gateStatuses", json::array{503}},
                               {"period", "10s"},
                               {"timeout", "3s"},
                               {"failureThreshold", 3},
                               {"successThreshold", 2},
                               {"allFailedPolicy", "Drain"}};
const json::object valid_capacity{{"path", "/capacity"},
                                  {"method", "GET"},
                                  {"format", "Report"},
                                  {"period", "10s"},
                                  {"timeout", "3s"},
                                  {"samples", 4},
                                  {"quorum", 3},
                                  {"maxAge", "40s"}};

struct Values {
    json::object multicluster;  ///< `enabled`, `role`, `config`
    std::string unknown;
};

Values values_of(const json::object& input) {
    Values made;
    json::object config;
    for (const auto& [key, value] : input) {
        if (key == "enabled" || key == "role") {
            made.multicluster[key] = value;
        } else if (key.starts_with("routing.") || key.starts_with("endpoint.")) {
            set_path(config, key, value);
        }
    }
    for (const auto& [key, value] : input) {
        if (key == "otherProbeFields") {
            add_absent(config, "probe", valid_probe);
        } else if (key == "otherCapacityFields") {
            add_absent(config, "capacity", valid_capacity);
        } else if (key != "enabled" && key != "role" && key != "values" &&
                   !key.starts_with("routing.") && !key.starts_with("endpoint.")) {
            made.unknown += std::string(key) + " ";
        }
    }
    made.multicluster["config"] = std::move(config);
    return made;
}

std::string chart_errors(const json::object& multicluster) {
    Source source;
    source.value = json::object{{"ome", json::object{{"multicluster", multicluster}}}};
    std::string all;
    for (const core::Problem& problem : read_chart_values(std::move(source)).notes.errors) {
        all += problem.message + "\n";
    }
    return all;
}

// As the controller starts with what the chart renders; empty: it does.
std::string start_error(const json::object& multicluster) {
    const json::value config = chart_configuration(multicluster.at("config"));
    const auto read = read_config_value(json::serialize(config));
    if (!read) {
        return read.error().message;
    }
    const auto problem = core::configuration_error(read->routing, read->gateway);
    return problem ? problem->message : "";
}

std::string reason_of_a_map(const json::object& multicluster) {
    const auto read =
        read_config_value(json::serialize(chart_configuration(multicluster.at("config"))));
    test::PublicationBench bench;
    const auto resync = bench.settings.resync_interval;
    bench.settings = routing::publication_settings(read->routing, read->gateway);
    bench.settings.active = true;
    bench.settings.resync_interval = resync;
    bench.service.global_host = "chat.example.com";
    return std::string(routing::reason_of(bench.run()->what));
}

// Elsewhere: the rights on a workload cluster are those of a manifest, which
// tests/kube/kube_publication_server_test.cpp compares. And a Deployment that only a chart renders:
// the controller itself needs no roll to take up a changed file.
bool is_of_a_manifest(const json::object& expect) {
    return expect.contains("clusterRole");
}
bool is_of_a_deployment(const json::object& expect) {
    return expect.contains("annotation checksum/config");
}

void check(const json::object& example) {
    const json::object& expect = example.at("expect").as_object();
    const Values values = values_of(example.at("input").as_object());
    ASSERT_EQ(values.unknown, "");
    const json::object config = chart_configuration(values.multicluster.at("config")).as_object();
    const std::string rendered = chart_errors(values.multicluster);
    for (const auto& [key, expected] : expect) {
        const std::string name(key);
        const std::string text =
            expected.is_string() ? std::string(expected.as_string()) : std::string();
        if (name.starts_with("multicluster.")) {
            EXPECT_EQ(config.at(name.substr(name.find('.') + 1)), expected);
        } else if (name == "absentKeys") {
            for (const json::value& absent : expected.as_array()) {
                EXPECT_FALSE(config.at("routing").as_object().contains(absent.as_string()));
            }
        } else if (name == "templateFails" || name == "renderedJSONValid") {
            EXPECT_EQ(json::value(rendered.empty() == (name == "renderedJSONValid")), expected);
        } else if (name == "messageContains" || name == "errorStartsWith") {
            EXPECT_THAT(rendered, HasSubstr(text));
        } else if (name == "managerStarts") {
            const bool starts = start_error(values.multicluster).empty() &&
                                (rendered.empty() || !expect.contains("renderedJSONValid"));
            EXPECT_EQ(json::value(starts), expected) << start_error(values.multicluster);
        } else if (name == "error") {
            EXPECT_EQ(start_error(values.multicluster), text);
        } else if (name == "perMapReason") {
            EXPECT_EQ(reason_of_a_map(values.multicluster), text);
        } else {
            ADD_FAILURE() << "unknown key " << name;
        }
    }
}

TEST(ChartValues, AreAsTheExamplesSay) {
    const auto examples = test::cases_of("publisher-cli.json", "chart_values");
    std::size_t elsewhere = 0;
    for (const json::object& example : examples) {
        const json::object& expect = example.at("expect").as_object();
        if (is_of_a_manifest(expect) || is_of_a_deployment(expect)) {
            ++elsewhere;
            continue;
        }
        SCOPED_TRACE(std::string(example.at("name").as_string()));
        check(example);
    }
    EXPECT_FALSE(examples.empty());
    EXPECT_EQ(elsewhere, 2U) << "one of each";
}

}  // namespace
}  // namespace ome::wire
