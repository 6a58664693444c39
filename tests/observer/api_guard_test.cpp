#include "api_guard.hpp"

#include <gtest/gtest.h>
#include <support/captured_log.hpp>
#include <support/certificates.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ome::observer {
namespace {

class ApiGuardTest : public testing::Test {
protected:
    ApiGuardTest() { std::filesystem::create_directories(folder); }
    ~ApiGuardTest() override { std::filesystem::remove_all(folder); }

    // By renaming, as those who rotate secrets do: another file each time.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder + "/new", std::ios::trunc) << text;
        std::filesystem::rename(folder + "/new", folder + "/" + name);
        return folder + "/" + name;
    }
    void write_identity(const test::Identity& identity) {
        settings.tls_cert = write("cert.pem", test::certificate_pem(identity));
        settings.tls_key = write("key.pem", test::key_pem(identity));
    }

    std::string folder = testing::TempDir() + "ome-api-guard-" + std::to_string(::getpid());
    Settings settings;
};

TEST_F(ApiGuardTest, WithoutATokenFileEverybodyPasses) {
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    EXPECT_TRUE(guard.admits(""));
    EXPECT_EQ(guard.tls(), nullptr);
    EXPECT_EQ(guard.look(), nullptr);
}

TEST_F(ApiGuardTest, PagesOfOtherSitesAreNotWelcome) {
    settings.allowed_hosts = {"observer.example", "exact.example:80"};
    const ApiGuard guard(settings);
    for (const char* good : {"",
                             "http://localhost:7460",
                             "HTTPS://LocalHost:7460",
                             "https://observer.example",
                             "http://observer.example:8443",
                             "http://exact.example:80"}) {
        EXPECT_TRUE(guard.welcomes(good, "localhost:7460")) << good;
    }
    for (const char* bad : {"null",
                            "http://evil.example",
                            "http://localhost",
                            "http://localhost:7461",
                            "http://localhost:7460.evil.example",
                            "http://evil@localhost:7460",
                            "file://localhost:7460",
                            "localhost:7460",
                            "http://",
                            "http://observer.example.evil.example",
                            "http://exact.example:81"}) {
        EXPECT_FALSE(guard.welcomes(bad, "localhost:7460")) << bad;
    }
    EXPECT_FALSE(guard.welcomes("http://", ""));
}

TEST_F(ApiGuardTest, F58_ANewTokenCountsFromItsFirstUse) {
    settings.token_file = write("token", "old");
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    EXPECT_TRUE(guard.admits("Bearer old"));
    EXPECT_FALSE(guard.admits("Bearer new"));
    EXPECT_FALSE(guard.admits(""));
    write("token", "newer");
    EXPECT_TRUE(guard.admits("Bearer newer"));
    EXPECT_FALSE(guard.admits("Bearer old"));
}

TEST_F(ApiGuardTest, AReloadTellsOfFilesThatAreStillBad) {
    settings.token_file = write("token", "old");
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    write("token", "");
    test::CapturedLog log;
    EXPECT_EQ(guard.look(), nullptr);
    EXPECT_EQ(guard.look(), nullptr);
    EXPECT_EQ(guard.reload(), nullptr);
    const std::string text = log.text();
    const std::string told = "a file of the API is kept as it was";
    const std::size_t first = text.find(told);
    ASSERT_NE(first, text.npos) << text;
    const std::size_t second = text.find(told, first + 1);
    ASSERT_NE(second, text.npos) << text;
    EXPECT_EQ(text.find(told, second + 1), text.npos) << text;
    EXPECT_TRUE(guard.admits("Bearer old"));
}

TEST_F(ApiGuardTest, AnOldTokenEndsAtTheNextLook) {
    settings.token_file = write("token", "old");
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    write("token", "newer");
    EXPECT_EQ(guard.look(), nullptr);
    EXPECT_FALSE(guard.admits("Bearer old"));
}

TEST_F(ApiGuardTest, ABadTokenFileKeepsTheOldToken) {
    settings.token_file = write("token", "old");
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    write("token", "not one");
    EXPECT_FALSE(guard.admits("Bearer not one"));
    EXPECT_TRUE(guard.admits("Bearer old"));
    std::filesystem::remove(settings.token_file);
    EXPECT_TRUE(guard.admits("Bearer old"));
    EXPECT_FALSE(guard.admits(""));
}

TEST_F(ApiGuardTest, FilesThatAreBadAtTheStartAreAProblem) {
    settings.token_file = write("token", "");
    EXPECT_NE(ApiGuard(settings).begin(), std::nullopt);
    settings.token_file.clear();
    write_identity(test::Authority().leaf());
    settings.tls_key = write("key.pem", "nonsense");
    EXPECT_NE(ApiGuard(settings).begin(), std::nullopt);
}

TEST_F(ApiGuardTest, ANewCertificateIsHandedOverOnceItFitsItsKey) {
    const test::Authority authority;
    write_identity(authority.leaf());
    ApiGuard guard(settings);
    EXPECT_EQ(guard.begin(), std::nullopt);
    const auto first = guard.tls();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(guard.look(), nullptr);
    const test::Identity fresh = authority.leaf();
    write("cert.pem", test::certificate_pem(fresh));
    EXPECT_EQ(guard.look(), nullptr);
    EXPECT_EQ(guard.tls(), first);
    write("key.pem", test::key_pem(fresh));
    EXPECT_NE(guard.look(), nullptr);
    EXPECT_NE(guard.tls(), first);
}

}  // namespace
}  // namespace ome::observer
