// Why a home has the weight it has: the steps from the admitted replicas to the final weight, as
// data and as text. Of a map that an error keeps as it was: what it holds.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::routing {

struct Step {
    std::string what;   ///< `admitted`, `ready`, `ceiling`, `factor`, `gate`, `preserved`,
                        ///< `reduced`, `capped`, `withdrawn`, `drain`; `stored` alone
                        ///< when the map is frozen
    std::string text;   ///< for people
    std::string value;  ///< what is left after the step; exact, so a text
};

struct HomeExplanation {
    std::string cluster;
    std::int32_t weight = 0;
    double share = 0;         ///< of the sum of the weights; 0 when that is 0
    std::vector<Step> steps;  ///< in the order in which they apply
    std::string text;         ///< one line: `worker-b 0: admitted 2, ready 2, ceiling 1 -> 1; ...`
};

/// Of a service of which something newer is there and cannot be used.
struct LastGood {
    core::WallTime since{};  ///< when that was found
    std::string place = {};  ///< the file that cannot be used, with the line: `demo/chat.yaml:12`
    core::Problem problem = {};
};

/// `the last good state is in force, since ... because ... cannot be used: ...`
[[nodiscard]] std::string sentence(const LastGood& held);

struct Explanation {
    std::vector<HomeExplanation> homes;
    std::string routable;     ///< the condition's reason and message in one line
    std::string frozen = {};  ///< why the map stays as it is; empty: it does not
    /// What the readings would make of it, while the service is in shadow (shadow.hpp).
    std::vector<HomeExplanation> shadow{};
    std::vector<std::string> notes{};  ///< drains and factors without effect, clusters that are no
                                       ///< homes, a sentence each
    std::optional<LastGood> last_good = {};  ///< absent: the newest state is in force
};

[[nodiscard]] Explanation explain(const InferenceService& service,
                                  const RoutedService& routed,
                                  const Observations& observations);

/// The weights in force while `why` keeps a map as it was: those of `stored`; null: there is none.
[[nodiscard]] Explanation explain_frozen(const TrafficMap* stored, std::string why);

/// For people: that the last good state is in force, and `frozen because ...`, where it is so, the
/// condition, a line for each home and note. Each line but the first begins with `indent`.
[[nodiscard]] std::string text_of(const Explanation& explanation, std::string_view indent = {});

}  // namespace ome::routing
