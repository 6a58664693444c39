// The API thread's view of the shards: which service lives where, what changed since a revision,
// and whether anybody still wants it. Readings themselves stay with the reactors and are asked for,
// a bounded piece at a time, so that keeping them current here costs an attempt nothing.
#pragma once

#include "change_log.hpp"
#include "shard_news.hpp"
#include "shard_stats.hpp"
#include "watch_board.hpp"
#include <ome/core/change_feed.hpp>
#include <ome/core/declaration.hpp>
#include <ome/core/declaration_lease.hpp>
#include <ome/core/fleet.hpp>
#include <ome/core/reading.hpp>
#include <ome/net/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ome::observer {

class Shard;

/// A shard and the context of the thread it belongs to.
struct ShardAddress {
    net::asio::io_context* io = nullptr;
    Shard* shard = nullptr;
};

struct RevisedReading {
    core::ServiceReading reading;
    std::uint64_t revision = 0;  ///< of the service's newest change
};

/// Some homes of a service.
struct HomeSelection {
    core::ServiceKey service;
    std::vector<std::string> clusters;
};

struct HubSettings {
    core::Duration declaration_ttl{};  ///< zero: never
    std::size_t most_watches = 64;
    /// How far back a watch can go on: as many forgotten homes and services.
    std::size_t most_forgotten = 16384;
};

class Hub {
public:
    Hub(std::vector<ShardAddress> shards, const HubSettings& settings);

    /// A random id made at start: a new one means that everything declared was forgotten.
    [[nodiscard]] const std::string& instance() const { return instance_; }
    [[nodiscard]] std::uint64_t revision() const { return feed_.revision(); }
    [[nodiscard]] std::size_t services() const { return services_.size(); }
    [[nodiscard]] bool declares(const core::ServiceKey& key) const {
        return services_.contains(key);
    }
    [[nodiscard]] const core::ChangeFeed& feed() const { return feed_; }
    [[nodiscard]] core::DeclarationLease& lease() { return lease_; }
    [[nodiscard]] WatchBoard& watches() { return watches_; }

    net::Awaitable<RevisedReading> declare(core::ServiceDeclaration declaration);
    net::Awaitable<void> forget(core::ServiceKey service);

    /// Counts declarations; see declared_until().
    [[nodiscard]] std::uint64_t declarations() const { return declarations_; }
    /// The services whose last declaration was the `count`th or an earlier one.
    [[nodiscard]] std::vector<core::ServiceKey> declared_until(std::uint64_t count) const;

    /// Forgets everything and takes a new instance when the lease has run out. True if so.
    net::Awaitable<bool> end_expired_lease();

    net::Awaitable<std::optional<RevisedReading>> read(core::ServiceKey service);

    /// The readings of the listed services in their order; those forgotten meanwhile are left out.
    /// Meant for a few dozen at a time.
    net::Awaitable<std::vector<RevisedReading>> read_some(std::vector<core::ServiceKey> services);

    /// One for each selection; absent when the service is not declared any more.
    net::Awaitable<std::vector<std::optional<core::ServiceReading>>> read_homes(
        std::vector<HomeSelection> selections);

    net::Awaitable<std::optional<core::ExtraAttempts>> request_attempts(core::ServiceKey service);
    net::Awaitable<std::optional<std::vector<core::HomeHistory>>> history(core::ServiceKey service,
                                                                          core::HistoryPart part);

    /// At most `limit` keys after `after` (absent: from the start), of one namespace if given.
    [[nodiscard]] std::vector<core::ServiceKey> keys_after(
        const std::optional<core::ServiceKey>& after,
        const std::string& ns,
        std::size_t limit) const;
    [[nodiscard]] std::vector<core::ServiceKey> keys() const;

    net::Awaitable<std::vector<ShardStats>> stats();

    /// On this thread; the reactors post here. Numbers the changes and logs what operators must
    /// see.
    void announce(const ShardNews& news);

    /// New limits for all reactors; effective for the next attempt.
    void set_limits(core::Duration min_period, std::size_t max_response_bytes);

private:
    struct Entry {
        std::uint64_t revision = 0;
        std::uint64_t declared = 0;
    };

    [[nodiscard]] std::size_t shard_of(const core::ServiceKey& service) const;
    [[nodiscard]] const ShardAddress& address_of(const core::ServiceKey& service) const;
    net::Awaitable<void> forget_at_shard(core::ServiceKey service);
    void number(const core::ServiceKey& service, std::uint64_t revision);
    void set_followed(bool followed);

    std::vector<ShardAddress> shards_;
    std::map<core::ServiceKey, Entry> services_;
    std::set<core::ServiceKey> leaving_;  ///< of an expired lease, not yet forgotten by their shard
    std::string instance_;
    core::ChangeFeed feed_;
    core::DeclarationLease lease_;
    WatchBoard watches_;
    ChangeLog change_log_;
    std::uint64_t declarations_ = 0;
};

}  // namespace ome::observer
