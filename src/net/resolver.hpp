// Names to addresses, on the reactor (design.md section 5, "Exchange"). A and AAAA are asked for
// separately, so that an answer in one family is not held back by silence in the other. Attempts
// that want the same name share one lookup per family; a lookup goes on when those who wanted it
// have left. Answers are reused for their TTL, at most 30 s; failures are not. A name with a dot is
// tried as it is before the search list, whatever `ndots` says.
#pragma once

#include "dns_channel.hpp"
#include "lookup.hpp"
#include <ome/core/time.hpp>
#include <ome/net/operation.hpp>

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ome::net {

class Resolver {
public:
    [[nodiscard]] static core::Result<std::unique_ptr<Resolver>> create(asio::io_context& io,
                                                                        DnsSettings settings);
    ~Resolver();

    /// Returns early, without addresses and without a problem, when the operation ends or the
    /// resolver stops.
    Awaitable<Resolved> resolve(std::string host, Families wanted, Operation& operation);

    /// Ends all lookups and wakes whoever waits.
    void stop();

    [[nodiscard]] std::uint64_t lookups() const { return lookups_; }
    [[nodiscard]] std::uint64_t rebuilds() const { return rebuilds_; }  ///< of the channel

private:
    struct FileState {
        std::int64_t modified_ns = 0;
        std::uint64_t inode = 0;
        std::int64_t size = 0;
        friend bool operator==(const FileState&, const FileState&) = default;
    };
    using LookupPtr = std::shared_ptr<Lookup>;

    Resolver(asio::io_context& io, DnsSettings settings, std::shared_ptr<DnsChannel> channel);

    [[nodiscard]] std::vector<std::string> candidates(const std::string& host);
    Awaitable<Resolved> resolve_exactly(std::string name, Families wanted, Operation& operation);
    [[nodiscard]] LookupPtr entry_for(const std::string& host);
    void refresh(const LookupPtr& entry, core::SteadyTime now);
    void start(const LookupPtr& entry, bool v6);
    void start_queued();
    void follow_resolv_conf(core::SteadyTime now);
    [[nodiscard]] FileState resolv_conf_state() const;

    asio::io_context& io_;
    DnsSettings settings_;
    std::shared_ptr<DnsChannel> channel_;
    std::vector<std::shared_ptr<DnsChannel>> retired_;  // lookups under an older resolv.conf
    std::list<LookupPtr> recent_;                       // the one used last comes first
    std::unordered_map<std::string_view, std::list<LookupPtr>::iterator> entries_;
    std::deque<std::pair<LookupPtr, bool>> queued_;
    FileState resolv_conf_;
    core::SteadyTime resolv_conf_checked_{};
    std::uint64_t lookups_ = 0;
    std::uint64_t rebuilds_ = 0;
    std::shared_ptr<bool> alive_;  // answers may come after the resolver has gone
    bool stopped_ = false;
};

}  // namespace ome::net
