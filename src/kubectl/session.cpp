#include "session.hpp"

#include <ome/core/duration.hpp>
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::kubectl {
namespace {

// Longer than that is no shorter than any request may take.
constexpr std::size_t most_digits = 6;

bool is_number(const std::string& text) {
    return !text.empty() && text.size() <= most_digits &&
           text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::optional<core::Duration> parse_request_timeout(const std::string& text) {
    return is_number(text) ? std::optional<core::Duration>(std::chrono::seconds(std::stol(text)))
                           : core::parse_duration(text);
}

core::Duration request_time_of(const Connection& connection) {
    const auto given = parse_request_timeout(connection.request_timeout);
    return given && *given > core::Duration::zero() ? std::min(*given, longest_request)
                                                    : longest_request;
}

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

int Session::fail(std::string_view message, int code) {
    terminal().err(fmt::format("error: {}\n", message));
    return code;
}

void Session::warn(std::string_view message) {
    // It may hold the name of somebody's file.
    terminal().err(fmt::format("warning: {}\n", core::sanitize_detail(message, 4096)));
}

}  // namespace ome::kubectl
