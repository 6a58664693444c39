#include "replay_command.hpp"

#include "commands.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::string_view policies =
    R"({"capacity":{"path":"/c","method":"GET","format":"Report","samples":4,"quorum":2,)"
    R"("period":"10s","timeout":"3s","maxAge":"40s"},)"
    R"("probe":{"path":"/h","method":"GET","acceptStatuses":[200],"gateStatuses":[503],)"
    R"("period":"10s","timeout":"3s","failureThreshold":2,"successThreshold":1,)"
    R"("allFailedPolicy":"Drain"}})";

class ReplayCommand : public testing::Test {
protected:
    /// An event at 10:00 and some seconds.
    static std::string at(int seconds, std::string_view members) {
        char time[] = "2026-09-28T10:00:00Z";
        time[14] = static_cast<char>('0' + seconds / 600);
        time[15] = static_cast<char>('0' + seconds / 60 % 10);
        time[17] = static_cast<char>('0' + seconds % 60 / 10);
        time[18] = static_cast<char>('0' + seconds % 10);
        return "{\"at\":\"" + std::string(time) + "\"," + std::string(members) + "}\n";
    }
    static std::string poll(int seconds, int servable) {
        const std::string event = at(seconds, "");
        return at(seconds,
                  R"("home":"a","poll":{"status":200,"body":"{\"servable\":)" +
                      std::to_string(servable) + R"(,\"observedAt\":\")" + event.substr(7, 20) +
                      R"(\"}"})");
    }

    void run(const std::string& events) {
        auto read = wire::read_replay_policies(policies);
        ASSERT_TRUE(read) << read.error().message;
        std::istringstream in(events);
        std::ostringstream problems;
        const auto take = [this](std::string_view text) {
            printed += text;
            ++takes;
            return !leaves;
        };
        left_out = replay_events(Replay(std::move(*read)), options, in, take, problems);
        errors = problems.str();
        std::istringstream written(printed);
        for (std::string line; !options.table && std::getline(written, line);) {
            lines.push_back(json::parse(line).as_object());
        }
    }
    json::object capacity(std::size_t line) {
        return lines.at(line).at("reading").at("capacity").as_object();
    }
    json::object probe(std::size_t line) {
        return lines.at(line).at("reading").at("probe").as_object();
    }

    ReplayOptions options;
    bool leaves = false;  ///< whether the reader does, after the first piece
    std::string printed;
    int takes = 0;
    std::vector<json::object> lines;
    std::string errors;
    std::size_t left_out = 0;
};

TEST_F(ReplayCommand, ShowsWhatIsKnownAfterEachEvent) {
    run(poll(0, 4) + poll(10, 3) + at(49, R"("home":"a","read":true)") +
        at(50, R"("home":"a","read":true)"));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].at("at"), "2026-09-28T10:00:00.000Z");
    EXPECT_EQ(lines[0].at("home"), "a");
    EXPECT_EQ(capacity(0).at("fallbackReason"),
              "capacity report awaiting quorum (1/2 accepted samples)");
    EXPECT_EQ(capacity(0).at("nextAttemptTime"), "2026-09-28T10:00:10.000Z");
    EXPECT_EQ(capacity(1).at("ceiling"), 4);
    EXPECT_EQ(capacity(1).at("validUntil"), "2026-09-28T10:00:40.000Z");
    EXPECT_EQ(capacity(2).at("fallbackReason"),
              "capacity report awaiting quorum after stale samples expired (1/2 accepted samples)");
    EXPECT_EQ(capacity(3).at("fallbackReason"),
              "capacity report is stale (at least configured maximum age 40s)");
    EXPECT_FALSE(lines[0].at("reading").as_object().contains("probe"));
    EXPECT_EQ(left_out, 0u);
}

