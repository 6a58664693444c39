#include "replay_comparison.hpp"

#include "replay_fixture.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::observer {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

ReplayComparison example() {
    RecordingText recording;
    recording.declared(capacity_block(3, 2) + "," + probe_block(2))
        .reports({4, 4, 1, 4, 4, 4, 1, 1, 1, 1});
    std::string errors;
    auto found =
        compare(recording.text(),
                {{"as recorded", std::nullopt}, {"quick", policies_in_text(capacity_block(1, 1))}},
                "",
                errors);
    EXPECT_TRUE(found) << found.error().message;
    EXPECT_EQ(errors, "");
    return std::move(*found);
}

TEST(ReplayComparison, ATableComparesPolicies) {
    EXPECT_EQ(comparison_table(example()),
              "a of s, 2026-09-28T10:00:00.000Z to 2026-09-28T10:01:30.000Z, plan 4 (the highest "
              "report), 10 reports, 0 failed polls, 0 probes\n"
              "\n"
              "POLICY       CHANGES  FOLLOWED  LAG MEDIAN  LAG LONGEST  OVERTAKEN  PENDING  DROPS  "
              "FALSE  UNDECIDED\n"
              "as recorded  1        1         10s         10s          0          0        1      "
              "0      0\n"
              "quick        1        1         0s          0s           0          0        2      "
              "1      0\n");
}

TEST(ReplayComparison, ADocumentHasEveryChangeAndDrop) {
    const std::string text = comparison_json(example());
    EXPECT_TRUE(text.ends_with("}\n"));
    const json::object document = json::parse(text).as_object();
    EXPECT_EQ(document.at("home"), "a");
    EXPECT_EQ(document.at("plan"), 4);
    const json::object quick = document.at("policies").as_array().at(1).as_object();
    EXPECT_EQ(quick.at("policy"), "quick");
    EXPECT_EQ(quick.at("figures").at("falseDrops"), 1);
    EXPECT_EQ(quick.at("figures").at("longestLagMilliseconds"), 0);
    EXPECT_EQ(json::serialize(quick.at("drops").at(0)),
              R"({"at":"2026-09-28T10:00:20.000Z","cause":"ceiling","from":4,"to":1,)"
              R"("verdict":"false"})");
    EXPECT_EQ(json::serialize(quick.at("changes").at(0)),
              R"({"at":"2026-09-28T10:01:00.000Z","from":4,"to":1,"ending":"followed",)"
              R"("until":"2026-09-28T10:01:00.000Z"})");
}

TEST(ReplayComparison, LagsAreShort) {
    EXPECT_EQ(lag_text(std::nullopt), "-");
    EXPECT_EQ(lag_text(2003ms), "2s");
    EXPECT_EQ(lag_text(1519ms), "1.52s");
    EXPECT_EQ(lag_text(61s), "1m1s");
}

TEST(ReplayComparison, APolicyIsSummedUp) {
    EXPECT_EQ(summary_of({}), "no polls; no probes");
    EXPECT_EQ(summary_of(policies_in_text(capacity_block(4, 3) + "," + probe_block(1))),
              "samples 4, quorum 3, maxAge 40s; gated after 1 failure, open after 1 pass");
}

TEST(ReplayComparison, NamesAreFitForATerminal) {
    ReplayComparison comparison = example();
    comparison.home = "a\x1b[2J";
    comparison.service.clear();
    EXPECT_EQ(name_of_home(comparison), "a");
}

}  // namespace
}  // namespace ome::observer
