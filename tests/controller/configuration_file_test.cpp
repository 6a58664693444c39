#include "configuration_file.hpp"

#include "integration/scratch.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* good = R"({"routing": {"enabled": false}})";
constexpr const char* other = R"({"routing": {"enabled": false, "probe": {"path": "/x"}}})";

class ConfigurationFileTest : public testing::Test {
protected:
    /// Runs until what was told last is so, for a while at most.
    bool told(const std::function<bool(const core::Result<ReadConfiguration>&)>& so) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        const auto work = net::asio::make_work_guard(io);
        io.restart();
        while (!(news && so(*news)) && std::chrono::steady_clock::now() < until) {
            io.run_one_for(100ms);
        }
        return news && so(*news);
    }

    void hear(core::Result<ReadConfiguration> read) {
        ++count;
        errors += read ? 0 : 1;
        news.emplace(std::move(read));
    }

    test::Scratch scratch;
    net::asio::io_context io{1};
    std::optional<core::Result<ReadConfiguration>> news;
    int count = 0;
    int errors = 0;
};

// The beginning of a file, as an editor or a copy leaves it for a moment.
TEST_F(ConfigurationFileTest, ANullInPlaceOfWhatIsInForceIsAFileThatIsNotAllThere) {
    core::Configuration in_force;
    in_force.routing.enabled = true;
    in_force.routing.probe.path = "/healthz";
    in_force.gateway.backend_port = 80;
    const auto problem = [&](const char* text) {
        const auto read = read_configuration_text("c", text);
        EXPECT_TRUE(read) << "at a start: " << text << ": " << read.error().message;
        const auto found = half_written("c", in_force, *read);
        return found ? found->message : "";
    };
    EXPECT_EQ(
        problem("routing:\n  enabled:"),
        "c: routing.enabled: null must have a value, or not be there: routing.enabled is true "
        "at present, and a null looks like a file that is not written to its end");
    EXPECT_THAT(problem("routing:"), HasSubstr("c: routing: null must have a value"));
    EXPECT_THAT(problem("routing: {enabled: false, probe: {path: }}\n"),
                HasSubstr("c: routing.probe.path: null must have a value"));
    EXPECT_THAT(problem("routing: {enabled: false, probe: {path: /healthz}}\nendpoint:\n"),
                HasSubstr("c: endpoint: null must have a value"));
    EXPECT_THAT(problem("multicluster:\n  routing:\n"), HasSubstr("c: routing: null must"));
    EXPECT_THAT(problem("kind: ConfigMap\ndata:\n"), HasSubstr("c: data: null must"));
    EXPECT_THAT(problem("kind: ConfigMap\ndata:\n  multicluster:\n"),
                HasSubstr("c: data.multicluster: null must"));
    EXPECT_EQ(problem("routing: {}"), "") << "what is left out is left out";
    EXPECT_EQ(problem("routing: {capacity: }\nendpoint: {globalGateway: }\n"), "")
        << "nothing of it is in force";
}

TEST_F(ConfigurationFileTest, IsReadAgainWhenItChanges) {
    scratch.write("config.json", good);
    ConfigurationFile file(
        io, scratch.path("config.json"), 1ms, [this](auto read) { hear(std::move(read)); });
    file.start();
    scratch.write("aside.json", other);
    std::filesystem::rename(scratch.path("aside.json"), scratch.path("config.json"));
    EXPECT_TRUE(
        told([](const auto& read) { return read && read->all.routing.probe.path == "/x"; }));
    file.stop();
}

TEST_F(ConfigurationFileTest, TellsWhatIsWrongOnceForEachChange) {
    scratch.write("config.json", good);
    ConfigurationFile file(
        io, scratch.path("config.json"), 1ms, [this](auto read) { hear(std::move(read)); });
    file.start();
    scratch.write("aside.json", R"({"routing": {"enabled": "yes"}})");
    std::filesystem::rename(scratch.path("aside.json"), scratch.path("config.json"));
    ASSERT_TRUE(told([](const auto& read) { return !read; }));
    EXPECT_THAT(news->error().message, HasSubstr("config.json: load multi-cluster configuration"));
    scratch.write("aside.json", other);
    std::filesystem::rename(scratch.path("aside.json"), scratch.path("config.json"));
    EXPECT_TRUE(told([](const auto& read) { return read.has_value(); }));
    EXPECT_EQ(errors, 1);
    file.stop();
}

TEST_F(ConfigurationFileTest, IsReadWhenAskedWhetherOrNotItChanged) {
    scratch.write("config.json", good);
    ConfigurationFile file(
        io, scratch.path("config.json"), 0ms, [this](auto read) { hear(std::move(read)); });
    file.start();
    file.read_again();
    EXPECT_TRUE(told([](const auto& read) { return read.has_value(); }));
    file.stop();
}

TEST_F(ConfigurationFileTest, TellsNothingAfterItsEnd) {
    scratch.write("config.json", good);
    ConfigurationFile file(
        io, scratch.path("config.json"), 0ms, [this](auto read) { hear(std::move(read)); });
    file.read_again();
    file.stop();
    io.poll();
    EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace ome::controller
