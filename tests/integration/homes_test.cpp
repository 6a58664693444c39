// The simulator as a program: what the suites of the observer rely on.
#include "integration/homes.hpp"

#include "integration/observer_process.hpp"
#include "integration/scratch.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace ome::test {
namespace {

std::vector<std::string> homesim(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::getenv("OME_HOMESIM"));
    return arguments;
}

TEST(HomesProgram, SaysWhereItListensAndServesThere) {
    Homes homes({"--home", "worker-a", "--ports", "2"});
    ASSERT_EQ(homes.ports().size(), 2U);
    for (const std::uint16_t port : homes.ports()) {
        EXPECT_EQ(http_call(port, "GET", "/h/worker-a/v1/models").status, 200);
    }
    homes.set("worker-a", R"({"probe":{"status":503}})");
    EXPECT_EQ(http_call(homes.ports()[1], "GET", "/h/worker-a/v1/models").status, 503);
    EXPECT_EQ(homes.count("/probe/requests"), 3);
    homes.reset();
    EXPECT_EQ(homes.count("/probe/requests"), 0);
}

TEST(HomesProgram, EndsOnSigtermWithRequestsInFlight) {
    Homes homes({"--homes", "3"});
    homes.set("*", R"({"probe":{"stall":"after-head","body":"x"}})");
    RawClient client(homes.ports()[0]);
    ASSERT_TRUE(client.send("GET /h/home-1/x HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    homes.process().signal(SIGTERM);
    EXPECT_EQ(homes.process().wait_for_exit(), 0);
}

TEST(HomesProgram, RefusesBadArgumentsAndScriptsByName) {
    Process none(homesim({}));
    EXPECT_EQ(none.wait_for_exit(), 2);
    EXPECT_NE(none.output().find("--homes"), std::string::npos) << none.output();

    for (const char* name : {"a/b", "", "a b", "..", "a*", "a?"}) {
        Process named(homesim({"--home", name}));
        EXPECT_EQ(named.wait_for_exit(), 2) << name;
        EXPECT_NE(named.output().find("must be of letters, digits, -, _ and . only"),
                  std::string::npos)
            << named.output();
    }
    Process port(homesim({"--home", "a", "--port", "99999999"}));
    EXPECT_EQ(port.wait_for_exit(), 2);
    EXPECT_NE(port.output().find("--port (99999999) must be a whole number from 0 to 65535"),
              std::string::npos)
        << port.output();

    const Scratch scratch;
    const std::string script = scratch.write("script.json", R"([{"probe":{"statu":1}}])");
    Process bad(homesim({"--homes", "1", "--script", script}));
    EXPECT_EQ(bad.wait_for_exit(), 78);
    EXPECT_NE(bad.output().find("[0]: probe.statu is not a behaviour"), std::string::npos)
        << bad.output();
}

TEST(HomesProgram, PrintsAServicesFile) {
    Process print(
        homesim({"--homes", "5", "--port", "7000", "--print-services", "--per-service", "3"}));
    EXPECT_EQ(print.wait_for_exit(), 0);
    const boost::json::value list = boost::json::parse(print.output());
    EXPECT_EQ(list.as_array().size(), 2U);
}

TEST(Process, TellsASignalFromAnExitCode) {
    Homes homes({"--homes", "1"});
    homes.process().signal(SIGKILL);
    EXPECT_EQ(homes.process().wait_for_exit(), 128 + SIGKILL);
    Process missing({"/nonexistent/program"});
    EXPECT_FALSE(missing.wait_for_line("anything"));
}

}  // namespace
}  // namespace ome::test
