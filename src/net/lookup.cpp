#include "lookup.hpp"

#include <ome/core/deadline.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

constexpr core::Duration resolution_delay = 50ms;  // RFC 8305 section 3
constexpr core::Duration longest_reuse = 30s;

std::string_view reason(int status) {
    switch (status) {
        case ARES_ENOTFOUND:
            return "no such host";
        case ARES_ENODATA:
            return "no address for this name";
        case ARES_ETIMEOUT:
            return "no answer from the name servers";
        case ARES_ESERVFAIL:
            return "name server failure";
        case ARES_EREFUSED:
            return "name server refused the query";
        case ARES_ECONNREFUSED:
            return "name servers failed or cannot be reached";
        case ARES_EBADNAME:
            return "not a valid name";
        default:
            return ares_strerror(status);
    }
}

}  // namespace

void Lookup::finish(bool v6, DnsAnswer answer, core::SteadyTime now) {
    FamilyLookup& family = families[v6];
    FamilyLookup& other = families[!v6];
    family.finished = family.started;
    family.finished_at = now;
    family.answer = std::move(answer);
    family.expires = core::later(now, std::min<core::Duration>(family.answer.ttl, longest_reuse));
    // A name without addresses in one family is not asked again while the other's are good.
    if (!family.found() && other.found()) {
        family.expires = other.expires;
    } else if (family.found() && !other.found() && !other.pending()) {
        other.expires = family.expires;
    }
    wake();
}

void Lookup::wake() {
    for (Timer* waiter : waiters) {
        waiter->cancel();
    }
}

bool Lookup::good(core::SteadyTime now) const {
    return std::any_of(std::begin(families), std::end(families), [now](const FamilyLookup& family) {
        return family.found() && !family.pending() && now < family.expires;
    });
}

JoinedLookup::JoinedLookup(const Lookup& lookup)
    : lookup_(lookup), started_{lookup.families[0].started, lookup.families[1].started} {}

bool JoinedLookup::has(bool v6) const {
    return lookup_.families[v6].finished >= started_[v6];
}

core::SteadyTime JoinedLookup::patience(Families wanted) const {
    for (const bool v6 : {false, true}) {
        const FamilyLookup& family = lookup_.families[v6];
        if (wanted == Families::Early && has(v6) && family.settles()) {
            return core::later(family.finished_at, resolution_delay);
        }
    }
    return core::SteadyTime::max();
}

Resolved JoinedLookup::result() const {
    Resolved resolved;
    for (const bool v6 : {true, false}) {
        const std::vector<core::IpAddress>& found = lookup_.families[v6].answer.addresses;
        if (has(v6)) {
            resolved.addresses.insert(resolved.addresses.end(), found.begin(), found.end());
        }
    }
    resolved.more_may_come = !complete();
    if (resolved.addresses.empty()) {
        const int status = telling_status();
        resolved.problem = reason(status);
        resolved.no_such_name = status == ARES_ENOTFOUND || status == ARES_ENODATA;
    }
    return resolved;
}

// IPv4's, unless the other says more.
int JoinedLookup::telling_status() const {
    const int v4 = lookup_.families[0].answer.status;
    const int v6 = lookup_.families[1].answer.status;
    return !has(false) || (has(true) && v4 == ARES_ENODATA) ? v6 : v4;
}

WakeAtAnswer::WakeAtAnswer(Lookup& lookup, Timer& timer) : lookup_(lookup), timer_(timer) {
    lookup_.waiters.push_back(&timer_);
}

WakeAtAnswer::~WakeAtAnswer() {
    std::erase(lookup_.waiters, &timer_);
}

}  // namespace ome::net
