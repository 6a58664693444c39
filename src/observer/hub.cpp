#include "hub.hpp"

#include "ask.hpp"
#include "shard.hpp"
#include <ome/core/schedule.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>

#include <fmt/format.h>

#include <random>

namespace ome::observer {
namespace {

std::string random_id() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

Hub::Hub(std::vector<ShardAddress> shards, const HubSettings& settings)
    : shards_(std::move(shards)),
      instance_(random_id()),
      feed_(settings.most_forgotten),
      lease_(settings.declaration_ttl),
      watches_(settings.most_watches, [this](bool followed) { set_followed(followed); }) {}

// All homes of one service live on one reactor, and always on the same.
std::size_t Hub::shard_of(const core::ServiceKey& service) const {
    return core::identity_hash({service.ns, service.name}) % shards_.size();
}

const ShardAddress& Hub::address_of(const core::ServiceKey& service) const {
    return shards_[shard_of(service)];
}

// A service that an expired lease left to be forgotten starts anew: nothing of its past may show
// under the new instance.
net::Awaitable<RevisedReading> Hub::declare(core::ServiceDeclaration declaration) {
    const core::ServiceKey key = declaration.key;
    services_[key].declared = ++declarations_;
    lease_.renew(net::read_clock().steady);
    change_log_.log(declaration, net::read_clock().steady);
    const bool anew = leaving_.erase(key) > 0;
    const ShardAddress& at = address_of(key);
    auto work = [shard = at.shard, anew, declaration = std::move(declaration)] {
        if (anew) {
            shard->forget(declaration.key);
        }
        shard->declare(declaration);
        return shard->read(declaration.key);
    };
    std::optional<core::ServiceReading> reading =
        co_await ask<std::optional<core::ServiceReading>>(*at.io, std::move(work));
    RevisedReading answer;
    answer.revision = feed_.advance();
    if (reading) {
        answer.reading = std::move(*reading);
    }
    number(key, answer.revision);
    co_return answer;
}

net::Awaitable<void> Hub::forget(core::ServiceKey service) {
    lease_.renew(net::read_clock().steady);
    if (services_.erase(service) > 0) {
        co_await forget_at_shard(std::move(service));
    }
}

net::Awaitable<void> Hub::forget_at_shard(core::ServiceKey service) {
    const ShardAddress& at = address_of(service);
    auto work = [shard = at.shard, service = std::move(service)] {
        shard->forget(service);
        return true;
    };
    std::ignore = co_await ask<bool>(*at.io, std::move(work));
}

std::vector<core::ServiceKey> Hub::declared_until(std::uint64_t count) const {
    std::vector<core::ServiceKey> keys;
    for (const auto& [key, entry] : services_) {
        if (entry.declared <= count) {
            keys.push_back(key);
        }
    }
    return keys;
}

// One by one, so that no reactor forgets thousands at once.
net::Awaitable<bool> Hub::end_expired_lease() {
    if (!lease_.expired(net::read_clock().steady)) {
        co_return false;
    }
    lease_.end();
    if (services_.empty()) {
        co_return false;
    }
    for (const auto& [key, entry] : services_) {
        leaving_.insert(key);
    }
    services_.clear();
    feed_.clear();
    instance_ = random_id();
    telemetry::log::warn("nobody renewed the declarations: all are forgotten",
                         {{"services", leaving_.size()}, {"instance", instance_}});
    watches_.wake();
    while (!leaving_.empty()) {
        core::ServiceKey next = *leaving_.begin();
        leaving_.erase(leaving_.begin());
        co_await forget_at_shard(std::move(next));
    }
    co_return true;
}

void Hub::announce(const ShardNews& news) {
    if (news.service_forgotten) {
        feed_.service_forgotten(news.service);
    }
    for (const std::string& cluster : news.homes_forgotten) {
        feed_.home_forgotten(news.service, cluster);
    }
    if (news.service_changed && services_.contains(news.service)) {
        number(news.service, feed_.service_changed(news.service));
    }
    for (const core::Change& change : news.changes) {
        if (services_.contains(change.service)) {
            number(change.service, feed_.home_changed(change.service, change.reading.cluster));
            change_log_.log(change, net::read_clock().steady);
        }
    }
    watches_.wake();
}

void Hub::number(const core::ServiceKey& service, std::uint64_t revision) {
    if (const auto entry = services_.find(service); entry != services_.end()) {
        entry->second.revision = revision;
    }
}

void Hub::set_followed(bool followed) {
    for (const ShardAddress& at : shards_) {
        net::asio::post(*at.io, [shard = at.shard, followed] { shard->set_followed(followed); });
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
