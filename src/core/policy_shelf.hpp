// Policies that many services have alike, kept once: most services of a fleet have the policy of
// the chart, and a copy with its digest and statuses takes some 300 bytes, twice a service.
#pragma once

#include <ome/core/policy.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ome::core {

/// Equal in every field.
[[nodiscard]] bool same_policy(const CapacityPolicy& one, const CapacityPolicy& other);
[[nodiscard]] bool same_policy(const ProbePolicy& one, const ProbePolicy& other);

template <typename Policy>
class PolicyShelf {
public:
    /// An equal policy of earlier that somebody still has, or a copy; null when absent.
    [[nodiscard]] std::shared_ptr<const Policy> find(const std::optional<Policy>& policy) {
        if (!policy) {
            return nullptr;
        }
        std::weak_ptr<const Policy>& known = by_digest_[policy->digest];
        if (auto shared = known.lock(); shared && same_policy(*shared, *policy)) {
            return shared;
        }
        // Not in one piece with its counters: those live as long as the shelf knows of it.
        const std::shared_ptr<const Policy> fresh(new Policy(*policy));
        known = fresh;
        sweep();
        return fresh;
    }

    [[nodiscard]] std::size_t size() const { return by_digest_.size(); }

private:
    // Those that nobody has any more, whenever there are twice as many as after the last time.
    void sweep() {
        if (by_digest_.size() < 2 * left_ + 16) {
            return;
        }
        std::erase_if(by_digest_, [](const auto& entry) { return entry.second.expired(); });
        left_ = by_digest_.size();
    }

    std::map<std::string, std::weak_ptr<const Policy>> by_digest_;
    std::size_t left_ = 0;
};

}  // namespace ome::core
