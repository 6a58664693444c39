// A pod of a Deployment as a kubelet would run it, as far as that goes without one: the containers'
// commands with their arguments as processes, each in the order of the manifest, with the files of
// its volumes and a token of its service account where the manifest mounts them, and its probes.
// Ports are picked, and are on loopback.
#pragma once

#include "integration/scratch.hpp"
#include "kube/servers.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

class PodOnKube {
public:
    /// `deployment`: as it is stored; `program_paths`: by the names that the commands have;
    /// `variables`: `NAME=value` of all containers. A container whose startup probe does not
    /// pass is a failure of the test.
    PodOnKube(const boost::json::value& deployment,
              const std::map<std::string, std::string>& program_paths,
              const std::vector<std::string>& variables);
    /// In the order of a kubelet, sidecars last; a container that does not end is a failure.
    ~PodOnKube();
    PodOnKube(const PodOnKube&) = delete;
    PodOnKube& operator=(const PodOnKube&) = delete;

    /// Whether a probe of every container passes: `livenessProbe`, `readinessProbe`.
    [[nodiscard]] bool passes(const char* probe) const;
    /// What its containers have printed.
    [[nodiscard]] std::string output();

    /// Whether this user may have mounts of his own, which a container with a token needs.
    [[nodiscard]] static bool possible();

private:
    struct Container {
        boost::json::value spec;
        std::unique_ptr<Process> process;
    };
    void mount_volumes(const boost::json::value& pod, const std::string& ns);
    void write_config_map(const std::string& folder,
                          const boost::json::value& source,
                          const std::string& ns) const;
    void write_api_access(const std::string& folder,
                          const boost::json::value& source,
                          const std::string& account,
                          const std::string& ns) const;
    void start(const boost::json::value& spec,
               const std::map<std::string, std::string>& program_paths,
               const std::vector<std::string>& variables);
    [[nodiscard]] std::string with_our_places(std::string word, const boost::json::value& spec);
    [[nodiscard]] bool passes(const Container& container, const char* probe) const;

    Scratch scratch_;
    std::map<std::string, std::string> folders_;  // by the volume's name
    std::map<std::string, std::uint16_t> ports_;  // ours, by the manifest's
    std::vector<Container> containers_;
};

}  // namespace ome::test
