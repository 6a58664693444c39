#include "fleet_state.hpp"

#include <utility>

namespace ome::core {

Fleet::Fleet(Duration min_period) : state_(std::make_unique<State>(min_period)) {}
Fleet::~Fleet() = default;
Fleet::Fleet(Fleet&&) noexcept = default;
Fleet& Fleet::operator=(Fleet&&) noexcept = default;

void Fleet::set_min_period(Duration min_period) {
    state_->min_period = min_period;
}

Dropped Fleet::declare(const ServiceDeclaration& declaration, const Now& now) {
    return state_->declare(declaration, now);
}

Dropped Fleet::forget(const ServiceKey& service) {
    return state_->forget(service);
}

void Fleet::gather(const Now& now) {
    state_->gather(now);
}

std::size_t Fleet::services_waiting() const {
    return state_->line.services();
}

std::optional<Attempt> Fleet::take(const Now& now) {
    return state_->take(now);
}

bool Fleet::finish(const Attempt& attempt, AttemptOutcome outcome, const Now& now) {
    return state_->finish(attempt, std::move(outcome), now);
}

RequestTarget Fleet::target_of(const Attempt& attempt) const {
    const Home* home = state_->home_of(attempt);
    if (home == nullptr) {
        return {};
    }
    const Service& service = state_->service_of(state_->track(attempt.slot));
    Result<RequestTarget> target = core::target_of(service, *home, attempt.plan->kind);
    if (!target) {
        return {};
    }
    target->url.clear();
    return *std::move(target);
}

std::string_view Fleet::cluster_of(const Attempt& attempt) const {
    const Home* home = state_->home_of(attempt);
    return home == nullptr ? std::string_view() : std::string_view(home->cluster);
}

std::string_view Fleet::endpoint_of(const Attempt& attempt) const {
    const Home* home = state_->home_of(attempt);
    return home == nullptr ? std::string_view() : home->canonical();
}

std::optional<SteadyTime> Fleet::next_wakeup() const {
    return state_->next_wakeup();
}

void Fleet::announce_times(bool wanted) {
    state_->times_wanted = wanted;
}

bool Fleet::has_changes() const {
    return !state_->changes.empty();
}

std::vector<Change> Fleet::take_changes() {
    return std::exchange(state_->changes, {});
}

std::optional<ServiceReading> Fleet::read(const ServiceKey& service, const Now& now) {
    const auto found = state_->services.find(service);
    if (found == state_->services.end()) {
        return std::nullopt;
    }
    return state_->read_service(found->second, nullptr, now);
}

std::optional<ServiceReading> Fleet::read(const ServiceKey& service,
                                          const std::vector<std::string>& clusters,
                                          const Now& now) {
    const auto found = state_->services.find(service);
    if (found == state_->services.end()) {
        return std::nullopt;
    }
    return state_->read_service(found->second, &clusters, now);
}

std::optional<ExtraAttempts> Fleet::request_attempts(const ServiceKey& service, const Now& now) {
    const auto found = state_->services.find(service);
    if (found == state_->services.end()) {
        return std::nullopt;
    }
    return state_->request_attempts(found->second, now);
}

std::optional<std::vector<HomeHistory>> Fleet::history(const ServiceKey& service,
                                                       const HistoryPart& part) const {
    const auto found = state_->services.find(service);
    if (found == state_->services.end()) {
        return std::nullopt;
    }
    return state_->history(found->second, part);
}

std::vector<ServiceKey> Fleet::keys_after(const ServiceKey* last, std::size_t limit) const {
    const auto& services = state_->services;
    std::vector<ServiceKey> keys;
    for (auto at = last == nullptr ? services.begin() : services.upper_bound(*last);
         at != services.end() && keys.size() < limit;
         ++at) {
        keys.push_back(at->first);
    }
    return keys;
}

FleetCounts Fleet::counts() const {
    FleetCounts counts = state_->totals;
    counts.services = state_->services.size();
    counts.waiting = state_->line.size();
    return counts;
}

FleetExtremes Fleet::extremes() const {
    return state_->extremes();
}

}  // namespace ome::core