TEST_F(ReplayCommand, ATableIsForPeople) {
    options.table = true;
    run(poll(0, 4) + poll(10, 3) + at(20, R"("home":"a","probe":{"status":503})") +
        at(30, R"("home":"a","probe":{"status":503})") +
        at(40, R"("home":"b","service":"demo/chat","read":true)") +
        at(50, R"("policy":{"probe":null})"));
    EXPECT_EQ(errors, "");
    EXPECT_EQ(
        printed,
        "TIME                      HOME              EVENT   CEILING  GATED  FAILURES  PASSES "
        " REASON\n"
        "2026-09-28T10:00:00.000Z  a                 poll    -        -      -         -       "
        "capacity report awaiting quorum (1/2 accepted samples)\n"
        "2026-09-28T10:00:10.000Z  a                 poll    4        -      -         -\n"
        "2026-09-28T10:00:20.000Z  a                 probe   4        no     1         0       "
        "HTTP 503\n"
        "2026-09-28T10:00:30.000Z  a                 probe   4        yes    2         0       "
        "HTTP 503\n"
        "2026-09-28T10:00:40.000Z  demo/chat/b       read    -        -      -         -       "
        "no capacity report yet\n"
        "2026-09-28T10:00:50.000Z  -                 policy  -        -      -         -       "
        "the policies changed\n");
}

TEST_F(ReplayCommand, EndsWhenTheReaderLeaves) {
    leaves = true;
    std::string events;
    for (int second = 0; second < 599; ++second) {
        for (int home = 0; home < 10; ++home) {
            events += at(second, "\"home\":\"h" + std::to_string(home) + "\",\"read\":true");
        }
    }
    run(events);
    EXPECT_EQ(takes, 1);
    EXPECT_LT(lines.size(), 5000U);
}

TEST_F(ReplayCommand, TellsTheFirstLinesOfAFileThatHoldsNoEvents) {
    std::string events;
    for (int i = 0; i < 250; ++i) {
        events += "nonsense\n";
    }
    run(events);
    EXPECT_EQ(left_out, 250U);
    EXPECT_NE(errors.find("error: line 100: "), std::string::npos);
    EXPECT_EQ(errors.find("error: line 101: "), std::string::npos);
    EXPECT_NE(errors.find("error: 150 more lines were left out\n"), std::string::npos);
}

TEST_F(ReplayCommand, MovesTheGateAndLetsACancelledAttemptChangeNothing) {
    run(at(0, R"("home":"a","probe":{"status":503})") +
        at(10, R"("home":"a","probe":{"error":{"kind":"cancelled"}})") +
        at(20, R"("home":"a","probe":{"error":"connection refused"})") +
        at(30, R"("home":"a","probe":{"status":200})"));
    EXPECT_EQ(probe(0), probe(1));
    EXPECT_EQ(probe(2).at("gated"), true);
    EXPECT_EQ(probe(2).at("message"), "transport error: connection refused");
    EXPECT_EQ(probe(3).at("gated"), false);
    EXPECT_EQ(probe(3).at("lastProbeTime"), "2026-09-28T10:00:30.000Z");
}

