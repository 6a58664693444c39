// What the API asks the reactors: readings, histories, figures, and attempts now.
#include "ask.hpp"
#include "hub.hpp"
#include "shard.hpp"

#include <algorithm>
#include <iterator>

namespace ome::observer {

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
    // From before the reactors are asked: a change that comes meanwhile may or may not be in what
    // they answer, and who follows the watch from this revision on is told of it in both cases.
    std::map<core::ServiceKey, std::uint64_t> revisions;
    for (const core::ServiceKey& key : services) {
        if (const auto entry = services_.find(key); entry != services_.end()) {
            revisions.emplace(key, entry->second.revision);
        }
    }
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
        const auto revision = revisions.find(key);
        if (reading != readings.end() && revision != revisions.end() && services_.contains(key)) {
            answer.push_back({std::move(reading->second), revision->second});
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

net::Awaitable<std::vector<std::optional<core::ServiceReading>>> Hub::read_homes(
    std::vector<HomeSelection> selections) {
    using Found = std::vector<std::optional<core::ServiceReading>>;
    Found readings(selections.size());
    std::vector<std::vector<std::size_t>> places(shards_.size());
    for (std::size_t place = 0; place < selections.size(); ++place) {
        places[shard_of(selections[place].service)].push_back(place);
    }
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        if (places[i].empty()) {
            continue;
        }
        std::vector<HomeSelection> here;
        for (const std::size_t place : places[i]) {
            here.push_back(std::move(selections[place]));
        }
        auto work = [shard = shards_[i].shard, here = std::move(here)] {
            Found found;
            for (const HomeSelection& selection : here) {
                found.push_back(shard->read(selection.service, selection.clusters));
            }
            return found;
        };
        Found found = co_await ask<Found>(*shards_[i].io, std::move(work));
        for (std::size_t at = 0; at < found.size(); ++at) {
            readings[places[i][at]] = std::move(found[at]);
        }
    }
    co_return readings;
}

net::Awaitable<std::optional<core::ExtraAttempts>> Hub::request_attempts(core::ServiceKey service) {
    using Answer = std::optional<core::ExtraAttempts>;
    if (!services_.contains(service)) {
        co_return std::nullopt;
    }
    const ShardAddress& at = address_of(service);
    auto work = [shard = at.shard, service = std::move(service)] {
        return shard->request_attempts(service);
    };
    co_return co_await ask<Answer>(*at.io, std::move(work));
}

net::Awaitable<std::optional<std::vector<core::HomeHistory>>> Hub::history(core::ServiceKey service,
                                                                           core::HistoryPart part) {
    using Answer = std::optional<std::vector<core::HomeHistory>>;
    if (!services_.contains(service)) {
        co_return std::nullopt;
    }
    const ShardAddress& at = address_of(service);
    auto work = [shard = at.shard, service = std::move(service), part = std::move(part)] {
        return shard->history(service, part);
    };
    co_return co_await ask<Answer>(*at.io, std::move(work));
}

}  // namespace ome::observer
