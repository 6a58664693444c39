#include "standing_complaints.hpp"

#include <utility>

namespace ome::controller {

std::vector<StoreNews> StandingComplaints::tell(ByPlace now) {
    std::vector<StoreNews> all;
    for (const auto& [place, problem] : told_) {
        if (!now.contains(place)) {
            all.emplace_back(news::UsableAgain{place});
        }
    }
    for (const auto& [place, problem] : now) {
        const auto told = told_.find(place);
        if (told == told_.end() || told->second != problem) {
            all.emplace_back(news::Unusable{place, {}, problem});
        }
    }
    told_ = std::move(now);
    return all;
}

std::vector<StoreNews> StandingComplaints::tell(const std::string& place,
                                                std::optional<core::Problem> now) {
    ByPlace all;
    if (now) {
        all.emplace(place, *std::move(now));
    }
    return tell(std::move(all));
}

}  // namespace ome::controller
