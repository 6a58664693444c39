#include "held_back.hpp"

#include <algorithm>

namespace ome::controller {

void HeldBack::hear(const StoreNews& told, core::WallTime now) {
    if (const auto* unusable = std::get_if<news::Unusable>(&told)) {
        for (const core::ServiceKey& key : unusable->holds) {
            routing::LastGood& held =
                services_[key]
                    .try_emplace(file_of_place(unusable->place), routing::LastGood{.since = now})
                    .first->second;
            held.place = unusable->place;
            held.problem = unusable->problem;
        }
    } else if (const auto* usable = std::get_if<news::UsableAgain>(&told)) {
        hear_usable(usable->file);
    } else if (const auto* service = std::get_if<news::ServiceIs>(&told)) {
        services_.erase(service->service->key);
    } else if (const auto* gone = std::get_if<news::ServiceGone>(&told)) {
        services_.erase(gone->key);
    }
}

void HeldBack::hear_usable(const std::string& file) {
    for (auto at = services_.begin(); at != services_.end();) {
        at->second.erase(file);
        at = at->second.empty() ? services_.erase(at) : std::next(at);
    }
}

const routing::LastGood* HeldBack::find(const core::ServiceKey& key) const {
    const auto found = services_.find(key);
    if (found == services_.end()) {
        return nullptr;
    }
    const ByFile& files = found->second;
    return &std::min_element(files.begin(), files.end(), [](const auto& a, const auto& b) {
                return a.second.since < b.second.since;
            })->second;
}

}  // namespace ome::controller
