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

    /// A declaration of s with home a, with a member more if it is given.
    static std::string declared(int seconds,
                                std::string_view threshold,
                                std::string_view more = R"("ownerUID":"1")",
                                std::string_view endpoint = "http://h/x/") {
        std::string probe(policies.substr(policies.find("\"probe\"")));
        probe.pop_back();
        probe.replace(probe.find("Threshold\":2") + 11, 1, threshold);
        return at(seconds,
                  R"("service":"s","declared":{"homes":[{"cluster":"a","endpoint":")" +
                      std::string(endpoint) + "\"}]," + probe + "," + std::string(more) + "}");
    }
    static std::string fail(int seconds) {
        return at(seconds, R"("service":"s","home":"a","probe":{"status":503})");
    }

    void run(const std::string& events) {
        auto read = wire::read_replay_policies(policies);
        ASSERT_TRUE(read) << read.error().message;
        std::optional<wire::ReplayPolicies> given;
        if (with_policy) {
            given = std::move(*read);
        }
        std::istringstream in(events);
        std::ostringstream problems;
        const auto take = [this](std::string_view text) {
            printed += text;
            ++takes;
            return !leaves;
        };
        left_out = replay_events(Replay(std::move(given), obey), options, in, take, problems);
        errors = problems.str();
        std::istringstream written(printed);
        for (std::string line; !options.table && std::getline(written, line);) {
            lines.push_back(json::parse(line).as_object());
        }
    }
    json::object capacity(std::size_t line) {
        return lines.at(line).at("reading").at("capacity").as_object();
    }
    /// After the last event.
    std::string gated_and_failures() {
        const json::object last = probe(lines.size() - 1);
        return json::serialize(json::array{last.at("gated"), last.at("consecutiveFailures")});
    }
    json::object probe(std::size_t line) {
        return lines.at(line).at("reading").at("probe").as_object();
    }

    ReplayOptions options;
    bool with_policy = true;
    Obey obey = Obey::Declared;
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

TEST_F(ReplayCommand, FollowsTheDeclarationsOfTheRecordingWithoutAPolicyFile) {
    with_policy = false;
    run(declared(0, "2") + fail(1) + fail(2));
    EXPECT_EQ(errors, "");
    EXPECT_EQ(json::serialize(lines.at(0)),
              R"({"at":"2026-09-28T10:00:00.000Z","service":"s","declared":"applied"})");
    EXPECT_EQ(gated_and_failures(), "[true,2]");
    EXPECT_EQ(lines.back().at("reading").at("endpoint"), "http://h/x/");
}

TEST_F(ReplayCommand, AServiceForgottenAndDeclaredAgainBeginsAnew) {
    const std::string forgotten = at(3, R"("service":"s","forgotten":true)");
    run(declared(0, "2") + fail(1) + fail(2) + forgotten + declared(4, "2") + fail(5));
    EXPECT_EQ(json::serialize(lines.at(3)),
              R"({"at":"2026-09-28T10:00:03.000Z","service":"s","forgotten":"applied"})");
    EXPECT_EQ(gated_and_failures(), "[false,1]");
}

TEST_F(ReplayCommand, AServiceThatNoLineDeclaresIsForgotten) {
    const std::string other = R"("service":"other","home":"a","probe":{"status":503})";
    run(fail(1) + at(1, other) + at(2, R"("service":"s","forgotten":true)") + fail(3));
    EXPECT_EQ(gated_and_failures(), "[false,1]");
    lines.clear();
    printed.clear();
    run(fail(1) + at(1, other) + at(2, R"("service":"s","forgotten":true)") + at(3, other));
    EXPECT_EQ(gated_and_failures(), "[true,2]");
}

TEST_F(ReplayCommand, AnObserverThatBeganKnowsNothing) {
    run(declared(0, "2") + fail(1) + at(2, R"("forgotten":true)") + declared(3, "2") + fail(4));
    EXPECT_EQ(json::serialize(lines.at(2)),
              R"({"at":"2026-09-28T10:00:02.000Z","forgotten":"applied"})");
    EXPECT_EQ(gated_and_failures(), "[false,1]");
}

TEST_F(ReplayCommand, AChangedDeclarationEndsTheHistoriesItChanges) {
    run(declared(0, "2") + fail(1) + declared(2, "2") + fail(3));
    EXPECT_EQ(gated_and_failures(), "[true,2]") << "the same again keeps them";
    for (const std::string& changed : {declared(2, "1"),
                                       declared(2, "2", R"("ownerUID":"2")"),
                                       declared(2, "2", R"("ownerUID":"1","moved":["a"])"),
                                       declared(2, "2", R"("ownerUID":"1")", "http://h/y")}) {
        lines.clear();
        printed.clear();
        run(declared(0, "2") + fail(1) + changed + fail(3));
        EXPECT_EQ(probe(3).at("consecutiveFailures"), 1) << changed;
    }
}

