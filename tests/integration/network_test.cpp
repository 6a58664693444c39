// The observer and what lies between it and the homes: proxies, certificates, its own listener.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "support/scripted_dns.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

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

}  // namespace
}  // namespace ome::test
