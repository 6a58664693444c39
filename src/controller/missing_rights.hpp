// Which rights an API server has refused and not given since, and what cannot be done without them.
// Fed with every answer of a client. Pure.
#pragma once

#include "store.hpp"
#include <ome/core/time.hpp>
#include <ome/kube/right.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

/// Whether `failure` is told as a right that is missing, and need not be told of each object.
[[nodiscard]] bool is_told_as_right(const kube::Failure& failure);

class MissingRights {
public:
    /// A right whose lack nothing has shown for so long may not be needed any more.
    static constexpr core::Duration forgotten_after = std::chrono::minutes(10);
    static constexpr std::size_t most = 100;

    /// `publishes`: a gateway is configured. Without one nobody needs the rights of the publisher.
    explicit MissingRights(bool publishes) : publishes_(publishes) {}

    struct Change {
        std::optional<MissingRight> missing = {};  ///< is missing as of now
        std::optional<MissingRight> back = {};     ///< is there again
        bool needed = true;                        ///< of `missing`
    };
    /// `refusal`: of an answer that is one; else null.
    Change heard(const std::string& method,
                 const std::string& target,
                 unsigned status,
                 const kube::Failure* refusal,
                 const core::Now& now);

    /// It is there again, as somebody has found out.
    Change given(const kube::Right& right);
    /// Those that are needed, as they are asked for; at most this many.
    [[nodiscard]] std::vector<kube::Right> to_ask_for(std::size_t most_of_them) const;

    /// A lead is over: what it lacked is not missed any more, but for the Lease itself.
    void lead_ended();

    /// Those that are needed, in order.
    [[nodiscard]] std::vector<MissingRight> needed(core::SteadyTime now);

private:
    struct Refused {
        MissingRight right;
        bool needed = true;
        core::SteadyTime last;
    };
    Change refused(kube::Right right, const kube::Failure& failure, const core::Now& now);

    bool publishes_;
    std::map<kube::Right, Refused> refused_;
};

/// What cannot be done without this right.
[[nodiscard]] std::string hindered_by(const kube::Right& right);

}  // namespace ome::controller
