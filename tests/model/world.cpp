#include "model/map_checker.hpp"

#include <algorithm>

namespace ome::model {

void World::facts(Millis at, const std::string& key, ServiceFacts facts) {
    facts_[key].push_back({at, std::move(facts)});
}

void World::answer(const std::string& key, const std::string& cluster, Answer answer) {
    answers_[key][cluster].push_back(answer);
}

std::vector<const ServiceFacts*> World::between(const std::string& key,
                                                Millis from,
                                                Millis until) const {
    std::vector<const ServiceFacts*> found;
    const auto spans = facts_.find(key);
    if (spans == facts_.end()) {
        return found;
    }
    for (std::size_t i = 0; i < spans->second.size(); ++i) {
        const Millis begin = spans->second[i].from;
        const Millis end = i + 1 < spans->second.size() ? spans->second[i + 1].from
                                                        : std::numeric_limits<Millis>::max();
        if (begin <= until && end >= from) {
            found.push_back(&spans->second[i].facts);
        }
    }
    return found;
}

const std::vector<Answer>& World::answers(const std::string& key,
                                          const std::string& cluster) const {
    static const std::vector<Answer> none;
    const auto homes = answers_.find(key);
    if (homes == answers_.end()) {
        return none;
    }
    const auto home = homes->second.find(cluster);
    return home == homes->second.end() ? none : home->second;
}

bool World::silent_throughout(Millis from, Millis until) const {
    return std::any_of(silences_.begin(), silences_.end(), [&](const Silence& silence) {
        return silence.from <= from && silence.until >= until;
    });
}

bool World::restarted_just_before(Millis at) const {
    return std::any_of(restarts_.begin(), restarts_.end(), [&](Millis restart) {
        return restart <= at && restart + 5000 + lag_at(at) >= at;
    });
}

}  // namespace ome::model
