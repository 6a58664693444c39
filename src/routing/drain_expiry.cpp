#include <ome/routing/drain_expiry.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

const DrainExpiry* expiry_of(const Drain& drain, const std::vector<DrainExpiry>& expiries) {
    const auto found = std::find_if(
        expiries.begin(), expiries.end(), [&drain](const auto& one) { return one.drain == drain; });
    return found == expiries.end() ? nullptr : &*found;
}

}  // namespace

Lapse lapse(const std::vector<Drain>& drains,
            const std::vector<DrainExpiry>& expiries,
            core::WallTime now) {
    Lapse result;
    for (const Drain& drain : drains) {
        const DrainExpiry* expiry = expiry_of(drain, expiries);
        if (expiry != nullptr && expiry->until <= now) {
            result.lapsed.push_back(drain);
            continue;
        }
        result.left.push_back(drain);
        if (expiry != nullptr) {
            result.expiries.push_back(*expiry);
            result.next = result.next ? std::min(*result.next, expiry->until) : expiry->until;
        }
    }
    result.changed = result.expiries.size() != expiries.size();
    return result;
}

}  // namespace ome::routing