TEST_F(ReplayCommand, KeepsHistoriesApartByServiceHomeAndCanonicalEndpoint) {
    const std::string failing = R"(,"probe":{"status":503})";
    run(at(0, R"("home":"a")" + failing) + at(0, R"("home":"b")" + failing) +
        at(0, R"("home":"a","service":"s")" + failing) +
        at(0, R"("home":"a","endpoint":"http://h/x")" + failing) +
        at(0, R"("home":"a","endpoint":"HTTP://H//x/")" + failing));
    for (const std::size_t line : {0u, 1u, 2u, 3u}) {
        EXPECT_EQ(probe(line).at("consecutiveFailures"), 1) << line;
    }
    EXPECT_EQ(probe(4).at("consecutiveFailures"), 2);
    EXPECT_EQ(lines[4].at("reading").at("endpoint"), "HTTP://H//x/");
    EXPECT_EQ(lines[2].at("service"), "s");
    EXPECT_FALSE(lines[1].contains("service"));
}

TEST_F(ReplayCommand, AnEndpointThatCannotBeUsedIsAReading) {
    run(at(0, R"("home":"a","endpoint":"h:80","probe":{"status":503})"));
    EXPECT_TRUE(
        capacity(0).at("fallbackReason").as_string().starts_with("capacity target is invalid: "));
    EXPECT_FALSE(lines[0].at("reading").as_object().contains("probe"));
}

TEST_F(ReplayCommand, AChangedPolicyEndsItsOwnHistoriesOnly) {
    std::string changed(policies);
    changed.replace(changed.find("\"samples\":4"), 11, "\"samples\":5");
    run(poll(0, 4) + poll(1, 4) + at(1, R"("home":"a","probe":{"status":503})") +
        at(2, "\"policy\":" + changed) + at(3, R"("home":"a","read":true)"));
    EXPECT_EQ(json::serialize(lines.at(3)),
              R"({"at":"2026-09-28T10:00:02.000Z","policy":"applied"})");
    EXPECT_EQ(capacity(4).at("fallbackReason"), "no capacity report yet");
    EXPECT_EQ(probe(4).at("consecutiveFailures"), 1);
}

TEST_F(ReplayCommand, ABadLineIsReportedWithItsNumberAndLeftOut) {
    run(poll(5, 4) + "\n" + "nonsense\n" + poll(4, 1) + at(6, R"("policy":{"capacity":{}})") +
        poll(6, 3));
    EXPECT_EQ(left_out, 3u);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(capacity(1).at("ceiling"), 4);
    EXPECT_NE(errors.find("line 3: not JSON: "), std::string::npos) << errors;
    EXPECT_NE(errors.find("line 4: at: 2026-09-28T10:00:04.000Z must not be before "
                          "2026-09-28T10:00:05.000Z"),
              std::string::npos)
        << errors;
    EXPECT_NE(errors.find("line 5: policy: capacity.path"), std::string::npos) << errors;
}

TEST_F(ReplayCommand, BadLinesBeforeTheFirstEventOfANamedFileAreToldWithIt) {
    options.name = "r.ndjson";
    run("nonsense\n" + poll(1, 4));
    EXPECT_EQ(left_out, 1u);
    EXPECT_EQ(errors.find("error: line 1: not JSON: "), 0u) << errors;
}

TEST_F(ReplayCommand, TheColumnsOfATableLineUpWhateverStandsInThem) {
    options.table = true;
    const auto probe_at = [](const char* time, const char* home) {
        return std::string("{\"at\":\"") + time + R"(","service":"ns/quite-a-long-name","home":")" +
               home + R"(","probe":{"status":503}})" + "\n";
    };
    run(probe_at("2026-09-28T10:00:00.000Z", "a") +
        probe_at("2026-09-28T10:00:01.123456789Z", "a-home-with-a-longer-name"));
    std::istringstream written(printed);
    std::vector<std::size_t> columns;
    for (std::string line; std::getline(written, line);) {
        columns.push_back(columns.empty() ? line.find("EVENT") : line.find("probe "));
    }
    ASSERT_EQ(columns.size(), 3u);
    EXPECT_EQ(columns[1], columns[0]) << printed;
    EXPECT_EQ(columns[2], columns[0]) << printed;
}

TEST_F(ReplayCommand, AMemberThatNoEventHasIsToldOnce) {
    const std::string event = at(1, R"("home":"a","servce":"s","read":true)");
    run(event + event);
    EXPECT_EQ(errors,
              "warning: line 1: \"servce\" is not known and is ignored; did you mean service?\n");
}

TEST_F(ReplayCommand, YearsApartKeepTheRhythm) {
    const std::string event = R"("home":"a","probe":{"status":200}})";
    run("{\"at\":\"0001-01-01T00:00:00Z\"," + event + "\n{\"at\":\"0200-01-01T00:00:07Z\"," +
        event + "\n{\"at\":\"9999-12-31T00:00:00Z\"," + event);
    EXPECT_EQ(probe(1).at("nextAttemptTime"), "0200-01-01T00:00:10.000Z");
    EXPECT_EQ(lines.size(), 3u);
}

TEST_F(ReplayCommand, TheLastLineNeedsNoLineEnd) {
    std::string events = poll(0, 4) + poll(1, 4);
    events.pop_back();
    run(events);
    EXPECT_EQ(lines.size(), 2u);
}

TEST_F(ReplayCommand, ALineTooLongIsReportedAndTheNextOneRead) {
    run("{\"at\":\"" + std::string(2 << 20, 'x') + "\"}\n" + poll(1, 4));
    EXPECT_EQ(left_out, 1u);
    EXPECT_EQ(lines.size(), 1u);
    EXPECT_EQ(errors, "error: line 1: an event must be at most 1441792 bytes long\n");
}

TEST(ReplayOptions, ThePolicyFileIsRequiredAndMustBeThere) {
    CLI::App app;
    observer::Run chosen;
    add_replay_command(app, chosen);
    EXPECT_THROW(app.parse("replay", false), CLI::RequiredError);
    app.parse("replay --policy no-such-file -", false);
    EXPECT_EQ(chosen(), 1);
}

class ReplayFiles : public testing::Test {
protected:
    ReplayFiles() {
        char name[] = "/tmp/replay-files-XXXXXX";
        folder = mkdtemp(name);
    }
    ~ReplayFiles() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, std::string_view text) const {
        std::ofstream(folder + "/" + name) << text;
        return folder + "/" + name;
    }

    int replay(const std::string& policy, const std::string& events) {
        CLI::App app;
        observer::Run chosen;
        add_replay_command(app, chosen);
        app.parse("replay --policy " + policy + " " + events, false);
        testing::internal::CaptureStderr();
        const int code = chosen();
        err = testing::internal::GetCapturedStderr();
        return code;
    }

    std::string folder;
    std::string err;
};

