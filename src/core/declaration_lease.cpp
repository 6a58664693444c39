#include <ome/core/declaration_lease.hpp>
#include <ome/core/schedule.hpp>

namespace ome::core {

void DeclarationLease::renew(SteadyTime now) {
    renewed_ = now;
}

// Somebody who only watches declares nothing: without a declaration there is no lease.
void DeclarationLease::hold(SteadyTime now) {
    ++holders_;
    if (renewed_) {
        renewed_ = now;
    }
}

void DeclarationLease::release(SteadyTime now) {
    --holders_;
    if (renewed_) {
        renewed_ = now;
    }
}

bool DeclarationLease::expired(SteadyTime now) const {
    return ttl_ > Duration::zero() && holders_ == 0 && renewed_ && now >= later(*renewed_, ttl_);
}

}  // namespace ome::core
