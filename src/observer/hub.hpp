// The API thread's view of the shards: which service lives where, and the one counter of revisions.
// Readings themselves stay with the reactors and are asked for, a bounded piece at a time, so that
// keeping them current here costs an attempt nothing.
#pragma once

#include "shard_stats.hpp"
#include <ome/core/declaration.hpp>
#include <ome/core/fleet.hpp>
#include <ome/core/reading.hpp>
#include <ome/net/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

class Hub {
public:
    explicit Hub(std::vector<ShardAddress> shards);

    /// A random id made at start: a new one means that everything declared was forgotten.
    [[nodiscard]] const std::string& instance() const { return instance_; }
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    [[nodiscard]] std::size_t services() const { return services_.size(); }

    net::Awaitable<RevisedReading> declare(core::ServiceDeclaration declaration);
    net::Awaitable<void> forget(core::ServiceKey service);
    net::Awaitable<std::optional<RevisedReading>> read(core::ServiceKey service);

    /// The readings of the listed services in their order; those forgotten meanwhile are left out.
    /// Meant for a few dozen at a time.
    net::Awaitable<std::vector<RevisedReading>> read_some(std::vector<core::ServiceKey> services);

    /// At most `limit` keys after `after` (absent: from the start), of one namespace if given.
    [[nodiscard]] std::vector<core::ServiceKey> keys_after(
        const std::optional<core::ServiceKey>& after,
        const std::string& ns,
        std::size_t limit) const;
    [[nodiscard]] std::vector<core::ServiceKey> keys() const;

    net::Awaitable<std::vector<ShardStats>> stats();

    /// On this thread; the reactors post here. Numbers the changes and logs what operators must
    /// see.
    void announce(const std::vector<core::Change>& changes);

    /// New limits for all reactors; effective for the next attempt.
    void set_limits(core::Duration min_period, std::size_t max_response_bytes);

private:
    struct Entry {
        std::size_t shard = 0;
        std::uint64_t revision = 0;
    };

    [[nodiscard]] std::size_t shard_of(const core::ServiceKey& service) const;

    std::vector<ShardAddress> shards_;
    std::map<core::ServiceKey, Entry> services_;
    std::string instance_;
    std::uint64_t revision_ = 0;
};

}  // namespace ome::observer
