#include "../../src/net/dns_channel.hpp"
#include "../../src/net/lookup.hpp"
#include "events.hpp"
#include "require.hpp"
#include "targets.hpp"

#include <algorithm>
#include <string>

namespace ome::fuzz {
namespace {

using std::chrono::seconds;

constexpr int statuses[] = {
    ARES_SUCCESS, ARES_ENODATA, ARES_ENOTFOUND, ARES_ETIMEOUT, ARES_ESERVFAIL, ARES_EDESTRUCTION};

net::DnsAnswer answer_from(Choices& choices, bool v6) {
    net::DnsAnswer answer{.status = statuses[choices.up_to(5)]};
    if (answer.status != ARES_SUCCESS) {
        return answer;
    }
    const std::int32_t count = choices.up_to(3);
    for (std::int32_t i = 0; i <= count; ++i) {
        core::IpAddress address{.v6 = v6};
        address.bytes[0] = choices.byte();
        answer.addresses.push_back(address);
    }
    answer.ttl = seconds(choices.byte());
    return answer;
}

void check_result(const net::Resolved& resolved, const net::JoinedLookup& joined) {
    require(resolved.addresses.empty() != resolved.problem.empty(), "addresses or a problem");
    require(std::is_partitioned(resolved.addresses.begin(),
                                resolved.addresses.end(),
                                [](const core::IpAddress& one) { return one.v6; }),
            "IPv6 comes first");
    require(resolved.more_may_come == !joined.complete(), "what is still out is told");
    require(!resolved.no_such_name || resolved.addresses.empty(), "a name with addresses exists");
}

// Questions and answers in any order, with time between them.
void check_sequence(Choices choices) {
    net::Lookup lookup("a.test");
    core::SteadyTime now{std::chrono::hours(1)};
    core::SteadyTime fresh = now;  // since when the oldest answer that counts is known
    for (int step = 0; step < 64 && !choices.done(); ++step) {
        const bool v6 = choices.yes();
        net::FamilyLookup& family = lookup.families[v6];
        switch (choices.up_to(3)) {
            case 0:
                ++family.started;
                break;
            case 1:
                if (family.pending()) {
                    lookup.finish(v6, answer_from(choices, v6), now);
                    fresh = now;
                    require(!family.pending(), "an answer ends what waits for it");
                }
                break;
            case 2:
                now += seconds(choices.byte());
                break;
            default: {
                const net::JoinedLookup joined(lookup);
                check_result(joined.result(), joined);
            }
        }
        require(!lookup.good(now) || now - fresh < seconds(31), "nothing is reused for longer");
        require(!lookup.good(now) || lookup.families[0].found() || lookup.families[1].found(),
                "what is good has addresses");
    }
}

// What we take for name servers c-ares takes, too.
void check_servers(const std::string& text) {
    const auto problem = net::check(net::DnsSettings{.servers = text});
    if (problem) {
        return require_readable(problem->message);
    }
    if (text.empty()) {
        return;
    }
    net::asio::io_context io;
    const auto channel = net::DnsChannel::create(io, {.servers = text});
    require(channel.has_value(), "accepted name servers are usable");
}

}  // namespace

void check_dns(std::string_view input) {
    check_sequence(Choices(input));
    std::string text(input.substr(0, input.find('\n')));
    if (text.find('\0') == std::string::npos && text.size() <= 200) {
        check_servers(text);
    }
}

}  // namespace ome::fuzz
