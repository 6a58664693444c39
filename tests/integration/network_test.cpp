// The observer and what lies between it and the homes: proxies, certificates, its own listener.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "support/scripted_dns.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace ome::test {
namespace {

namespace json = boost::json;

/// Variables of this process, and so of those it starts, while the object lives.
class Variables {
public:
    Variables(std::vector<std::string> names, const std::string& value) : names_(std::move(names)) {
        for (const std::string& name : names_) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
    }
    ~Variables() {
        for (const std::string& name : names_) {
            ::unsetenv(name.c_str());
        }
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;

private:
    std::vector<std::string> names_;
};

std::string file(const json::object& one) {
    return json::serialize(json::array{one});
}

json::object probe_of(const ObserverProcess& observer, std::string_view cluster) {
    const json::value home = observer.home("default/chat", cluster);
    boost::system::error_code error;
    const json::value* probe = home.find_pointer("/probe", error);
    return probe == nullptr ? json::object() : probe->as_object();
}

bool passes(const ObserverProcess& observer, std::string_view cluster) {
    return eventually([&] {
        const json::object probe = probe_of(observer, cluster);
        return probe.contains("result") && probe.at("result") == "Passing";
    });
}

TEST(Network, F21_ProxyVariablesChangeNothingUnlessAsked) {
    const Variables all(
        {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"},
        "http://127.0.0.1:" + std::to_string(refused_port()));
    // By name: an endpoint that is a loopback address would never go through a proxy.
    ScriptedDns dns([](const std::string&, bool v6) {
        return v6 ? DnsReply{} : DnsReply{.addresses = {"127.0.0.1"}};
    });
    ScriptedServer home(answer_all(response("{}")));
    const auto endpoint = [&](const std::string&) {
        return "http://home.test:" + std::to_string(home.port());
    };
    const ObserverProcess observer(file(service("chat", {"worker-a"}, endpoint)),
                                   {"--dns-servers", dns.address()});
    EXPECT_TRUE(passes(observer, "worker-a"));
}

TEST(Network, ProxiesOfTheEnvironmentServeWhenAsked) {
    ScriptedServer proxy(answer_all(response("{}")));
    const Variables one({"http_proxy"},
                        "http://user:secret@127.0.0.1:" + std::to_string(proxy.port()));
    ObserverProcess observer(
        file(service("chat", {"worker-a"}, [](const std::string&) { return "http://home.test"; })),
        {"--proxy-from-environment"});
    EXPECT_TRUE(passes(observer, "worker-a"));
    EXPECT_EQ(proxy.requests().at(0).find("GET http://home.test/"), 0U);
    EXPECT_TRUE(observer.process().wait_for_line("proxies of the environment apply"));
    EXPECT_EQ(observer.process().output().find("secret"), std::string::npos);
}

TEST(Network, AClusterIsMetByItsOwnTlsFilesAndTheirChangesAreNoticed) {
    const Scratch scratch;
    const Authority authority;
    const auto context = server_context(authority.leaf());
    demand_certificate(*context, authority);
    ScriptedServer home(context, answer_all(response("{}")));
    std::filesystem::create_directory(scratch.path("tls"));
    const auto endpoint = [&](const std::string&) {
        return "https://localhost:" + std::to_string(home.port());
    };
    ObserverProcess observer(file(service("chat", {"worker-a", "worker-b"}, endpoint)),
                             {"--tls-dir", scratch.path("tls")});
    EXPECT_TRUE(eventually([&] {
        const json::object probe = probe_of(observer, "worker-a");
        return probe.contains("message") &&
               probe.at("message") ==
                   "transport error: TLS: certificate is signed by an unknown authority";
    }));
    const Identity client = authority.leaf();
    scratch.write("tls/worker-a.key", key_pem(client));
    scratch.write("tls/worker-a.crt", certificate_pem(client));
    scratch.write("tls/worker-a.ca.pem", certificate_pem(authority.identity()));
    EXPECT_TRUE(passes(observer, "worker-a"));
    EXPECT_EQ(probe_of(observer, "worker-b").at("result"), "Failing");
    const json::value reading = observer.home("default/chat", "worker-a");
    EXPECT_TRUE(reading.as_object().contains("tls")) << json::serialize(reading);
    EXPECT_TRUE(observer.process().wait_for_line("a certificate expires soon"));
    EXPECT_NE(observer.call("GET", "/metrics")
                  .body.find("ome_observer_earliest_certificate_expiry_timestamp_seconds "),
              std::string::npos);
}

TEST(Network, CertificatesThatExpireAreToldOfEveryHomeAndAlsoOnceTheyHaveExpired) {
    const Authority authority;
    ScriptedServer soon(server_context(authority.leaf()), answer_all(response("{}")));
    ScriptedServer too_late(
        server_context(authority.leaf({.valid_from = -7200, .valid_until = -3600})),
        answer_all(response("{}")));
    const auto endpoint = [&](const std::string& cluster) {
        const auto& home = cluster == "late" ? too_late : soon;
        return "https://localhost:" + std::to_string(home.port());
    };
    ObserverProcess observer(file(service("chat", {"late", "first", "second"}, endpoint)),
                             {"--ca-file", authority.file(), "--metrics-per-home"});
    EXPECT_TRUE(passes(observer, "first"));
    EXPECT_TRUE(passes(observer, "second"));
    for (const char* cluster : {"first", "second", "late"}) {
        const auto line = observer.process().wait_for_line(
            fmt::format(R"(service=default/chat cluster={} notAfter=)", cluster));
        ASSERT_TRUE(line) << observer.process().output();
        EXPECT_NE(line->find(cluster == std::string_view("late") ? "a certificate has expired"
                                                                 : "a certificate expires soon"),
                  line->npos)
            << *line;
    }
    EXPECT_TRUE(observer.home("default/chat", "late").as_object().contains("tls"));
    EXPECT_NE(observer.call("GET", "/metrics")
                  .body.find("ome_observer_home_certificate_expiry_timestamp_seconds{namespace="
                             "\"default\",service=\"chat\",cluster=\"late\"}"),
              std::string::npos);
}

/// Runs `status` to its end; what it printed.
std::string status_of(std::vector<std::string> flags) {
    std::vector<std::string> command{std::getenv("OME_OBSERVER"), "status"};
    command.insert(command.end(), flags.begin(), flags.end());
    Process process(command);
    std::ignore = process.wait_for_exit();
    return process.output();
}

TEST(Network, TheApiIsGuardedByATokenAndTls) {
    const Scratch scratch;
    const Authority authority;
    const Identity own = authority.leaf();
    const std::string port = std::to_string(free_port());
    const std::string token = scratch.write("token", "s3cret-token\n");
    Process observer({std::getenv("OME_OBSERVER"),
                      "serve",
                      "--listen",
                      "0.0.0.0:" + port,
                      "--token-file",
                      token,
                      "--tls-cert",
                      scratch.write("cert.pem", certificate_pem(own)),
                      "--tls-key",
                      scratch.write("key.pem", key_pem(own))});
    ASSERT_TRUE(observer.wait_for_line("serving"));
    const std::string url = "https://127.0.0.1:" + port;
    const std::string seen =
        status_of({"--url", url, "--ca-file", authority.file(), "--token-file", token});
    EXPECT_NE(seen.find("homes"), std::string::npos) << seen;
    EXPECT_NE(status_of({"--url", url, "--ca-file", authority.file()}).find("HTTP 401"),
              std::string::npos);
    EXPECT_NE(status_of({"--url", url, "--token-file", token}).find("unknown authority"),
              std::string::npos);
    EXPECT_EQ(observer.output().find("s3cret"), std::string::npos);
}

TEST(Network, AnApiThatOthersReachNeedsAGuard) {
    Process observer({std::getenv("OME_OBSERVER"), "serve", "--listen", "0.0.0.0:0"});
    EXPECT_EQ(observer.wait_for_exit(), 78);
    EXPECT_NE(observer.output().find("must be a loopback address or a Unix socket unless"),
              std::string::npos)
        << observer.output();
}

}  // namespace
}  // namespace ome::test
