// `ome-observer bundle` of a running observer.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace ome::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* secret = "S3cretW0rd";

class BundleOfAnObserver : public testing::Test {
protected:
    BundleOfAnObserver() : homes({"--home", "worker-a"}) {}

    [[nodiscard]] std::string services() const {
        const auto endpoint = [this](const std::string& cluster) {
            std::string text = homes.endpoint(cluster) + "?key=" + secret;
            return text.insert(7, std::string("user:") + secret + "@");
        };
        return json::serialize(json::array{service("chat", {"worker-a"}, endpoint)});
    }

    [[nodiscard]] static Process bundle(const std::string& url, const std::string& output) {
        return Process({std::getenv("OME_OBSERVER"), "bundle", "--url", url, "--output", output});
    }

    /// The files of the archive by name, without its folder; the system's tar reads it.
    [[nodiscard]] std::map<std::string, std::string> extracted(const std::string& archive) const {
        const std::string folder = scratch.path("extracted");
        fs::create_directory(folder);
        Process tar({"/usr/bin/tar", "-xzf", archive, "-C", folder});
        EXPECT_EQ(tar.wait_for_exit(), 0) << tar.output();
        std::map<std::string, std::string> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file()) {
                std::ifstream file(entry.path(), std::ios::binary);
                files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
            }
        }
        return files;
    }

    Homes homes;
    Scratch scratch;
};

TEST_F(BundleOfAnObserver, HoldsWhatABugReportNeedsAndNoSecret) {
    const ObserverProcess observer(services());
    ASSERT_TRUE(eventually([&] { return homes.count("/probe/requests") > 0; }));
    const std::string url = "http://127.0.0.1:" + std::to_string(observer.port());
    const std::string archive = scratch.path("bundle.tar.gz");
    Process run = bundle(url, archive);
    EXPECT_EQ(run.wait_for_exit(), 0) << run.output();
    EXPECT_NE(
        run.output().find(archive + " (" + std::to_string(fs::file_size(archive)) + " bytes)"),
        std::string::npos)
        << run.output();
    const auto files = extracted(archive);
    for (const char* name : {"versions.json",
                             "config.json",
                             "status.json",
                             "status.txt",
                             "metrics.txt",
                             "services.json"}) {
        EXPECT_TRUE(files.contains(name)) << name;
    }
    for (const auto& [name, content] : files) {
        EXPECT_EQ(content.find(secret), std::string::npos) << name << '\n' << content;
    }
    EXPECT_NE(files.at("services.json").find("***@127.0.0.1"), std::string::npos);
    EXPECT_NE(files.at("config.json").find("flag --allow-loopback"), std::string::npos);
    EXPECT_NE(files.at("metrics.txt").find("ome_observer_attempts_total"), std::string::npos);
}

TEST_F(BundleOfAnObserver, ShowsTheTokenOfAProtectedApi) {
    ScriptedServer api(answer_all(response(R"({"instance":"a","services":[]})")));
    const std::string token = scratch.write("token", secret);
    Process run({std::getenv("OME_OBSERVER"),
                 "bundle",
                 "--url",
                 "http://127.0.0.1:" + std::to_string(api.port()),
                 "--token-file",
                 token,
                 "--output",
                 scratch.path("bundle.tar.gz")});
    EXPECT_EQ(run.wait_for_exit(), 0) << run.output();
    EXPECT_GE(api.requests().size(), 5U);
    for (const std::string& request : api.requests()) {
        EXPECT_NE(request.find(std::string("Authorization: Bearer ") + secret), std::string::npos)
            << request;
    }
}

TEST_F(BundleOfAnObserver, GoesToStandardOutputWhenAskedAndNeverToATerminal) {
    const ObserverProcess observer(services());
    const std::string call = std::string(std::getenv("OME_OBSERVER")) +
                             " bundle --url http://127.0.0.1:" + std::to_string(observer.port()) +
                             " -o -";
    const std::string folder = scratch.path("here");
    fs::create_directory(folder);
    Process run({"/bin/sh", "-c", "cd " + folder + " && " + call + " >../piped.tar.gz"});
    EXPECT_EQ(run.wait_for_exit(), 0) << run.output();
    EXPECT_NE(run.output().find(" bytes to standard output"), std::string::npos) << run.output();
    EXPECT_TRUE(fs::is_empty(folder));
    EXPECT_TRUE(extracted(scratch.path("piped.tar.gz")).contains("status.json"));
    Process terminal({"/usr/bin/script", "-qec", call, "/dev/null"});
    EXPECT_EQ(terminal.wait_for_exit(), 2) << terminal.output();
    EXPECT_NE(terminal.output().find("--output \"-\" must lead to a file or a pipe"),
              std::string::npos)
        << terminal.output();
}

TEST_F(BundleOfAnObserver, IsForItsOwnerAndReplacesNothing) {
    const ObserverProcess observer("");
    const std::string url = "http://127.0.0.1:" + std::to_string(observer.port());
    const std::string archive = scratch.path("bundle.tar.gz");
    EXPECT_EQ(bundle(url, archive).wait_for_exit(), 0);
    struct stat status {};
    ASSERT_EQ(stat(archive.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    Process again = bundle(url, archive);
    EXPECT_EQ(again.wait_for_exit(), 1);
    EXPECT_NE(again.output().find("must be a new file that can be written: File exists"),
              std::string::npos)
        << again.output();
}

TEST_F(BundleOfAnObserver, SaysThatNobodyAnswersAndWritesNothing) {
    const std::string archive = scratch.path("bundle.tar.gz");
    Process run = bundle("http://127.0.0.1:" + std::to_string(free_port()), archive);
    EXPECT_EQ(run.wait_for_exit(), 1);
    EXPECT_FALSE(fs::exists(archive));
    EXPECT_EQ(bundle("ftp://x", archive).wait_for_exit(), 2);
    Process missing({std::getenv("OME_OBSERVER"), "bundle", "--ca-file", "/no/such.pem"});
    EXPECT_EQ(missing.wait_for_exit(), 2);
    EXPECT_NE(missing.output().find("--ca-file: /no/such.pem: No such file"), std::string::npos)
        << missing.output();
}

}  // namespace
}  // namespace ome::test
