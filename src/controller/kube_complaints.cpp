#include "kube_complaints.hpp"

#include <ome/kube/right.hpp>
#include <ome/telemetry/log.hpp>

namespace ome::controller {

namespace log = telemetry::log;

void KubeComplaints::trouble(const char* at, const kube::Failure& failure) {
    if (!kube::lacks_right(failure)) {
        trouble(at, failure.message);
    }
}

void KubeComplaints::trouble(const char* at, const std::string& problem) {
    const auto verdict = told_.admit(problem, clock_().steady);
    if (verdict.tell) {
        log::warn("trouble with the API server",
                  {{"at", at}, {"problem", problem}, {"untold", verdict.untold}});
    }
}

void KubeComplaints::warning(const std::string& request, const std::string& text) {
    const auto verdict = told_.admit(text, clock_().steady);
    if (verdict.tell) {
        log::warn("warning of the API server",
                  {{"request", request}, {"warning", text}, {"untold", verdict.untold}});
    }
}

}  // namespace ome::controller