TEST_F(ReplayCommand, OneSpelledOtherwiseIsShownSoAndKeepsItsHistory) {
    run(declared(0, "2") + fail(1) + declared(2, "2", R"("ownerUID":"1")", "HTTP://h//x") +
        fail(3));
    EXPECT_EQ(gated_and_failures(), "[true,2]");
    EXPECT_EQ(lines.back().at("reading").at("endpoint"), "HTTP://h//x");
}

TEST_F(ReplayCommand, ARestoredRecordStartsAHistoryOfItsPolicy) {
    run(declared(0, "2") + fail(1));
    const std::string digest(probe(1).at("policyDigest").as_string());
    std::string restored = declared(0, "2");
    restored.insert(restored.find("/x/\"") + 4,
                    R"(,"restored":{"policyDigest":")" + digest +
                        R"(","gated":true,"consecutiveFailures":6,"result":"Failing"})");
    lines.clear();
    printed.clear();
    run(restored + fail(1));
    EXPECT_EQ(gated_and_failures(), "[true,7]") << errors;
}

TEST_F(ReplayCommand, WhileSuspendedNothingAppliesAndNothingIsLost) {
    const std::string suspended =
        at(2, R"("service":"s","declared":{"ownerUID":"1","suspended":true})");
    run(declared(0, "2") + fail(1) + suspended + fail(3) + declared(4, "2") + fail(5));
    EXPECT_EQ(probe(3).at("consecutiveFailures"), 1);
    EXPECT_FALSE(probe(3).contains("nextAttemptTime"));
    EXPECT_EQ(gated_and_failures(), "[true,2]");
}

TEST_F(ReplayCommand, GivenPoliciesTakeThePlaceOfDeclaredOnesWhenAsked) {
    obey = Obey::Given;
    run(declared(0, "1") + fail(1));
    EXPECT_EQ(gated_and_failures(), "[false,1]");
    lines.clear();
    printed.clear();
    obey = Obey::Declared;
    run(declared(0, "1") + fail(1));
    EXPECT_EQ(gated_and_failures(), "[true,1]");
}

TEST_F(ReplayCommand, WhatNoLineDeclaresIsReportedAndLeftOut) {
    with_policy = false;
    run(fail(0) + declared(1, "2") + at(2, R"("service":"s","home":"b","read":true)") +
        at(3, R"("service":"s","declared":{"homes":7})"));
    EXPECT_EQ(left_out, 3u);
    EXPECT_NE(errors.find("line 1: service: \"s\" is declared by no earlier line, and there is no "
                          "--policy"),
              std::string::npos)
        << errors;
    EXPECT_NE(errors.find("line 3: home: \"b\" is none of the homes of s that were declared last"),
              std::string::npos)
        << errors;
    EXPECT_NE(errors.find("line 4: declared: homes: 7 must be a list"), std::string::npos)
        << errors;
}

TEST_F(ReplayCommand, ServicesOfSeveralReactorsMayPassEachOther) {
    run(declared(5, "2") + at(4, R"("service":"t","home":"a","read":true)") + fail(6));
    EXPECT_EQ(errors, "");
    run(fail(6) + fail(5));
    EXPECT_NE(errors.find("line 2: at: "), std::string::npos) << errors;
}

TEST_F(ReplayCommand, ATableTellsOfDeclarations) {
    options.table = true;
    run(declared(0, "2") + at(1, R"("forgotten":true)"));
    EXPECT_EQ(printed,
              "TIME                      HOME              EVENT      CEILING  GATED  FAILURES  "
              "PASSES  REASON\n"
              "2026-09-28T10:00:00.000Z  s                 declared   -        -      -         -  "
              "     what changed begins anew\n"
              "2026-09-28T10:00:01.000Z  -                 forgotten  -        -      -         -  "
              "     nothing is known any more\n");
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

TEST(ReplayOptions, APolicyFileMustBeThereIfItIsNamedAndToBeObeyed) {
    CLI::App app;
    observer::Run chosen;
    add_replay_command(app, chosen);
    EXPECT_THROW(app.parse("replay --override", false), CLI::RequiresError);
    app.parse("replay /dev/null", false);
    EXPECT_EQ(chosen(), 0);
    app.parse("replay --policy no-such-file -", false);
    EXPECT_EQ(chosen(), 1);
}

TEST(ReplayOptions, AWrongLimitIsToldInTheWordsOfServe) {
    for (const std::string text : {"0", "-1", "many"}) {
        CLI::App app;
        observer::Run chosen;
        add_replay_command(app, chosen);
        try {
            app.parse("replay --max-response-bytes=" + text, false);
            FAIL() << text;
        } catch (const CLI::ParseError& error) {
            EXPECT_EQ(error.what(),
                      "--max-response-bytes \"" + text +
                          "\" must be a whole number from 1 to 9223372036854775807");
        }
    }
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
    EXPECT_EQ(replay(good, "/dev/zero"), 1);
    EXPECT_EQ(err, "error: /dev/zero: is a device, expected a file\n");
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
