// News of a store as words, for comparing.
#pragma once

#include "store.hpp"

#include <string>
#include <vector>

namespace ome::test {

/// `service chat`, `gone chat`, `unusable PLACE: MESSAGE`, `doubtful PLACE: MESSAGE`, `usable
/// FILE`.
inline std::vector<std::string> in_words(const std::vector<controller::StoreNews>& all) {
    namespace news = controller::news;
    std::vector<std::string> words;
    for (const controller::StoreNews& one : all) {
        if (const auto* service = std::get_if<news::ServiceIs>(&one)) {
            words.push_back("service " + service->service->key.name);
        } else if (const auto* gone = std::get_if<news::ServiceGone>(&one)) {
            words.push_back("gone " + gone->key.name);
        } else if (const auto* unusable = std::get_if<news::Unusable>(&one)) {
            words.push_back("unusable " + unusable->place + ": " + unusable->problem.message);
        } else if (const auto* doubtful = std::get_if<news::Doubtful>(&one)) {
            words.push_back("doubtful " + doubtful->place + ": " + doubtful->problem.message);
        } else if (const auto* usable = std::get_if<news::UsableAgain>(&one)) {
            words.push_back("usable " + usable->file);
        } else {
            words.emplace_back("other");
        }
    }
    return words;
}

}  // namespace ome::test
