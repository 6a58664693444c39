// A kubeconfig: which API servers there are and how a user introduces himself there. Read, not
// followed: the files it names are for kube/ to read.
#pragma once

#include <ome/core/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ome::wire {

struct KubeconfigCluster {
    std::string name;
    std::string server;
    std::string tls_server_name = {};  ///< whom the certificate must name; empty: the host
    std::string authority_file = {};
    std::string authority = {};  ///< PEM, from `certificate-authority-data`; wins over the file
    std::string proxy_url = {};
    bool insecure = false;  ///< `insecure-skip-tls-verify`
};

/// A program that prints a credential (client.authentication.k8s.io).
struct KubeconfigExec {
    std::string api_version;
    std::string command;
    std::vector<std::string> args = {};
    std::vector<std::pair<std::string, std::string>> env = {};
    std::string install_hint = {};
    std::string interactive_mode = {};
    bool provide_cluster_info = false;
};

/// Secrets, all of it.
struct KubeconfigUser {
    std::string name;
    std::string token = {};
    std::string token_file = {};  ///< wins over `token`
    std::string certificate_file = {};
    std::string certificate = {};  ///< PEM, from the `-data` member; wins over the file
    std::string key_file = {};
    std::string key = {};
    std::optional<KubeconfigExec> exec = {};
    /// What of it we do not know how to use: `username`, `auth-provider`, `as`; empty: nothing.
    std::string unusable = {};
};

struct KubeconfigContext {
    std::string name;
    std::string cluster;
    std::string user;
    std::string ns = {};
};

struct Kubeconfig {
    std::string current_context;
    std::vector<KubeconfigCluster> clusters;
    std::vector<KubeconfigUser> users;
    std::vector<KubeconfigContext> contexts;
};

/// YAML or JSON. The problem names members and never values.
[[nodiscard]] core::Result<Kubeconfig> read_kubeconfig(std::string_view text);

/// As kubectl merges several files: of each name, and of the current context, the first counts.
void merge(Kubeconfig& into, Kubeconfig next);

/// What an exec plugin printed.
struct ExecCredential {
    std::string token;
    std::string certificate;  ///< PEM
    std::string key;
    std::string expires;  ///< RFC 3339; empty: it does not say
};

/// Problem: what is wrong with it, never a value.
[[nodiscard]] core::Result<ExecCredential> read_exec_credential(std::string_view text);

/// KUBERNETES_EXEC_INFO for a plugin of this version. `server` empty: it is not told the cluster.
[[nodiscard]] std::string exec_info_text(const std::string& api_version,
                                         const std::string& server,
                                         const std::string& authority_pem);

}  // namespace ome::wire
