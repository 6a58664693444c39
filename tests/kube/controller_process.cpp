#include "kube/controller_process.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace ome::test {
namespace {

// Polling is on, so that there is something to declare. The homes of the tests answer nothing.
constexpr const char* configuration = R"({"routing": {"enabled": true,
 "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
              "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
 "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
              "period": "1s", "timeout": "500ms", "maxAge": "30s"},
 "publisher": {"resyncInterval": "1m"}}})";

std::string program() {
    const char* path = std::getenv("OME_TRAFFICMAP");
    return path == nullptr ? "OME_TRAFFICMAP is not set" : path;
}

}  // namespace

ControllerProcess::ControllerProcess(const std::string& kubeconfig,
                                     const std::string& ns,
                                     const LeaseTimes& times,
                                     const std::string& identity,
                                     ControllerSetup setup)
    : observer_("", std::move(setup.observer_flags)), port_(free_port()) {
    const std::string& configured = setup.configuration;
    std::vector<std::string> command{
        program(),
        "run",
        "--store=kube",
        "--kubeconfig=" + kubeconfig,
        "--namespaces=" + ns,
        "--lease-namespace=ome-observer",
        "--identity=" + identity,
        "--lease-duration=" + times.duration,
        "--renew-deadline=" + times.renew_deadline,
        "--retry-period=" + times.retry_period,
        configured.starts_with("--")
            ? configured
            : "--config=" +
                  scratch_.write("config.json", configured.empty() ? configuration : configured),
        fmt::format("--observer=http://127.0.0.1:{}", observer_.port()),
        fmt::format("--listen=127.0.0.1:{}", port_)};
    std::ranges::move(setup.flags, std::back_inserter(command));
    process_ = std::make_unique<Process>(std::move(command));
}

ControllerProcess::~ControllerProcess() {
    EXPECT_EQ(output().find("warning of the API server"), std::string::npos) << output();
}

HttpReply ControllerProcess::get(std::string_view target) const {
    return http_call(port_, "GET", target);
}

bool ControllerProcess::leads() const {
    return get("/metrics").body.find("\nome_trafficmap_leading 1\n") != std::string::npos;
}

std::size_t ControllerProcess::declared() const {
    const boost::json::value list = observer_.get("/v1/services");
    return list.is_object() ? list.at("services").as_array().size() : 0;
}

std::string ControllerProcess::output() {
    (void)process_->wait_for_line("\n\n", std::chrono::milliseconds(1));
    return process_->output();
}

}  // namespace ome::test
