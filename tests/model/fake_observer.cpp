#include "model/fake_observer.hpp"

#include <ome/wire/declaration_document.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/reading_document.hpp>
#include <ome/wire/watch_line.hpp>

#include <algorithm>

namespace ome::model {
namespace {

using namespace std::chrono_literals;

const core::ObserverLimits limits{.max_concurrent_reconciles = 8,
                                  .max_concurrent_requests = 16,
                                  .max_response_bytes = 65536,
                                  .min_period = 1s,
                                  .max_samples = 100};

}  // namespace

FakeObserver::FakeObserver(std::string instance)
    : instance_(std::move(instance)), fleet_(limits.min_period) {}

void FakeObserver::announce() {
    for (const core::Change& change : fleet_.take_changes()) {
        if (const auto known = revisions_.find(change.service); known != revisions_.end()) {
            known->second = feed_.home_changed(change.service, change.reading.cluster);
        }
    }
}

core::Result<std::string> FakeObserver::put(const std::string& line, const core::Now& now) {
    const auto document = wire::read_declaration_line(line, limits);
    if (!document.declaration) {
        return document.declaration.error();
    }
    const core::ServiceDeclaration& declaration = *document.declaration;
    revisions_.try_emplace(declaration.key, 0);
    const core::Dropped dropped = fleet_.declare(declaration, now);
    for (const std::string& cluster : dropped.forgotten) {
        feed_.home_forgotten(declaration.key, cluster);
    }
    if (dropped.service_changed) {
        feed_.service_changed(declaration.key);
    }
    announce();
    revisions_[declaration.key] = feed_.advance();
    return core::Result<std::string>(boost::system::in_place_value, answer(declaration.key, now));
}

void FakeObserver::forget(const core::ServiceKey& key, const core::Now&) {
    if (revisions_.erase(key) != 0) {
        (void)fleet_.forget(key);
        feed_.service_forgotten(key);
    }
}

void FakeObserver::keep_only(const std::vector<core::ServiceKey>& keys, const core::Now& now) {
    const auto have = revisions_;
    for (const auto& [key, revision] : have) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            forget(key, now);
        }
    }
}

std::string FakeObserver::answer(const core::ServiceKey& key, const core::Now& now) {
    auto document = wire::reading_document(*fleet_.read(key, now));
    document["instance"] = instance_;
    document["revision"] = revisions_.at(key);
    return wire::to_text(document);
}

std::string FakeObserver::list(const core::Now& now) {
    announce();
    boost::json::array services;
    for (const auto& [key, revision] : revisions_) {
        auto document = wire::reading_document(*fleet_.read(key, now));
        document["revision"] = revision;
        services.push_back(std::move(document));
    }
    return wire::to_text(boost::json::object{
        {"instance", instance_}, {"revision", feed_.revision()}, {"services", services}});
}

std::vector<std::string> FakeObserver::lines(std::uint64_t& since, const core::Now& now) {
    announce();
    std::vector<std::string> lines;
    for (const core::FeedItem& item : feed_.after(since, 1000)) {
        since = item.revision;
        const wire::WatchPlace place{instance_, item.revision};
        std::string line;
        if (item.forgotten) {
            std::vector<std::string> clusters;
            if (!item.cluster.empty()) {
                clusters.push_back(item.cluster);
            }
            wire::append_forgotten_line(line, place, item.service, clusters);
        } else if (const auto reading = item.cluster.empty()
                                            ? fleet_.read(item.service, {}, now)
                                            : fleet_.read(item.service, {item.cluster}, now)) {
            wire::append_reading_line(line, place, *reading);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string FakeObserver::bookmark() const {
    std::string line;
    wire::append_bookmark_line(line, {instance_, feed_.revision()});
    return line;
}

}  // namespace ome::model