TEST_F(ReplayFiles, OfAnotherKindAreRefusedAndNeverWaitedFor) {
    const std::string good = write("policies.json", policies);
    const std::string pipe = folder + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(replay(pipe, "/dev/null"), 1);
    EXPECT_EQ(err, "error: --policy " + pipe + ": is a pipe, expected a file\n");
    EXPECT_EQ(replay(folder, "/dev/null"), 1);
    EXPECT_EQ(err, "error: --policy " + folder + ": is a folder, expected a file\n");
    EXPECT_EQ(replay(good, pipe), 1);
    EXPECT_EQ(err, "error: " + pipe + ": is a pipe, expected a file\n");
    EXPECT_EQ(replay(good, folder), 1);
    EXPECT_EQ(err, "error: " + folder + ": is a folder, expected a file\n");
    EXPECT_EQ(replay(good, folder + "/none"), 1);
    EXPECT_EQ(err, "error: " + folder + "/none: No such file or directory\n");
    EXPECT_EQ(replay(good, "/dev/null"), 0) << err;
}

TEST_F(ReplayFiles, OfPoliciesThatHoldNoneAreRefused) {
    for (const char* text : {"{}", R"({"services":[]})", R"({"routing":{}})"}) {
        EXPECT_EQ(replay(write("p.json", text), "/dev/null"), 78) << text;
        EXPECT_NE(err.find("p.json: neither capacity nor probe is there"), err.npos) << err;
    }
}

TEST_F(ReplayFiles, OfPoliciesMustHoldWhatIsKnown) {
    std::string text(policies);
    text.insert(1, "\"homs\":[],");
    EXPECT_EQ(replay(write("p.json", text), "/dev/null"), 78);
    EXPECT_NE(err.find("p.json: homs is not known; did you mean homes?\n"), err.npos) << err;
}

TEST_F(ReplayFiles, ThatAreNoRecordingsAreToldOnce) {
    const std::string good = write("policies.json", policies);
    const std::string expected =
        "; expected a recording: an event a line, as `serve --record` writes them\n";
    const std::string empty = write("empty", "");
    EXPECT_EQ(replay(good, empty), 1);
    EXPECT_EQ(err, "error: " + empty + ": the file is empty" + expected);
    const std::string services = write("services", "[\n{\"name\":\"a\"}\n]\n");
    EXPECT_EQ(replay(good, services), 1);
    EXPECT_TRUE(err.starts_with("error: " + services + ": line 1: not JSON: ")) << err;
    EXPECT_TRUE(err.ends_with(expected)) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

}  // namespace
}  // namespace ome::observer
