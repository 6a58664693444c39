// Names, against a name server of the test's own.
#include "../../src/net/resolver.hpp"

#include "support/run.hpp"
#include "support/scripted_dns.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ome::net {
namespace {

using namespace std::chrono_literals;
using test::DnsReply;

Awaitable<Resolved> resolve_once(Resolver* resolver,
                                 std::string host,
                                 Families wanted,
                                 Deadlines* deadlines,
                                 core::Duration timeout) {
    Operation operation(*deadlines, timeout);
    co_return co_await resolver->resolve(std::move(host), wanted, operation);
}

class ResolverTest : public testing::Test {
protected:
    Resolver& with(test::ScriptedDns::Zone zone) {
        dns = std::make_unique<test::ScriptedDns>(std::move(zone));
        resolver = Resolver::create(io, {dns->address(), ""}).value();
        return *resolver;
    }

    Resolved resolve(const std::string& host,
                     Families wanted = Families::Early,
                     core::Duration timeout = 5s) {
        const auto begun = std::chrono::steady_clock::now();
        Resolved resolved =
            test::run(io, resolve_once(resolver.get(), host, wanted, &deadlines, timeout));
        took = std::chrono::steady_clock::now() - begun;
        return resolved;
    }

    std::vector<std::string> addresses(const std::string& host, Families wanted = Families::Early) {
        std::vector<std::string> texts;
        for (const core::IpAddress& address : resolve(host, wanted).addresses) {
            texts.push_back(address.v6 ? "v6" : std::to_string(address.bytes[3]));
        }
        return texts;
    }

    asio::io_context io{1};
    Deadlines deadlines{io};
    std::unique_ptr<test::ScriptedDns> dns;
    std::unique_ptr<Resolver> resolver;
    core::Duration took{};
};

DnsReply v4_only(bool v6) {
    return v6 ? DnsReply{} : DnsReply{.addresses = {"192.0.2.7"}};
}

TEST_F(ResolverTest, AsksForBothFamiliesAndGivesIPv6First) {
    with([](const std::string&, bool v6) {
        return v6 ? DnsReply{.addresses = {"2001:db8::1"}}
                  : DnsReply{.addresses = {"192.0.2.1", "192.0.2.2"}};
    });
    EXPECT_EQ(addresses("a.test", Families::Both), (std::vector<std::string>{"v6", "1", "2"}));
    EXPECT_EQ(dns->queries().size(), 2U);
}

TEST_F(ResolverTest, ASilentFamilyCostsFiftyMillisecondsAndNoMoreAfterThat) {
    with([](const std::string&, bool v6) {
        return v6 ? DnsReply{.silent = true} : DnsReply{.addresses = {"192.0.2.7"}};
    });
    const Resolved resolved = resolve("a.test");
    EXPECT_EQ(resolved.addresses.size(), 1U);
    EXPECT_TRUE(resolved.more_may_come);
    EXPECT_GE(took, 50ms);
    EXPECT_LT(took, 1s);
    core::Duration more{};
    for (int again = 0; again < 100; ++again) {
        resolve("a.test");
        more += took;
    }
    EXPECT_LT(more, 2500ms) << "half of them waited";
}

TEST_F(ResolverTest, AnswersAreReusedForTheirTtl) {
    with([](const std::string&, bool v6) { return v4_only(v6); });
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(dns->queries().size(), 2U) << "and the family without addresses is not asked again";
}

TEST_F(ResolverTest, AnAnswerWithoutTtlIsNotReused) {
    with([](const std::string&, bool v6) {
        return v6 ? DnsReply{} : DnsReply{.addresses = {"192.0.2.7"}, .ttl = 0};
    });
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(dns->queries().size(), 4U);
}

TEST_F(ResolverTest, AnAnswerIsAskedForAgainWhenItsTtlIsOver) {
    std::atomic<bool> moved{false};
    with([&](const std::string&, bool v6) {
        const std::string address = moved ? "192.0.2.2" : "192.0.2.1";
        return v6 ? DnsReply{} : DnsReply{.addresses = {address}, .ttl = 1};
    });
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"1"}));
    moved = true;
    std::this_thread::sleep_for(1100ms);
    EXPECT_EQ(addresses("a.test"), (std::vector<std::string>{"2"}));
}

