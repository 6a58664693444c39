// ome-trafficmap as a process on the test's API server, in the role that deploy/examples ships,
// with an observer of its own.
#pragma once

#include "integration/observer_process.hpp"
#include "integration/scratch.hpp"
#include "support/http_call.hpp"
#include "support/process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

/// How long a controller's lease lasts: long enough for a machine that does much else.
struct LeaseTimes {
    std::string duration = "15s";
    std::string renew_deadline = "12s";
    std::string retry_period = "500ms";
};

/// What differs from the usual start.
struct ControllerSetup {
    std::vector<std::string> flags = {};
    /// The flag that names it, or its text; empty: one that polls, and knows no gateway.
    std::string configuration = {};
    std::vector<std::string> observer_flags = {};
};

class ControllerProcess {
public:
    /// `run --store kube` for the services of one namespace. Returns at once.
    ControllerProcess(const std::string& kubeconfig,
                      const std::string& ns,
                      const LeaseTimes& times,
                      const std::string& identity,
                      ControllerSetup setup = {});
    /// What the API server has warned of (a field that it dropped, say) is a failure of the test.
    ~ControllerProcess();
    ControllerProcess(const ControllerProcess&) = delete;
    ControllerProcess& operator=(const ControllerProcess&) = delete;

    /// 0: it does not answer.
    [[nodiscard]] HttpReply get(std::string_view target) const;
    /// By its metric.
    [[nodiscard]] bool leads() const;
    [[nodiscard]] bool ready() const { return get("/readyz").status == 200; }
    /// Services that are declared to its observer.
    [[nodiscard]] std::size_t declared() const;
    [[nodiscard]] Process& process() { return *process_; }
    /// All it has printed.
    [[nodiscard]] std::string output();

private:
    Scratch scratch_;
    ObserverProcess observer_;
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

}  // namespace ome::test
