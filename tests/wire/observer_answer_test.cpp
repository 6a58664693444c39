#include <ome/core/timestamp.hpp>
#include <ome/wire/observer_answer.hpp>
#include <ome/wire/reading_document.hpp>
#include <ome/wire/watch_line.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

core::WallTime at(const char* text) {
    return *core::parse_timestamp(text);
}

core::ServiceReading reading() {
    core::ServiceReading service{{"team", "chat"}, "uid-1", false, {}};
    core::HomeReading home;
    home.cluster = "worker-a";
    home.endpoint = "http://a.example";
    home.capacity = core::CapacityReading{
        .policy_digest = "sha256:1",
        .ceiling = 0,
        .fallback_reason = "",
        .valid_until = at("2026-09-28T10:00:40.5Z"),
        .samples = {{3, at("2026-09-28T10:00:00Z"), at("2026-09-28T10:00:40Z")}},
        .last_attempt_time = at("2026-09-28T10:00:01Z"),
        .next_attempt_time = {},
    };
    home.probe = core::ProbeReading{
        .policy_digest = "sha256:2",
        .result = core::ProbeResult::Failing,
        .message = "HTTP 503",
        .gated = true,
        .conclusive = true,
        .consecutive_failures = 3,
        .consecutive_passes = 1,
        .last_probe_time = at("2026-09-28T10:00:02Z"),
        .next_attempt_time = at("2026-09-28T10:00:12Z"),
    };
    service.homes = {home, {.cluster = "worker-b", .endpoint = "//b", .capacity = {}, .probe = {}}};
    return service;
}

void expect_same(const core::ServiceReading& a, const core::ServiceReading& b) {
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.owner_uid, b.owner_uid);
    EXPECT_EQ(a.suspended, b.suspended);
    EXPECT_EQ(a.homes, b.homes);
}

TEST(ObserverAnswer, ReadsWhatTheObserverWrites) {
    boost::json::object document = reading_document(reading());
    document["instance"] = "i1";
    document["revision"] = 42;
    const auto answer = read_service_answer(boost::json::serialize(document));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->instance, "i1");
    EXPECT_EQ(answer->revision, 42U);
    expect_same(answer->service, reading());
}

TEST(ObserverAnswer, ReadsCertificateAndClock) {
    core::ServiceReading service = reading();
    service.homes[0].certificate_expiry = at("2027-01-01T00:00:00Z");
    service.homes[0].clock_skew = -7;
    const auto answer = read_service_answer(boost::json::serialize(reading_document(service)));
    ASSERT_TRUE(answer) << answer.error().message;
    expect_same(answer->service, service);
}

TEST(ObserverAnswer, ReadsAPage) {
    boost::json::object document{{"instance", "i1"}, {"revision", 7}, {"continue", "i1:7:team/a"}};
    document["services"] = boost::json::array{reading_document(reading())};
    const auto page = read_services_answer(boost::json::serialize(document));
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->instance, "i1");
    EXPECT_EQ(page->revision, 7U);
    EXPECT_EQ(page->more, "i1:7:team/a");
    ASSERT_EQ(page->services.size(), 1U);
    EXPECT_EQ(page->services[0].instance, "i1");
    expect_same(page->services[0].service, reading());
}

TEST(ObserverAnswer, TakesOneServiceForAPage) {
    const auto page = read_services_answer(boost::json::serialize(reading_document(reading())));
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_EQ(page->services.size(), 1U);
    expect_same(page->services[0].service, reading());
}

core::HomeReading home_of(const std::string& members) {
    const auto answer = read_service_answer(
        R"({"namespace":"n","name":"s","homes":[{"cluster":"a","endpoint":"http://a",)" + members +
        "}]}");
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->service.homes.at(0) : core::HomeReading{};
}

TEST(ObserverAnswer, IsConclusiveByItsResultWhereItDoesNotSay) {
    EXPECT_TRUE(home_of(R"("probe":{"result":"Passing"})").probe->conclusive);
    EXPECT_TRUE(home_of(R"("probe":{"result":"Failing"})").probe->conclusive);
    EXPECT_FALSE(home_of(R"("probe":{"result":"Unknown"})").probe->conclusive);
    EXPECT_FALSE(home_of(R"("probe":{})").probe->conclusive);
    EXPECT_FALSE(home_of(R"("probe":{"result":"Passing","conclusive":false})").probe->conclusive);
    EXPECT_TRUE(home_of(R"("probe":{"result":"Unknown","conclusive":true})").probe->conclusive);
    EXPECT_EQ(home_of(R"("probe":{"result":"Passing"})").probe->policy_digest, "");
}

TEST(ObserverAnswer, HasACeilingOrAReason) {
    EXPECT_EQ(home_of(R"("capacity":{})").capacity->fallback_reason, "no capacity report yet");
    const auto both = home_of(R"("capacity":{"ceiling":1,"fallbackReason":"x"})").capacity;
    EXPECT_EQ(both->ceiling, 1);
    EXPECT_EQ(both->fallback_reason, "");
    EXPECT_FALSE(home_of(R"("capacity":null)").capacity);
}

