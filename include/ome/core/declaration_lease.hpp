// Whether anybody still wants what is observed (design.md section 4, "Declaration lease").
#pragma once

#include <ome/core/time.hpp>

#include <cstddef>
#include <optional>

namespace ome::core {

/// Runs from the first declaration on. What the controller changes renews it, and so does an open
/// watch with a holder, for as long as it is open. The owner of this asks expired() now and then,
/// and forgets everything when the answer is yes.
class DeclarationLease {
public:
    /// `ttl` zero: never expires.
    explicit DeclarationLease(Duration ttl) : ttl_(ttl) {}

    void renew(SteadyTime now);

    /// A watch with a holder opens, or ends.
    void hold(SteadyTime now);
    void release(SteadyTime now);

    [[nodiscard]] bool expired(SteadyTime now) const;

    /// Everything was forgotten: nothing to expire until it is renewed.
    void end() { renewed_.reset(); }

private:
    Duration ttl_;
    std::size_t holders_ = 0;
    std::optional<SteadyTime> renewed_;
};

}  // namespace ome::core
