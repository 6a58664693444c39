// A real Kubernetes API server, with etcd behind it and the two controllers that deletions need
// (garbage collector, namespaces), on loopback: TLS, RBAC and tokens as on a cluster. One for a
// test program, started by the first test that asks.
//
// The programs are taken from KUBEBUILDER_ASSETS, else from where tools/kube-tools puts them.
#pragma once

#include "integration/scratch.hpp"
#include "support/certificates.hpp"
#include "support/process.hpp"
#include <ome/kube/access.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ome::test {

/// Where the programs are; empty: nowhere.
[[nodiscard]] std::string kube_programs();

/// Long, for a machine that does much else.
inline constexpr std::chrono::seconds kube_patience{120};

struct CommandResult {
    int exit_code = -1;
    std::string output;  ///< standard output and error together
};

class KubeServers {
public:
    /// Starts everything and waits until it is ready. A server that does not come up fails the test
    /// that asked, with the end of its log.
    KubeServers();
    ~KubeServers();
    KubeServers(const KubeServers&) = delete;
    KubeServers& operator=(const KubeServers&) = delete;

    [[nodiscard]] bool ready() const { return ready_; }

    /// A token of a user in no group but `system:authenticated`, with no rights but those that a
    /// test grants; `admin` may do everything. Known users: `admin`, `stranger`, `controller`.
    [[nodiscard]] static std::string token_of(const std::string& user);

    /// The API server as this user.
    [[nodiscard]] kube::Access access(const std::string& user = "admin") const;
    /// A kubeconfig file of this user, whose context is called as he is.
    [[nodiscard]] std::string kubeconfig(const std::string& user = "admin") const;
    [[nodiscard]] std::uint16_t port() const { return api_port_; }
    [[nodiscard]] std::uint16_t etcd_port() const { return etcd_port_; }
    [[nodiscard]] const std::string& programs() const { return programs_; }
    /// With certificates and keys: `ca.crt`, `serving.crt`, `serving.key`.
    [[nodiscard]] std::string folder() const { return scratch_.path(""); }
    [[nodiscard]] std::string authority_file() const;
    /// What the user `controller` has asked for: an audit event (audit.k8s.io/v1) a line.
    [[nodiscard]] std::string audit_log() const;

    /// kubectl as admin. `input` goes to its standard input.
    CommandResult kubectl(std::vector<std::string> arguments, std::string_view input = {}) const;

    /// Ends and starts it on the same port, with the same store.
    void restart_api_server();
    void stop_api_server();
    void start_api_server();
    void start_api_server_on(std::uint16_t port);
    /// SIGSTOP and SIGCONT.
    void pause_api_server() const;
    void resume_api_server() const;
    /// A second one with the same store, beside the first: what knows nothing of the past. False:
    /// it did not become ready.
    [[nodiscard]] bool start_spare_api_server(std::uint16_t port);
    void stop_spare_api_server() { spare_.process.reset(); }
    /// As on a cluster, where they end when they cannot reach an API server for long.
    void restart_controllers();
    void restart_etcd();
    /// Forgets every version but the present ones.
    void compact_etcd() const;

private:
    struct Server {
        std::unique_ptr<Process> process;
        std::string log;
    };
    void start(Server& server,
               const std::string& program,
               const std::vector<std::string>& arguments);
    [[nodiscard]] std::vector<std::string> api_arguments(std::uint16_t port) const;
    void start_etcd();
    void start_controllers();
    void write_files();
    [[nodiscard]] bool wait_until_ready(Server& server, const std::string& kubeconfig_file);
    [[nodiscard]] std::string kubeconfig_for(const std::string& user, std::uint16_t port) const;

    std::string programs_;
    Scratch scratch_;
    Authority authority_;
    std::uint16_t etcd_port_ = 0;
    std::uint16_t etcd_peer_port_ = 0;
    std::uint16_t api_port_ = 0;
    Server etcd_;
    Server api_;
    Server spare_;
    Server controllers_;
    bool ready_ = false;
};

/// Those of this program.
[[nodiscard]] KubeServers& kube_servers();

/// Base of tests that need them: skipped without the programs; with OME_KUBE=required in the
/// environment that is a failure, with OME_KUBE=off they are skipped anyway. Installs the CRDs of
/// deploy/crds/.
class KubeServerTest : public testing::Test {
protected:
    void SetUp() override;

    /// A namespace of this test's own, deleted with it.
    [[nodiscard]] std::string make_namespace();
    void TearDown() override;

private:
    std::vector<std::string> namespaces_;
};

/// Waits until `condition` holds; false: it did not within kube_patience.
template <typename Condition>
[[nodiscard]] bool eventually(Condition condition,
                              std::chrono::milliseconds pause = std::chrono::milliseconds(100)) {
    const auto until = std::chrono::steady_clock::now() + kube_patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) {
            return false;
        }
        std::this_thread::sleep_for(pause);
    }
    return true;
}

}  // namespace ome::test
