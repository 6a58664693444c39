#include "session.hpp"

#include <ome/core/duration.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {

core::Result<Cluster*> Session::cluster() {
    if (cluster_ == nullptr) {
        auto opened = environment_.open_cluster(connection_);
        if (!opened) {
            return core::Problem{opened.error().detail.empty()
                                     ? "selected kubeconfig context is unavailable or unsafe"
                                     : opened.error().detail};
        }
        cluster_ = *std::move(opened);
    }
    return cluster_.get();
}

std::string Session::ns() const {
    if (!connection_.ns.empty()) {
        return connection_.ns;
    }
    const std::string of_context = cluster_ != nullptr ? cluster_->default_namespace() : "";
    return of_context.empty() ? "default" : of_context;
}

core::Duration Session::request_time() const {
    const auto given = core::parse_duration(connection_.request_timeout);
    return given && *given > core::Duration::zero() ? std::min(*given, longest_request)
                                                    : longest_request;
}

int Session::fail(std::string_view message, int code) {
    terminal().err(fmt::format("error: {}\n", message));
    return code;
}

void Session::warn(std::string_view message) {
    terminal().err(fmt::format("warning: {}\n", message));
}

}  // namespace ome::kubectl
