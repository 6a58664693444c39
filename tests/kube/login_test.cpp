#include "kube/login.hpp"

#include "integration/scratch.hpp"
#include "support/certificates.hpp"
#include "support/run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ome::kube {
namespace {

using namespace std::chrono_literals;
using test::Scratch;
using testing::HasSubstr;
using testing::Not;

constexpr core::WallTime today{1'790'000'000, 0};

Access plain() {
    Access access;
    access.server = net::parse_local_url("http://127.0.0.1:1").value();
    return access;
}

Access with_token_file(const std::string& path) {
    Access access = plain();
    access.user.token_file = path;
    return access;
}

// A plugin that counts how often it was run.
Access with_plugin(const Scratch& scratch, const std::string& script) {
    const std::string path =
        scratch.write("plugin", "#!/bin/sh\necho run >>" + scratch.path("runs") + "\n" + script);
    ::chmod(path.c_str(), 0700);
    Access access = plain();
    access.user.exec = wire::KubeconfigExec{"client.authentication.k8s.io/v1", path};
    return access;
}

std::size_t runs(const Scratch& scratch) {
    struct stat info {};
    return ::stat(scratch.path("runs").c_str(), &info) == 0
               ? static_cast<std::size_t>(info.st_size) / 4
               : 0;
}

TEST(LoginReader, FindsTheTokenInItsFileEachTime) {
    const Scratch scratch;
    LoginReader reader(with_token_file(scratch.write("token", "first\n")), {});
    EXPECT_EQ(reader.read(today, false)->token, "first");
    scratch.write("token", "second");
    EXPECT_EQ(reader.read(today, false)->token, "second");
}

TEST(LoginReader, RefusesATokenThatWouldBreakTheRequest) {
    const Scratch scratch;
    LoginReader reader(with_token_file(scratch.write("token", "a\r\nHost: b")), {});
    const auto identity = reader.read(today, false);
    ASSERT_FALSE(identity);
    EXPECT_THAT(identity.error().message, Not(HasSubstr("Host")));
}

TEST(LoginReader, KeepsItsTrustWhileTheFilesAreTheSame) {
    const Scratch scratch;
    const test::Authority first("first");
    const test::Authority second("second");
    Access access;
    access.server = net::parse_local_url("https://127.0.0.1:1").value();
    access.authority_file = scratch.write("ca", test::certificate_pem(first.identity()));
    LoginReader reader(access, {});
    const auto trust = reader.read(today, false)->trust;
    ASSERT_NE(trust, nullptr);
    EXPECT_EQ(reader.read(today, false)->trust, trust);
    scratch.write("ca", test::certificate_pem(second.identity()));
    EXPECT_NE(reader.read(today, false)->trust, trust);
    scratch.write("ca", "no certificate");
    EXPECT_THAT(reader.read(today, false).error().message, HasSubstr("certificate-authority"));
}

TEST(LoginReader, AsksAPluginOnceUntilItsCredentialEnds) {
    const Scratch scratch;
    Access access = with_plugin(
        scratch,
        R"(echo '{"status":{"token":"said","expirationTimestamp":"2026-09-21T14:13:30Z"}}')");
    LoginReader reader(access, {});
    const core::WallTime end = today + 10s;  // 2026-09-21T14:13:30Z
    EXPECT_EQ(reader.read(today + -60s, false)->token, "said");
    EXPECT_EQ(reader.read(end + -11s, false)->token, "said");
    EXPECT_EQ(runs(scratch), 1U);
    EXPECT_EQ(reader.read(end + -10s, false)->token, "said");
    EXPECT_EQ(runs(scratch), 2U) << "its credential is about to end";
    static_cast<void>(reader.read(today + -60s, true));
    EXPECT_EQ(runs(scratch), 3U) << "the server did not take it";
}

TEST(LoginReader, SaysWhyAPluginDidNot) {
    const Scratch scratch;
    Access access = with_plugin(scratch, "echo 'please log in' >&2; exit 1");
    access.user.exec->install_hint = "install the plugin";
    LoginReader failing(access, {});
    const auto identity = failing.read(today, false);
    ASSERT_FALSE(identity);
    EXPECT_THAT(identity.error().message, HasSubstr("please log in"));
    EXPECT_THAT(identity.error().message, HasSubstr("install the plugin"));
    LoginReader odd(with_plugin(scratch, R"(echo '{"status":{"token":5}, "x":"s3cret"}')"), {});
    const auto unread = odd.read(today, false);
    ASSERT_FALSE(unread);
    EXPECT_THAT(unread.error().message, Not(HasSubstr("s3cret")));
}

TEST(LoginReader, GivesAPluginNoMoreThanItsTime) {
    const Scratch scratch;
    LoginReader reader(with_plugin(scratch, "sleep 1000"), {.exec_time_limit = 100ms});
    EXPECT_THAT(reader.read(today, false).error().message, HasSubstr("did not end within 100ms"));
}

TEST(Login, ReadsAgainAtOnceWhenTheServerRefuses) {
    const Scratch scratch;
    net::asio::io_context io(1);
    Login login(io, with_token_file(scratch.write("token", "old")), {.look_again = 1h});
    const auto old = test::run(io, login.current());
    ASSERT_TRUE(old) << old.error().message;
    scratch.write("token", "new");
    EXPECT_EQ(test::run(io, login.current())->token, "old") << "it was looked at lately";
    EXPECT_EQ(test::run(io, login.renewed(*old))->token, "new");
    EXPECT_EQ(test::run(io, login.current())->token, "new");
}

TEST(Login, KeepsTheLastOneWhileTheFileIsAway) {
    const Scratch scratch;
    net::asio::io_context io(1);
    Login login(io, with_token_file(scratch.write("token", "kept")), {.look_again = 0s});
    EXPECT_EQ(test::run(io, login.current())->token, "kept");
    std::remove(scratch.path("token").c_str());
    EXPECT_EQ(test::run(io, login.current())->token, "kept");
}

TEST(Login, SaysWhatIsMissing) {
    const Scratch scratch;
    net::asio::io_context io(1);
    Login login(io, with_token_file(scratch.path("token")), {});
    const auto identity = test::run(io, login.current());
    ASSERT_FALSE(identity);
    EXPECT_EQ(identity.error().kind, Failure::Kind::Login);
    EXPECT_THAT(identity.error().message, HasSubstr("token"));
}

}  // namespace
}  // namespace ome::kube
