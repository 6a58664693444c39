// How a Kubernetes API server is reached and who we are there: found once at the start, from a
// kubeconfig or from what a pod is given. The files it names are read again while we run.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/net/local_client.hpp>
#include <ome/wire/kubeconfig_document.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ome::kube {

struct Access {
    net::LocalUrl server;   ///< scheme, host and port
    std::string base_path;  ///< in front of every path, without a slash at its end; mostly empty
    std::string authority_file = {};  ///< PEM; empty: see `authority`
    std::string authority = {};       ///< PEM; both empty: the system's roots
    bool insecure = false;            ///< the server's certificate is not looked at
    wire::KubeconfigUser user = {};   ///< paths of files are absolute, or relative to here
    std::string ns = "default";       ///< of the context, or of our pod
    std::string context = {};         ///< of the kubeconfig; empty: there was none
    std::string origin;  ///< for people: `the kubeconfig /home/me/.kube/config, context "prod"`
    std::vector<std::string> warnings = {};
};

/// Reads a variable of the environment; absent: not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] Environment process_environment();

struct AccessChoice {
    std::string kubeconfig;  ///< `--kubeconfig`; empty: see find_access()
    std::string context;     ///< `--context`; empty: the current one
};

/// What was chosen; without a choice KUBECONFIG (a list, with `:`), then a pod's service account,
/// then ~/.kube/config. Problem: what is wrong or missing, and where. Reads files: not for a
/// reactor.
[[nodiscard]] core::Result<Access> find_access(const AccessChoice& choice,
                                               const Environment& environment);

/// A pod's: KUBERNETES_SERVICE_HOST and _PORT, and the files of its service account under `folder`.
[[nodiscard]] core::Result<Access> in_cluster_access(
    const Environment& environment,
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The files that kubectl reads where none is chosen: those of KUBECONFIG, else ~/.kube/config.
[[nodiscard]] std::vector<std::string> kubeconfig_paths(const Environment& environment);

/// Of several files the first to name a thing counts, as with kubectl; those that are not there
/// are left out unless none is. Files that they name are as in Access.
[[nodiscard]] core::Result<wire::Kubeconfig> load_kubeconfigs(
    const std::vector<std::string>& paths);

/// One context of a kubeconfig; `context` empty: the current one. `where`: the files, for messages.
[[nodiscard]] core::Result<Access> access_in(const wire::Kubeconfig& config,
                                             const std::string& context,
                                             const std::string& where);

/// load_kubeconfigs() and access_in().
[[nodiscard]] core::Result<Access> kubeconfig_access(const std::vector<std::string>& paths,
                                                     const std::string& context);

/// `https://HOST[:PORT][/path]`, or http.
struct ServerAddress {
    net::LocalUrl url;
    std::string base_path;
};
[[nodiscard]] core::Result<ServerAddress> parse_server(const std::string& text);

}  // namespace ome::kube
