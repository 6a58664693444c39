// What of an API server fails at the moment, from the answers of a client and from those that it
// did not get: by what was asked for, until that succeeds. Pure.
//
// A right that is missing is told as that (missing_rights.hpp), and what concerns one object alone,
// such as a conflict or a rule that it breaks, with that object.
#pragma once

#include "store.hpp"
#include <ome/core/time.hpp>
#include <ome/kube/failure.hpp>
#include <ome/kube/right.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ome::controller {

/// What is missing, where the server's own words do not say what to do about it.
[[nodiscard]] std::string missing_type(std::string_view plural,
                                       std::string_view group,
                                       std::string_view version,
                                       std::string_view what_to_do);

class KubeTroubles {
public:
    /// What nobody has tried for so long may not be wanted any more. Longer than the longest pause
    /// between two attempts of a write.
    static constexpr core::Duration forgotten_after = std::chrono::minutes(20);
    /// Of those that are told.
    static constexpr std::size_t most = 20;

    /// `refusal`: of an answer that is one; else null.
    void heard(const std::string& method,
               const std::string& target,
               unsigned status,
               const kube::Failure* refusal,
               const core::Now& now);
    /// No answer came, or none that can be read.
    void unanswered(const std::string& method,
                    const std::string& target,
                    const kube::Failure& failure,
                    const core::Now& now);
    /// What the lead before it met is not met any more, but for the Lease itself.
    void lead_begins();

    /// In order; that of the Lease first.
    [[nodiscard]] std::vector<StoreTrouble> all(core::SteadyTime now);

private:
    enum class At : std::uint8_t { Lease, Watch, Read, Write };
    struct Place {
        At at = At::Write;
        std::string resource;
        std::string ns;  // of Watch

        friend auto operator<=>(const Place&, const Place&) = default;
    };
    struct Standing {
        StoreTrouble trouble;
        bool of_login = false;  // whoever he asks is refused
        core::SteadyTime last;
    };
    [[nodiscard]] static Place place_of(const kube::Right& right);
    void failed(const Place& place, const kube::Failure& failure, const core::Now& now);
    void succeeded(const Place& place);

    std::map<Place, Standing> standing_;
};

}  // namespace ome::controller
