#include "http_server_fixture.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace ome::net {
namespace {

class HttpListenerTest : public HttpServerTest {};

class UnixServerTest : public HttpServerTest {
protected:
    void SetUp() override {
        HttpServerTest::SetUp();
        folder = std::filesystem::temp_directory_path() / ("ome-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        path = folder / "api.sock";
        settings.listen = "unix:" + path.string();
    }
    void TearDown() override {
        HttpServerTest::TearDown();
        server.reset();
        std::filesystem::remove_all(folder);
    }

    std::filesystem::path folder;
    std::filesystem::path path;
};

TEST_F(HttpListenerTest, NamesWhatItCannotListenOn) {
    for (const char* bad : {"",
                            "7460",
                            "127.0.0.1",
                            "127.0.0.1:",
                            "127.0.0.1:65536",
                            "127.0.0.1:-1",
                            "::1:80",
                            "[127.0.0.1]:80",
                            "name.example:80",
                            ":80",
                            "unix:",
                            "unix:relative"}) {
        settings.listen = bad;
        const auto made = HttpServer::create(io, settings, {}, {});
        ASSERT_FALSE(made) << bad;
        EXPECT_NE(made.error().message.find(std::string("\"") + bad + "\""), std::string::npos)
            << made.error().message;
    }
    settings.listen = "127.0.0.1:0";
    start();
    settings.listen = address;
    const auto taken = HttpServer::create(io, settings, {}, {});
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().message.find(address), std::string::npos);
}

TEST_F(UnixServerTest, ServesAnyHostOnAFileOfItsOwnersOnly) {
    start();
    struct stat made {};
    ASSERT_EQ(::stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777U, 0600U);
    EXPECT_EQ(address, "unix:" + path.string());
    EXPECT_TRUE(ask("GET /a HTTP/1.1\r\nHost: anything\r\n\r\n").ends_with("/a"));
    stop(0ms);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(UnixServerTest, ReplacesTheSocketOfACrashedPredecessor) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.string().copy(name.sun_path, sizeof name.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    ::close(fd);
    start();
    EXPECT_TRUE(ask(get("/a")).ends_with("/a"));
}

TEST_F(UnixServerTest, LeavesALivingServerAndAForeignFileAlone) {
    start();
    const auto second = HttpServer::create(io, settings, {}, {});
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another process listens"), std::string::npos);
    EXPECT_TRUE(ask(get("/a")).ends_with("/a"));

    settings.listen = "unix:" + (folder / "file").string();
    std::ofstream(folder / "file") << "precious";
    EXPECT_FALSE(HttpServer::create(io, settings, {}, {}));
    EXPECT_TRUE(std::filesystem::exists(folder / "file"));
}

TEST_F(UnixServerTest, DoesNotRemoveAFileThatReplacedItsOwn) {
    start();
    std::filesystem::remove(path);
    std::ofstream(path) << "someone else's";
    stop(0ms);
    EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ome::net
