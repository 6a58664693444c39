#include <ome/wire/drain_document.hpp>
#include <ome/wire/object_document.hpp>
#include <ome/wire/override_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using testing::HasSubstr;

const routing::Drain drain{"d", "worker-a", "disk < 10% & rising"};
constexpr core::WallTime until{1'790'000'000, 0};

TEST(DrainDocument, WritesWhatItReads) {
    const std::string text = drain_expiries_text({{drain, until}});
    EXPECT_EQ(text,
              R"({"d":{"cluster":"worker-a","reason":"disk \u003c 10% \u0026 rising",)"
              R"("until":"2026-09-21T14:13:20Z"}})");
    const auto read = read_drain_expiries(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, (std::vector<routing::DrainExpiry>{{drain, until}}));
    EXPECT_TRUE(read_drain_expiries(std::nullopt)->empty());
    EXPECT_EQ(drains_text({{"z", "b", "r"}, {"a", "b", "r"}}),
              R"({"a":{"cluster":"b","reason":"r"},"z":{"cluster":"b","reason":"r"}})");
}

TEST(DrainDocument, IsStrictAboutExpiries) {
    for (const char* wrong :
         {"",
          "[]",
          "{",
          R"({"d":"soon"})",
          R"({"d":{"cluster":"a","reason":"r"}})",
          R"({"d":{"cluster":"a","reason":"r","until":"soon"}})",
          R"({"d":{"cluster":"a","reason":"r","until":"2026-09-21T14:13:20Z"},)"
          R"("d":{"cluster":"a","reason":"r","until":"2026-09-21T14:13:20Z"}})"}) {
        const auto read = read_drain_expiries(std::string(wrong));
        ASSERT_FALSE(read) << wrong;
        EXPECT_THAT(read.error().message, HasSubstr("parse ome.io/traffic-drain-expiry: "));
    }
}

// It would be written back as year 10000, which nobody reads.
TEST(DrainDocument, RefusesAnExpiryOfNoYearThatCanBeWritten) {
    const auto read = read_drain_expiries(
        R"({"d":{"cluster":"a","reason":"r","until":"9999-12-31T23:59:59-23:59"}})");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("of the years 0000 to 9999 in UTC"));
    const std::string last = drain_expiries_text({{drain, {253'402'300'799, 0}}});
    EXPECT_THAT(last, HasSubstr("9999-12-31T23:59:59Z"));
    EXPECT_TRUE(read_drain_expiries(last));
}

TEST(OverrideDocument, ChangesAnnotationsAndKeepsTheRest) {
    const auto with = with_annotations("spec: {routing: {enabled: true}}\n", {{"a", "1", false}});
    EXPECT_EQ(*with,
              "spec:\n  routing:\n    enabled: true\nmetadata:\n  annotations:\n    a: \"1\"\n");
    EXPECT_EQ(*with_annotations(*with, {{"a", std::nullopt, false}}),
              "spec:\n  routing:\n    enabled: true\n");
    EXPECT_EQ(*with_annotations("", {{"a", std::nullopt, true}}),
              "metadata:\n  annotations:\n    a: null\n");
    EXPECT_EQ(*with_annotations("metadata: {annotations: {a: x}}", {{"a", std::nullopt, false}}),
              "")
        << "nothing is left to override";
    EXPECT_FALSE(with_annotations("spec: {replicas: 3}", {{"a", "1", false}}))
        << "what is not understood is not overwritten";
}

TEST(ObjectDocument, KeepsWhatItDoesNotKnow) {
    const auto objects = read_objects(
        "kind: A\nx: {b: 1.5, a: [true, null]}\n---\nkind: TList\nitems: [{kind: T}, {kind: U}]\n");
    ASSERT_EQ(objects->size(), 3U);
    EXPECT_EQ(to_yaml_text(with_sorted_members(objects->at(0))),
              "kind: A\nx:\n  a:\n  - true\n  - null\n  b: 1.5\n");
    EXPECT_EQ(to_indented_text(objects->at(1)), "{\n    \"kind\": \"T\"\n}\n");
    EXPECT_FALSE(read_objects("kind: ["));
}

}  // namespace
}  // namespace ome::wire
