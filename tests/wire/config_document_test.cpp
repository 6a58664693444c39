#include <ome/wire/config_document.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

constexpr std::string_view load_prefix =
    "load multi-cluster configuration: unable to parse multicluster config json: unable to "
    "unmarshall multicluster json string due to ";

// What stands between the prefix and the space at the end.
std::string cause(std::string_view text) {
    const auto read = read_config(text);
    if (read) {
        return "none";
    }
    const std::string& message = read.error().message;
    EXPECT_TRUE(message.starts_with(load_prefix) && message.ends_with(' ')) << message;
    return message.substr(load_prefix.size(), message.size() - load_prefix.size() - 1);
}

TEST(ConfigDocument, ReadsJsonAndYamlAlike) {
    for (const char* text :
         {R"({"routing":{"enabled":true,"observer":{"minPeriod":"1s","maxSamples":100}}})",
          "routing:\n  enabled: true\n  observer: {minPeriod: 1s, maxSamples: 100}\n",
          "multicluster:\n  routing:\n    enabled: true\n    observer:\n      minPeriod: 1s\n"
          "      maxSamples: 100\n",
          "kind: ConfigMap\ndata:\n  multicluster: |\n    {\"routing\":{\"enabled\":true,\n"
          "     \"observer\":{\"minPeriod\":\"1s\",\"maxSamples\":100}}}\n"}) {
        const auto read = read_config(text);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->routing.enabled, true);
        EXPECT_EQ(read->routing.observer.min_period, "1s");
        EXPECT_EQ(read->routing.observer.max_samples, 100);
        EXPECT_FALSE(read->routing.observer.max_response_bytes.has_value());
        EXPECT_TRUE(read->warnings.empty());
    }
}

TEST(ConfigDocument, TakesAConfigMapWithoutTheKeyAsOff) {
    const auto read = read_config("kind: ConfigMap\ndata: {other: x}\n");
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->routing.enabled.has_value());
    EXPECT_EQ(read->warnings.size(), 1U);
}

TEST(ConfigDocument, SaysWhichMemberTurnsRoutingOff) {
    const auto off = [](const char* text) {
        const auto read = read_config(text);
        return read ? read->routing_off : read.error().message;
    };
    EXPECT_EQ(off("routing: {enabled: true}"), "");
    EXPECT_EQ(off("routing: {Enabled: true}"), "") << "as OME reads it";
    EXPECT_EQ(off("routing: {enabled: false}"), "routing.enabled is false");
    EXPECT_EQ(off("routing: {}"), "routing.enabled is not set");
    EXPECT_EQ(off("endpoint: {}"), "routing.enabled is not set");
    EXPECT_EQ(off("routing: {enabeld: true}"),
              "routing.enabled is not set; routing.enabeld is not known and is ignored; did you "
              "mean enabled?");
    EXPECT_EQ(off("routng: {enabled: true}\nendpoint: {}\n"),
              "routing.enabled is not set; routng is not known and is ignored; did you mean "
              "routing?");
    EXPECT_EQ(off("routing: {enabled: false, enabeld: true}"), "routing.enabled is false");
    EXPECT_EQ(off("routing: {probe: {enabeld: true}}"), "routing.enabled is not set");
    EXPECT_EQ(off("kind: ConfigMap\ndata: {other: x}\n"), "data.multicluster is absent");
}

TEST(ConfigDocument, WantsJsonInsideAConfigMap) {
    EXPECT_NE(cause("kind: ConfigMap\ndata:\n  multicluster: |\n    routing: {}\n"), "none");
    EXPECT_FALSE(read_config_value("routing: {enabled: true}"));
}

TEST(ConfigDocument, NamesFieldValueAndTypeOfWhatItCannotRead) {
    EXPECT_EQ(cause(R"({"routing":{"probe":{"period":10}}})"),
              "routing.probe.period: 10 must be a duration in quotes (use forms like \"30s\", "
              "\"5m\")");
    EXPECT_EQ(cause("routing: {capacity: {samples: 4.5}}").substr(0, 44),
              "routing.capacity.samples: 4.5 must be an int");
    EXPECT_EQ(cause("routing: {enabled: 'true'}"),
              "routing.enabled: \"true\" must be true or false");
    EXPECT_EQ(cause("routing: {capacity: {options: {a: 1}}}"),
              "routing.capacity.options.a: 1 must be a text");
    EXPECT_EQ(cause("routing: {probe: {gateStatuses: [500, x]}}").substr(0, 44),
              "routing.probe.gateStatuses[1]: \"x\" must be a");
    EXPECT_EQ(cause("routing: true"), "routing: true must be an object");
    EXPECT_EQ(cause("[]"), "the configuration: [] must be an object");
}

TEST(ConfigDocument, RefusesCountsBeyond32Bits) {
    EXPECT_EQ(cause(R"({"routing":{"probe":{"failureThreshold":2147483647}}})"), "none");
    EXPECT_EQ(cause(R"({"routing":{"probe":{"failureThreshold":2147483648}}})"),
              "routing.probe.failureThreshold: 2147483648 must be an integer from 1 to "
              "2147483647");
}

TEST(ConfigDocument, RefusesMembersGivenTwice) {
    EXPECT_EQ(cause(R"({"routing":{"enabled":true,"enabled":false}})"),
              "routing.enabled is given twice");
    EXPECT_EQ(cause("routing:\n  enabled: true\n  enabled: false\n"),
              "routing.enabled is given twice");
}

TEST(ConfigDocument, WarnsOfUnknownMembersAndOfOtherCapitals) {
    const auto read = read_config(
        R"({"routing":{"Enabled":true,"probes":{},"probe":{"disabled":true}},"placement":{"x":1}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->routing.enabled, true);
    ASSERT_EQ(read->warnings.size(), 3U);
    EXPECT_EQ(read->warnings[0].message, "routing.Enabled is read as enabled");
    EXPECT_EQ(read->warnings[1].message, "routing.probe.disabled is not known and is ignored");
    EXPECT_EQ(read->warnings[2].field, "routing.probes");
}

TEST(ConfigDocument, TakesNullForAbsent) {
    const auto read = read_config(R"({"routing":{"probe":null,"observer":{"minPeriod":null}}})");
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->routing.observer.min_period.has_value());
}

TEST(ConfigDocument, TakesOneDocumentOnly) {
    EXPECT_EQ(cause("routing: {}\n---\nrouting: {}\n"),
              "the file holds 2 documents, it must hold 1");
    EXPECT_EQ(cause(""), "the file holds 0 documents, it must hold 1");
}

}  // namespace
}  // namespace ome::wire