TEST(ObserverAnswer, NamesWhatIsWrong) {
    const auto message = [](std::string_view text) {
        const auto answer = read_services_answer(text);
        return answer ? "none" : answer.error().message;
    };
    EXPECT_EQ(message("[]"), "the answer [] must be an object");
    EXPECT_TRUE(message("{").starts_with("the answer is not JSON: "));
    EXPECT_TRUE(message(std::string(100, '[')).starts_with("the answer is not JSON: "));
    EXPECT_EQ(message(R"({"services":[{"name":"s"}]})"), "services[0].namespace is required");
    EXPECT_EQ(
        message(
            R"({"namespace":"n","name":"s","homes":[{"cluster":"a","capacity":{"ceiling":-1}}]})"),
        "homes[0].capacity.ceiling: -1 must be an integer from 0 to 2147483647");
    EXPECT_EQ(message(R"({"namespace":"n","name":"s","homes":[7]})"),
              "homes[0]: 7 must be an object");
}

TEST(ObserverAnswer, ReadsABulk) {
    const auto bulk = read_bulk_answer(
        R"({"instance":"i","applied":3,"forgotten":1,"rejected":[{"line":2,"namespace":"n",)"
        R"("name":"s","error":{"code":"invalid","message":"probe.path: ...","field":"probe.path"}},)"
        R"({"line":4,"error":{"code":"bad","message":"not JSON"}}],"rejectedNotListed":5})");
    ASSERT_TRUE(bulk) << bulk.error().message;
    EXPECT_EQ(bulk->applied, 3U);
    EXPECT_EQ(bulk->forgotten, 1U);
    EXPECT_EQ(bulk->rejected_not_listed, 5U);
    ASSERT_EQ(bulk->rejected.size(), 2U);
    EXPECT_EQ(bulk->rejected[0].line, 2U);
    EXPECT_EQ(bulk->rejected[0].key, (core::ServiceKey{"n", "s"}));
    EXPECT_EQ(bulk->rejected[0].error.problem, (core::Problem{"probe.path: ...", "probe.path"}));
    EXPECT_FALSE(bulk->rejected[1].key);
}

TEST(ObserverAnswer, ReadsAnError) {
    const auto error =
        read_error_answer(R"({"error":{"code":"invalid","message":"m","field":"f"}})");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, "invalid");
    EXPECT_EQ(error->problem, (core::Problem{"m", "f"}));
    EXPECT_FALSE(read_error_answer("<html>"));
    EXPECT_FALSE(read_error_answer("{}"));
    EXPECT_FALSE(read_error_answer(R"({"error":{}})"));
}

template <typename Line>
Line line_of(const std::string& text) {
    const auto line = read_watch_line(text);
    EXPECT_TRUE(line) << line.error().message;
    return std::get<Line>(*line);
}

TEST(WatchLineReader, ReadsEveryLineThatTheObserverWrites) {
    std::string text;
    append_reading_line(text, {"i1", 9}, reading());
    const auto change = line_of<watch::Reading>(text);
    EXPECT_EQ(change.answer.instance, "i1");
    EXPECT_EQ(change.answer.revision, 9U);
    expect_same(change.answer.service, reading());

    text.clear();
    append_forgotten_line(text, {"i1", 10}, {"team", "chat"}, {"a", "b"});
    const auto forgotten = line_of<watch::Forgotten>(text);
    EXPECT_EQ(forgotten.revision, 10U);
    EXPECT_EQ(forgotten.service, (core::ServiceKey{"team", "chat"}));
    EXPECT_EQ(forgotten.clusters, (std::vector<std::string>{"a", "b"}));

    text.clear();
    append_forgotten_line(text, {"i1", 10}, {"team", "chat"}, {});
    EXPECT_TRUE(line_of<watch::Forgotten>(text).clusters.empty());

    text.clear();
    append_bookmark_line(text, {"i1", 11});
    EXPECT_EQ(line_of<watch::Bookmark>(text).revision, 11U);

    text.clear();
    append_gone_line(text, "i2");
    EXPECT_EQ(line_of<watch::Gone>(text).instance, "i2");
}

TEST(WatchLineReader, SkipsNewTypesAndRefusesGarbage) {
    EXPECT_EQ(line_of<watch::Other>(R"({"type":"News","x":1})").type, "News");
    for (const char* text : {"",
                             "x",
                             "[]",
                             "{}",
                             R"({"type":5})",
                             R"({"type":"Reading"})",
                             R"({"type":"Reading","service":{}})",
                             R"({"type":"Forgotten"})",
                             R"({"type":"Bookmark","revision":-1})"}) {
        EXPECT_FALSE(read_watch_line(text)) << text;
    }
}

}  // namespace
}  // namespace ome::wire
