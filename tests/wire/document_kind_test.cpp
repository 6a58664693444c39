#include <ome/wire/document_kind.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

void expect(std::string_view text, DocumentKind kind, std::string_view words) {
    const FoundKind found = find_kind(text);
    EXPECT_EQ(found.kind, kind) << text;
    EXPECT_EQ(found.words, words);
}

TEST(DocumentKind, NamesWhatItKnows) {
    expect("kind: TrafficMap", DocumentKind::Other, "a TrafficMap");
    expect(R"({"kind":"InferenceService"})", DocumentKind::Other, "an InferenceService");
    expect("kind: ConfigMap", DocumentKind::Configuration, "a ConfigMap");
    expect("routing: {}", DocumentKind::Configuration, "a multicluster configuration");
    expect("ome: {multicluster: {}}", DocumentKind::Other, "values of the chart");
    expect(R"({"services":[]})", DocumentKind::Readings, "a list of services (`services`)");
    expect("homes: []", DocumentKind::Readings, "a reading or a declaration (`homes`)");
    expect("kind: List\nitems: []\n", DocumentKind::EmptyList, "an empty List");
    expect(R"({"kind":"TrafficMapList","items":[]})", DocumentKind::EmptyList, "an empty List");
    expect("kind: List\nitems:\n- kind: Secret\n", DocumentKind::Other, "a List of Secret");
}

TEST(DocumentKind, DescribesTheRest) {
    expect("", DocumentKind::Nothing, "an empty file");
    expect("{}", DocumentKind::Unknown, "an empty object");
    expect(R"({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6})",
           DocumentKind::Unknown,
           "an object with a, b, c, d, e, ...");
    expect("[]", DocumentKind::List, "a list");
    expect("5", DocumentKind::Other, "a lone value");
    expect("{", DocumentKind::Unreadable, "");
    expect("kind: A\n---\nkind: TrafficMap\n---\nkind: A\n",
           DocumentKind::Several,
           "an A and a TrafficMap");
}

std::string message(const std::optional<core::Problem>& problem) {
    return problem ? problem->message : "none";
}

TEST(DocumentKind, TellsConfigurationsFromFilesOfAnotherSubject) {
    for (const char* one : {"routing: {}", "{}", "kind: ConfigMap", "endpoint: {}", "{\"a\":,}"}) {
        EXPECT_EQ(message(other_than_configuration(one)), "none") << one;
    }
    EXPECT_EQ(message(other_than_configuration(R"([{"homes":[]}])")),
              "this is a list, expected a multicluster configuration (`routing`) or the ConfigMap "
              "that holds it");
    for (const char* other : {"homes: []",
                              "services: []",
                              "kind: InferenceService",
                              "{\"capacity\":{},\"probe\":{}}",
                              "",
                              "5"}) {
        EXPECT_TRUE(message(other_than_configuration(other)).starts_with("this is a")) << other;
    }
}

TEST(DocumentKind, TellsServicesFromFilesOfAnotherSubject) {
    for (const char* one : {"homes: []", "[]", "services: []", "{\"a\":,}", "", "name: a", "{}"}) {
        EXPECT_EQ(message(other_than_services(one)), "none") << one;
    }
    EXPECT_EQ(message(other_than_services("routing: {}")),
              "this is a multicluster configuration, expected declarations of services: a list, "
              "`services` or one of them");
    for (const char* other : {"kind: InferenceService", "just words", "ome: {multicluster: {}}"}) {
        EXPECT_TRUE(message(other_than_services(other)).starts_with("this is ")) << other;
    }
}

TEST(DocumentKind, KeepsATerminalClean) {
    EXPECT_EQ(find_kind("kind: \"a\\e[31mb\"").words, "a ab");
    EXPECT_LT(find_kind("kind: " + std::string(5000, 'x')).words.size(), 100U);
}

}  // namespace
}  // namespace ome::wire
