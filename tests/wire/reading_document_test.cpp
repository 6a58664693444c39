#include <ome/core/timestamp.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/json_text.hpp>
#include <ome/wire/reading_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <random>

namespace ome::wire {
namespace {

namespace json = boost::json;
using core::WallTime;

constexpr WallTime noon{1'790'000'000, 0};

core::HomeReading full_reading() {
    core::HomeReading reading;
    reading.cluster = "worker-b";
    reading.endpoint = "http://home.example/base";
    reading.capacity.emplace();
    reading.capacity->policy_digest = "sha256:c";
    reading.capacity->ceiling = 1;
    reading.capacity->valid_until = noon;
    reading.capacity->samples = {{1, noon, noon + std::chrono::seconds(40)}};
    reading.capacity->last_attempt_time = noon;
    reading.capacity->next_attempt_time = noon;
    reading.probe.emplace();
    reading.probe->policy_digest = "sha256:p";
    reading.probe->result = core::ProbeResult::Failing;
    reading.probe->message = "HTTP 503";
    reading.probe->gated = true;
    reading.probe->conclusive = true;
    reading.probe->consecutive_failures = 3;
    reading.probe->last_probe_time = noon;
    reading.probe->next_attempt_time = noon;
    return reading;
}

TEST(ReadingDocument, HasTheMembersOfTheApi) {
    EXPECT_EQ(
        json::serialize(reading_document(full_reading())),
        R"({"cluster":"worker-b","endpoint":"http://home.example/base",)"
        R"("capacity":{"policyDigest":"sha256:c","ceiling":1,"fallbackReason":"",)"
        R"("validUntil":"2026-09-21T14:13:20.000Z","samples":[{"servable":1,)"
        R"("observedAt":"2026-09-21T14:13:20.000Z","expiresAt":"2026-09-21T14:14:00.000Z"}],)"
        R"("lastAttemptTime":"2026-09-21T14:13:20.000Z","nextAttemptTime":"2026-09-21T14:13:20.000Z"},)"
        R"("probe":{"policyDigest":"sha256:p","result":"Failing","message":"HTTP 503","gated":true,)"
        R"("conclusive":true,"consecutiveFailures":3,"consecutivePasses":0,)"
        R"("lastProbeTime":"2026-09-21T14:13:20.000Z","nextAttemptTime":"2026-09-21T14:13:20.000Z"}})");
}

TEST(ReadingDocument, LeavesOutWhatIsNotKnown) {
    core::HomeReading reading;
    reading.cluster = "a";
    EXPECT_EQ(json::serialize(reading_document(reading)), R"({"cluster":"a","endpoint":""})");
    reading.capacity.emplace().fallback_reason = "no capacity report yet";
    EXPECT_EQ(json::serialize(reading_document(reading).at("capacity")),
              R"({"policyDigest":"","fallbackReason":"no capacity report yet","samples":[]})");
}

TEST(ReadingDocument, ACeilingOfZeroIsACeiling) {
    core::HomeReading reading = full_reading();
    reading.capacity->ceiling = 0;
    EXPECT_EQ(reading_document(reading).at("capacity").at("ceiling"), 0);
}

TEST(ReadingDocument, MasksCredentialsInTheEndpoint) {
    core::HomeReading reading;
    reading.endpoint = "http://user:secret@home.example";
    EXPECT_EQ(reading_document(reading).at("endpoint"), "http://***@home.example");
}

TEST(ReadingDocument, OfAServiceHoldsItsHomesInOrder) {
    const json::object made = reading_document(
        core::ServiceReading{{"prod", "llama"}, "uid", true, {full_reading(), {}}});
    EXPECT_EQ(made.at("namespace"), "prod");
    EXPECT_EQ(made.at("name"), "llama");
    EXPECT_EQ(made.at("ownerUID"), "uid");
    EXPECT_EQ(made.at("suspended"), true);
    EXPECT_EQ(made.at("homes").as_array().size(), 2u);
    EXPECT_EQ(made.at("homes").at(0).at("cluster"), "worker-b");
}

// Random readings with every member now there and now not.
class RandomReadings {
public:
    core::HomeReading next() {
        core::HomeReading reading = full_reading();
        reading.cluster = text();
        reading.endpoint = "http://user:secret@" + text();
        if (coin()) {
            reading.capacity.reset();
        } else {
            change(*reading.capacity);
        }
        if (coin()) {
            reading.probe.reset();
        } else {
            change(*reading.probe);
        }
        return reading;
    }

private:
    void change(core::CapacityReading& capacity) {
        capacity.ceiling = coin() ? std::nullopt : std::optional(number());
        capacity.fallback_reason = text();
        capacity.valid_until = time();
        capacity.samples.clear();
        while (coin()) {
            capacity.samples.push_back({number(), *some_time(), *some_time()});
        }
        capacity.last_attempt_time = time();
        capacity.next_attempt_time = time();
    }

    void change(core::ProbeReading& probe) {
        probe.message = text();
        probe.result = static_cast<core::ProbeResult>(random_() % 3);
        probe.gated = coin();
        probe.conclusive = coin();
        probe.consecutive_failures = number();
        probe.consecutive_passes = number();
        probe.last_probe_time = time();
        probe.next_attempt_time = time();
    }

    bool coin() { return random_() % 2 == 0; }
    std::int32_t number() { return static_cast<std::int32_t>(random_()); }

    std::string text() {
        std::string made;
        while (random_() % 12 != 0) {
            made += static_cast<char>(random_() % 128);
        }
        return made + (coin() ? "\xc3\xa4" : "");
    }

    std::optional<WallTime> some_time() {
        const std::uint64_t span = 315'000'000'000;
        const std::uint64_t random = random_() * 4'000'000'000ULL + random_();
        const auto seconds = static_cast<std::int64_t>(random % span) - 62'000'000'000;
        const auto nanos = static_cast<std::int32_t>(random_() % 1'000'000'000);
        const std::int32_t grid = coin() ? 1'000'000 : coin() ? 1'000 : 1;
        return WallTime{seconds, nanos / grid * grid};
    }
    std::optional<WallTime> time() { return coin() ? std::nullopt : some_time(); }

    std::mt19937 random_{5};  // NOLINT: the same on every run
};

TEST(ReadingText, IsTheTextOfTheDocument) {
    RandomReadings readings;
    std::string text;
    for (int count = 0; count < 3000; ++count) {
        const core::HomeReading reading = readings.next();
        text.clear();
        append_reading(text, reading);
        ASSERT_EQ(text, to_text(reading_document(reading)));
    }
}

TEST(JsonText, SpellsTimesAsTimestampsAlsoBeyondTheYearsThatCanBeWritten) {
    for (const WallTime at : {noon,
                              WallTime{253'402'300'799, 999'999'999},
                              WallTime{253'402'300'800, 0},
                              WallTime{253'402'300'800, 0} + core::Duration::max(),
                              WallTime{-62'167'219'200, 0},
                              WallTime{-62'167'219'201, 0}}) {
        std::string text;
        append_json_time(text, at);
        EXPECT_EQ(text, '"' + core::format_timestamp(at) + '"');
    }
}

TEST(JsonText, SpellsStringsAndIntegersAsBoostDoes) {
    std::string every_byte;
    for (int byte = 0; byte < 127; ++byte) {
        every_byte += static_cast<char>(byte);
    }
    std::string text;
    append_json_string(text, every_byte);
    EXPECT_EQ(text, json::serialize(json::value(every_byte)));
    text.clear();
    append_json_integer(text, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(text, "-9223372036854775808");
}

TEST(ReadingDocument, ACertificateAndAClockAreShownOnceKnown) {
    core::HomeReading reading = full_reading();
    EXPECT_FALSE(reading_document(reading).contains("tls"));
    EXPECT_FALSE(reading_document(reading).contains("clockSkewSeconds"));
    reading.certificate_expiry = noon;
    reading.clock_skew = -3;
    const json::object shown = reading_document(reading);
    EXPECT_EQ(shown.at("tls"), (json::object{{"notAfter", core::format_timestamp(noon)}}));
    std::string text;
    append_reading(text, reading);
    EXPECT_EQ(text, json::serialize(shown)) << "lines of a watch tell them, too";
    EXPECT_EQ(shown.at("clockSkewSeconds"), -3);
}

}  // namespace
}  // namespace ome::wire
