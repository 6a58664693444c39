// What a folder as a store carries out, or refuses while it is elsewhere.
#include "dir_folder.hpp"
#include "drain_override.hpp"
#include "refused_requests.hpp"
#include "workload_files.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace ome::controller {

void DirFolder::append(const EventRecord& event) {
    tell(event_complaints_.tell("events.ndjson", events_.append(event)));
}

// The watch tells of the override that was written.
void DirFolder::carry_out(const DrainLapse& lapse) {
    const core::ServiceKey& key = lapse.key;
    const auto written = write_lapse(path_, service_tree_.path_of(services_.file_of(key)), lapse);
    const std::string place = fmt::format("overrides/{}/{}.yaml", key.ns, key.name);
    if (!written) {
        unlapsed_.insert(key);
        problems_.emplace_back(news::Unusable{place, key, written.error()});
        return;
    }
    if (unlapsed_.erase(key) > 0) {
        problems_.emplace_back(news::UsableAgain{place});
    }
    if (*written) {
        for (const EventRecord& event : lapse.events) {
            append(event);
        }
    }
}

void DirFolder::answer(const AddressQuery& query) {
    problems_.emplace_back(
        news::AddressesAre{query.source, addresses_of(path_ + "/workloads", query)});
}

DirFolder::Applied DirFolder::refuse(const std::vector<StoreRequest>& requests,
                                     const core::Problem& why) {
    was_displaced_ = true;
    Applied applied;
    for (const StoreRequest& request : requests) {
        if (auto write = refused_write(request, why)) {
            applied.results.push_back(*std::move(write));
        } else if (auto publication = refused_publication(request, why)) {
            applied.published.push_back(*std::move(publication));
        } else if (const auto* query = std::get_if<AddressQuery>(&request)) {
            unanswered_.push_back(*query);
        }
    }
    applied.news = std::exchange(problems_, {});
    return applied;
}

DirFolder::Applied DirFolder::apply(const std::vector<StoreRequest>& requests, core::WallTime now) {
    Applied applied;
    if (const auto displaced = displacement()) {
        return refuse(requests, *displaced);
    }
    std::vector<MapWrite> writes;
    for (const StoreRequest& request : requests) {
        if (const auto* write = std::get_if<MapWrite>(&request)) {
            writes.push_back(*write);
        } else if (const auto* remove = std::get_if<MapDelete>(&request)) {
            applied.results.push_back(maps_.remove(*remove, now));
        } else if (const auto* lapse = std::get_if<DrainLapse>(&request)) {
            carry_out(*lapse);
        } else if (const auto* event = std::get_if<EventRecord>(&request)) {
            append(*event);
        }
    }
    std::vector<StoreResult> written = maps_.write(writes, now);
    std::move(written.begin(), written.end(), std::back_inserter(applied.results));
    publish(requests, now, applied);
    applied.news = take_news(false, now);
    return applied;
}

void DirFolder::publish(const std::vector<StoreRequest>& requests,
                        core::WallTime now,
                        Applied& applied) {
    std::vector<MapStatusWrite> statuses;
    std::vector<ObjectRequest> objects;
    const auto take_result = [&applied](StoreResult result) {
        applied.published.push_back({.source = std::move(result.key),
                                     .outcome = result.outcome,
                                     .map = std::move(result.map),
                                     .problem = std::move(result.problem)});
    };
    for (const StoreRequest& request : requests) {
        if (const auto* status = std::get_if<MapStatusWrite>(&request)) {
            statuses.push_back(*status);
        } else if (const auto* finalizer = std::get_if<MapFinalizerWrite>(&request)) {
            take_result(maps_.write(*finalizer));
        } else if (const auto* write = std::get_if<ObjectWriteRequest>(&request)) {
            objects.emplace_back(*write);
        } else if (const auto* remove = std::get_if<ObjectDeleteRequest>(&request)) {
            objects.emplace_back(*remove);
        } else if (const auto* query = std::get_if<AddressQuery>(&request)) {
            answer(*query);
        }
    }
    for (StoreResult& result : maps_.write(statuses)) {
        take_result(std::move(result));
    }
    std::vector<PublicationResult> written = routes_.apply(objects, now);
    std::move(written.begin(), written.end(), std::back_inserter(applied.published));
}

}  // namespace ome::controller
