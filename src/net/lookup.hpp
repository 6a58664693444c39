// What is known of one name, and who waits to know more. Shared by all attempts that want it.
#pragma once

#include "dns_channel.hpp"
#include "timer.hpp"
#include <ome/core/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::net {

struct Resolved {
    std::vector<core::IpAddress> addresses = {};  ///< in the order of the answers, IPv6 first
    bool more_may_come = false;  ///< a lookup of the other family is still going on
    std::string problem = {};    ///< why there are no addresses
    bool no_such_name = false;   ///< that is what the name servers say
};

enum class Families : std::uint8_t {
    Early,  ///< what is known 50 ms after the first family answered (RFC 8305)
    Both,
};

/// A name in one family.
struct FamilyLookup {
    std::uint64_t started = 0;   ///< how often it was asked for,
    std::uint64_t finished = 0;  ///< and up to which of these it is answered
    DnsAnswer answer;
    core::SteadyTime finished_at{};
    core::SteadyTime expires{};

    [[nodiscard]] bool pending() const { return started != finished; }
    [[nodiscard]] bool found() const { return finished != 0 && !answer.addresses.empty(); }
    /// Enough to go on without the other family, after the resolution delay.
    [[nodiscard]] bool settles() const { return found() || answer.status == ARES_ENOTFOUND; }
};

struct Lookup {
    explicit Lookup(std::string host) : name(std::move(host)) {}

    /// Takes an answer and wakes all who wait.
    void finish(bool v6, DnsAnswer answer, core::SteadyTime now);
    void wake();

    /// There are addresses that may still be used.
    [[nodiscard]] bool good(core::SteadyTime now) const;

    std::string name;
    FamilyLookup families[2];  ///< IPv4, IPv6
    std::string found_as;      ///< where the search list had it, the last time
    std::vector<Timer*> waiters;
};

/// The lookups that one attempt waits for: those it started and those it found going on.
class JoinedLookup {
public:
    explicit JoinedLookup(const Lookup& lookup);

    [[nodiscard]] bool complete() const { return has(false) && has(true); }

    /// Until when to wait for what is still out.
    [[nodiscard]] core::SteadyTime patience(Families wanted) const;
    [[nodiscard]] Resolved result() const;

private:
    [[nodiscard]] bool has(bool v6) const;
    [[nodiscard]] int telling_status() const;

    const Lookup& lookup_;
    std::uint64_t started_[2];
};

/// Has `timer` cancelled at each answer, while this object lives.
class WakeAtAnswer {
public:
    WakeAtAnswer(Lookup& lookup, Timer& timer);
    ~WakeAtAnswer();
    WakeAtAnswer(const WakeAtAnswer&) = delete;
    WakeAtAnswer& operator=(const WakeAtAnswer&) = delete;

private:
    Lookup& lookup_;
    Timer& timer_;
};

}  // namespace ome::net
