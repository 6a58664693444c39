#include "hub.hpp"

#include "ask.hpp"
#include "change_log.hpp"
#include "shard.hpp"
#include <ome/core/schedule.hpp>

#include <fmt/format.h>

#include <random>

namespace ome::observer {
namespace {

std::string random_id() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

Hub::Hub(std::vector<ShardAddress> shards) : shards_(std::move(shards)), instance_(random_id()) {}

// All homes of one service live on one reactor, and always on the same.
std::size_t Hub::shard_of(const core::ServiceKey& service) const {
    return core::identity_hash({service.ns, service.name}) % shards_.size();
}

net::Awaitable<RevisedReading> Hub::declare(core::ServiceDeclaration declaration) {
    const core::ServiceKey key = declaration.key;
    const std::size_t home = shard_of(key);
    services_[key].shard = home;
    const ShardAddress& at = shards_[home];
    auto work = [shard = at.shard, declaration = std::move(declaration)] {
        shard->declare(declaration);
        return shard->read(declaration.key);
    };
    std::optional<core::ServiceReading> reading =
        co_await ask<std::optional<core::ServiceReading>>(*at.io, std::move(work));
    RevisedReading answer;
    answer.revision = ++revision_;
    if (reading) {
        answer.reading = std::move(*reading);
    }
    if (const auto entry = services_.find(key); entry != services_.end()) {
        entry->second.revision = answer.revision;
    }
    co_return answer;
}

net::Awaitable<void> Hub::forget(core::ServiceKey service) {
    const auto entry = services_.find(service);
    if (entry == services_.end()) {
        co_return;
    }
    const ShardAddress& at = shards_[entry->second.shard];
    services_.erase(entry);
    ++revision_;
    auto work = [shard = at.shard, service = std::move(service)] {
        shard->forget(service);
        return true;
    };
    std::ignore = co_await ask<bool>(*at.io, std::move(work));
}

net::Awaitable<std::optional<RevisedReading>> Hub::read(core::ServiceKey service) {
    std::vector<core::ServiceKey> one{std::move(service)};
    std::vector<RevisedReading> found = co_await read_some(std::move(one));
    if (found.empty()) {
        co_return std::nullopt;
    }
    co_return std::move(found.front());
}

net::Awaitable<std::vector<RevisedReading>> Hub::read_some(std::vector<core::ServiceKey> services) {
    using Found = std::vector<std::optional<core::ServiceReading>>;
    std::map<core::ServiceKey, core::ServiceReading> readings;
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        std::vector<core::ServiceKey> here;
        std::copy_if(
            services.begin(), services.end(), std::back_inserter(here), [&](const auto& key) {
                return services_.contains(key) && shard_of(key) == i;
            });
        if (here.empty()) {
            continue;
        }
        auto work = [shard = shards_[i].shard, here = std::move(here)] {
            Found found;
            for (const core::ServiceKey& key : here) {
                found.push_back(shard->read(key));
            }
            return found;
        };
        for (std::optional<core::ServiceReading>& reading :
             co_await ask<Found>(*shards_[i].io, std::move(work))) {
            if (reading) {
                core::ServiceKey key = reading->key;
                readings.emplace(std::move(key), std::move(*reading));
            }
        }
    }
    std::vector<RevisedReading> answer;
    for (const core::ServiceKey& key : services) {
        const auto reading = readings.find(key);
        const auto entry = services_.find(key);
        if (reading != readings.end() && entry != services_.end()) {
            answer.push_back({std::move(reading->second), entry->second.revision});
        }
    }
    co_return answer;
}

std::vector<core::ServiceKey> Hub::keys_after(const std::optional<core::ServiceKey>& after,
                                              const std::string& ns,
                                              std::size_t limit) const {
    std::vector<core::ServiceKey> keys;
    auto entry = services_.begin();
    if (after) {
        entry = services_.upper_bound(*after);
    } else if (!ns.empty()) {
        entry = services_.lower_bound(core::ServiceKey{ns, ""});
    }
    for (; entry != services_.end() && keys.size() < limit; ++entry) {
        if (!ns.empty() && entry->first.ns != ns) {
            break;
        }
        keys.push_back(entry->first);
    }
    return keys;
}

std::vector<core::ServiceKey> Hub::keys() const {
    return keys_after(std::nullopt, "", services_.size());
}

net::Awaitable<std::vector<ShardStats>> Hub::stats() {
    std::vector<ShardStats> all;
    for (const ShardAddress& at : shards_) {
        auto work = [shard = at.shard] { return shard->stats(); };
        all.push_back(co_await ask<ShardStats>(*at.io, std::move(work)));
    }
    co_return all;
}

void Hub::announce(const std::vector<core::Change>& changes) {
    for (const core::Change& change : changes) {
        const auto entry = services_.find(change.service);
        if (entry != services_.end()) {
            entry->second.revision = ++revision_;
            log_change(change);
        }
    }
}

void Hub::set_limits(core::Duration min_period, std::size_t max_response_bytes) {
    for (const ShardAddress& at : shards_) {
        net::asio::post(*at.io, [shard = at.shard, min_period, max_response_bytes] {
            shard->set_limits(min_period, max_response_bytes);
        });
    }
}

}  // namespace ome::observer
