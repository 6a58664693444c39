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
    expect("[]", DocumentKind::Other, "a list");
    expect("5", DocumentKind::Other, "a lone value");
    expect("{", DocumentKind::Unreadable, "");
    expect("kind: A\n---\nkind: TrafficMap\n---\nkind: A\n",
           DocumentKind::Several,
           "an A and a TrafficMap");
}

TEST(DocumentKind, KeepsATerminalClean) {
    EXPECT_EQ(find_kind("kind: \"a\\e[31mb\"").words, "a ab");
    EXPECT_LT(find_kind("kind: " + std::string(5000, 'x')).words.size(), 100U);
}

}  // namespace
}  // namespace ome::wire
