#include "kube_readability.hpp"

namespace ome::controller {

// Before the first list any refusal counts: the other collections must not wait for this one.
bool Readability::failed(const kube::Failure& failure) {
    const bool denied = failure.not_found() || failure.forbidden();
    const bool refused = failure.kind == kube::Failure::Kind::Refused && !failure.overloaded();
    if (!denied && !(refused && !listed_)) {
        return false;
    }
    if (++refusals_ >= refusals_believed) {
        missing_ = failure.not_found();
        problem_ = problem_.value_or(core::Problem{failure.message});
    }
    return true;
}

void Readability::listed() {
    refusals_ = 0;
    listed_ = true;
    missing_ = false;
    problem_.reset();
}

}  // namespace ome::controller
