// Which API server a command line means, by kubectl's rules: the flags, then the kubeconfig, then
// the service account of the pod it runs in.
#pragma once

#include "session.hpp"
#include <ome/core/problem.hpp>
#include <ome/kube/access.hpp>

#include <optional>
#include <string>

namespace ome::kubectl {

/// `--kubeconfig`, else the files of KUBECONFIG, else ~/.kube/config, with what the flags put in
/// place of their content; where none of them says anything, what a pod is given (`pod_files`: of
/// its service account). The problem is a message: what is wrong or missing, and where.
[[nodiscard]] core::Result<kube::Access> find_kube_access(
    const Connection& flags,
    const kube::Environment& environment,
    const std::string& pod_files = "/var/run/secrets/kubernetes.io/serviceaccount");

/// Lays the flags over the kubeconfig: the context they choose is the current one then, and has
/// their cluster, user, server and credentials. Absent: done. Pure.
[[nodiscard]] std::optional<core::Problem> apply_flags(const Connection& flags,
                                                       const std::string& where,
                                                       wire::Kubeconfig& config);

}  // namespace ome::kubectl