TEST_F(ResolverTest, FailuresAreNamedAndNotReused) {
    std::atomic<std::uint8_t> rcode{3};
    with([&](const std::string&, bool v6) {
        return rcode == 0 ? v4_only(v6) : DnsReply{.rcode = rcode};
    });
    EXPECT_EQ(resolve("gone.test").problem, "lookup gone.test: no such host");
    rcode = 2;
    EXPECT_EQ(resolve("gone.test").problem,
              "lookup gone.test: name servers failed or cannot be reached");
    rcode = 0;
    EXPECT_EQ(addresses("gone.test"), (std::vector<std::string>{"7"}));
}

TEST_F(ResolverTest, ANameWithoutAnyAddressIsNamed) {
    with([](const std::string&, bool) { return DnsReply{}; });
    EXPECT_EQ(resolve("empty.test").problem, "lookup empty.test: no address for this name");
}

TEST_F(ResolverTest, F28_AStuckNameEndsAtItsDeadlineAndHoldsUpNobodyElse) {
    with([](const std::string& name, bool v6) {
        return name == "silent.test" ? DnsReply{.silent = true} : v4_only(v6);
    });
    int ended = 0;
    for (int index = 0; index < 20; ++index) {
        asio::co_spawn(io,
                       resolve_once(resolver.get(), "silent.test", Families::Early, &deadlines, 2s),
                       [&ended](std::exception_ptr, const Resolved& resolved) {
                           EXPECT_TRUE(resolved.addresses.empty());
                           ++ended;
                       });
    }
    EXPECT_EQ(addresses("ok.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(ended, 0) << "the others still wait";
    EXPECT_TRUE(resolve("silent.test", Families::Early, 100ms).addresses.empty());
    EXPECT_LT(took, 1s);
    const auto asked = dns->queries();
    EXPECT_EQ(std::count(asked.begin(), asked.end(), "silent.test A"), 1)
        << "all who want a name share one lookup";
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (ended < 20 && std::chrono::steady_clock::now() < patience) {
        io.restart();
        io.run_one_for(100ms);
    }
    EXPECT_EQ(ended, 20);
}

TEST_F(ResolverTest, ALookupGoesOnWhenThoseWhoWantedItHaveLeft) {
    with([](const std::string&, bool v6) {
        DnsReply reply = v4_only(v6);
        reply.delay = 100ms;
        return reply;
    });
    EXPECT_TRUE(resolve("slow.test", Families::Early, 20ms).addresses.empty());
    io.restart();
    io.run_for(500ms);
    EXPECT_EQ(addresses("slow.test"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(dns->queries().size(), 2U);
}

TEST_F(ResolverTest, F28_ALookupWithoutAnAnswerIsGivenUpWithinFourSeconds) {
    with([](const std::string&, bool) { return DnsReply{.silent = true}; });
    constexpr int names = 12;  // how long each lasts is partly chance
    int given_up = 0;
    for (int index = 0; index < names; ++index) {
        asio::co_spawn(
            io,
            resolve_once(resolver.get(),
                         "silent" + std::to_string(index) + ".test",
                         Families::Early,
                         &deadlines,
                         4500ms),
            [&given_up](std::exception_ptr, const Resolved& resolved) {
                given_up += resolved.problem.ends_with("no answer from the name servers") ? 1 : 0;
            });
    }
    io.run_for(5s);
    EXPECT_EQ(given_up, names);
}

class SearchListTest : public ResolverTest {
protected:
    SearchListTest() {
        std::ofstream(path)
            << "nameserver 127.0.0.1\nsearch a.example b.example\noptions ndots:5\n";
    }
    ~SearchListTest() override { std::filesystem::remove(path); }

    /// Every name exists that ends in `suffix`.
    void with_names_in(std::string suffix) {
        dns = std::make_unique<test::ScriptedDns>(
            [suffix = std::move(suffix)](const std::string& name, bool v6) {
                return name.ends_with(suffix) ? v4_only(v6) : DnsReply{.rcode = 3};
            });
        resolver = Resolver::create(io, {dns->address(), path}).value();
    }

    std::vector<std::string> asked_for_v4() {
        std::vector<std::string> names;
        for (const std::string& query : dns->queries()) {
            if (query.ends_with(" A")) {
                names.push_back(query.substr(0, query.size() - 2));
            }
        }
        return names;
    }

    std::string path = testing::TempDir() + "ome-search.conf";
};

TEST_F(SearchListTest, ANameWithADotIsTriedAsItIsFirstAndThenNoFurther) {
    with_names_in("home.test");
    EXPECT_EQ(addresses("home.test", Families::Both), (std::vector<std::string>{"7"}));
    EXPECT_EQ(asked_for_v4(), (std::vector<std::string>{"home.test"}));
    EXPECT_EQ(dns->queries().size(), 2U) << "IPv6 is not searched for where IPv4 was found";
}

TEST_F(SearchListTest, ANameWithADotIsSearchedForWhenItDoesNotExist) {
    with_names_in("b.example");
    EXPECT_EQ(addresses("svc.ns"), (std::vector<std::string>{"7"}));
    const std::vector<std::string> once{"svc.ns", "svc.ns.a.example", "svc.ns.b.example"};
    EXPECT_EQ(asked_for_v4(), once);
    EXPECT_EQ(addresses("svc.ns"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(asked_for_v4(), once) << "what was found is known for its TTL";
}

TEST_F(SearchListTest, ANameWithoutADotIsSearchedForFirst) {
    with_names_in("a.example");
    EXPECT_EQ(addresses("svc"), (std::vector<std::string>{"7"}));
    EXPECT_EQ(asked_for_v4(), (std::vector<std::string>{"svc.a.example"}));
}

TEST_F(SearchListTest, ATrailingDotStopsTheSearch) {
    with_names_in("example");
    EXPECT_EQ(resolve("svc.ns.").problem, "lookup svc.ns.: no such host");
    EXPECT_EQ(asked_for_v4(), (std::vector<std::string>{"svc.ns"}));
}

TEST_F(ResolverTest, ATruncatedAnswerIsFetchedOverTcp) {
    with([](const std::string&, bool v6) {
        DnsReply reply = v4_only(v6);
        reply.truncated = !v6;
        return reply;
    });
    EXPECT_EQ(addresses("big.test", Families::Both), (std::vector<std::string>{"7"}));
}

TEST_F(ResolverTest, StoppingWakesWhoeverWaits) {
    with([](const std::string&, bool) { return DnsReply{.silent = true}; });
    bool woken = false;
    asio::co_spawn(
        io,
        resolve_once(resolver.get(), "silent.test", Families::Both, &deadlines, 1h),
        [&](std::exception_ptr, const Resolved& resolved) { woken = resolved.addresses.empty(); });
    io.poll();
    resolver->stop();
    io.restart();
    io.run_for(1s);
    EXPECT_TRUE(woken);
    EXPECT_TRUE(resolve("other.test").addresses.empty()) << "and nothing starts any more";
}

TEST_F(ResolverTest, MayGoWhileLookupsAreStillOut) {
    with([](const std::string&, bool) { return DnsReply{.silent = true}; });
    EXPECT_TRUE(resolve("silent.test", Families::Both, 20ms).addresses.empty());
    resolver.reset();
    io.restart();
    io.run_for(20ms);
}

TEST_F(ResolverTest, FollowsResolvConfWhenItChanges) {
    const std::string path = testing::TempDir() + "ome-resolv.conf";
    // A name server that cannot be reached on its port: only the search list can be seen to change.
    std::ofstream(path) << "nameserver 127.0.0.1\n";
    resolver = Resolver::create(io, {"", path}).value();
    const std::string before = resolve("a.invalid", Families::Both).problem;
    EXPECT_EQ(before, "lookup a.invalid: name servers failed or cannot be reached");
    std::ofstream(path) << "nameserver 127.0.0.2\n";
    std::this_thread::sleep_for(1100ms);
    EXPECT_EQ(resolve("a.invalid", Families::Both).problem, before);
    EXPECT_EQ(resolver->rebuilds(), 1U);
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace ome::net
