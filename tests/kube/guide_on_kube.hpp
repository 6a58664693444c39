// A walk through a guide on a real API server: its files are applied and its commands run by a
// shell as they stand there, beside simulated homes, the observer and the controller.
//
// What OME's own parts do is done by the test: the placement status is written by it, helm's values
// become the configuration as the chart would render them, and in place of `kubectl logs` the log
// of the controller's process goes through the guide's filters.
#pragma once

#include "integration/homes.hpp"
#include "kube/guide_text.hpp"
#include "kube/run_on_kube.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ome::test {

class GuideOnKube : public RunOnKube {
protected:
    struct Home {
        std::string cluster;
        std::string endpoint;
        int replicas = 2;  ///< admitted, and ready
    };

    /// Nothing is left of a namespace, maps and their finalizers included.
    void clear(const std::string& name);
    /// An empty namespace, also where there was one.
    void begin(const std::string& name);
    /// The service as the files of the guide call it, on its homes.
    void place(const std::string& service, const std::vector<Home>& on);
    /// With values of the chart, and members beside `routing`, as YAML.
    void run_controller(const std::string& values, const std::string& beside = {});
    /// The configuration that the chart renders from these values.
    [[nodiscard]] static std::string rendered(const std::string& values,
                                              const std::string& beside = {});

    /// In a folder of the test's own, with kubectl and its plugin on the PATH.
    CommandResult sh(const std::string& line);
    /// The next `kubectl apply -f isvc.yaml` is about this.
    void write_manifest(const std::string& text) const { folder_.write("isvc.yaml", text); }
    /// Runs the command of a part: it prints at once what the guide says.
    void expect_printed(const GuidePart& part);
    /// ... or soon.
    void expect_soon(const GuidePart& part);
    /// Its command prints this soon; for what the guide says in its text.
    void expect_soon(const std::string& command, const std::string& expected);
    /// The lines of the controller's log that the filter of a `kubectl logs ... | ...` lets
    /// through.
    std::string filtered_log(const GuidePart& part);
    /// Soon there is such a line.
    void expect_logged(const GuidePart& part, const std::string& text);

    [[nodiscard]] std::string uid_of(const std::string& service);

    std::unique_ptr<Homes> homes;
    std::unique_ptr<ControllerProcess> controller;

    void TearDown() override;

private:
    std::string begun_;
    Scratch folder_;
};

/// The manifest up to its block `routing`, and then this one.
[[nodiscard]] std::string with_routing(const std::string& manifest, const std::string& routing);
/// With the first line that begins so, whatever its indentation, replaced; empty: left out.
[[nodiscard]] std::string with_line(const std::string& manifest,
                                    const std::string& begin,
                                    const std::string& line);

}  // namespace ome::test
