#include <ome/net/client.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace ome::net {
namespace {

// The message of a client that does not start.
std::string problem_with(const std::string& resolv_conf) {
    asio::io_context io;
    ClientSettings settings;
    settings.resolv_conf = resolv_conf;
    const auto client = Client::create(io, settings);
    return client ? "none" : client.error().message;
}

TEST(DnsSettings, TakeNoFolderAndNeverWaitAtAPipe) {
    EXPECT_EQ(problem_with("/tmp"), "resolv-conf: /tmp: is a folder, expected a file");
    char name[] = "/tmp/dns-settings-XXXXXX";
    const std::string folder = mkdtemp(name);
    const std::string pipe = folder + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(problem_with(pipe), "resolv-conf: " + pipe + ": is a pipe, expected a file");
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ome::net
