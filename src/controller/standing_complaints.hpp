// Complaints that are known anew at each look: told once for each change, and when they are over.
#pragma once

#include "store.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

class StandingComplaints {
public:
    using ByPlace = std::map<std::string, core::Problem>;

    /// `now`: all of them, by what they are about (`overrides/chat.yaml`).
    [[nodiscard]] std::vector<StoreNews> tell(ByPlace now);

    /// Where all of them are about one place; absent: there is none.
    [[nodiscard]] std::vector<StoreNews> tell(const std::string& place,
                                              std::optional<core::Problem> now);

private:
    ByPlace told_;
};

}  // namespace ome::controller
