#include "kube_access.hpp"

#include <ome/core/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace ome::kubectl {
namespace {

template <typename Entry>
Entry* find_named(std::vector<Entry>& entries, const std::string& name) {
    const auto found = std::find_if(
        entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

template <typename Entry>
Entry& named(std::vector<Entry>& entries, const std::string& name) {
    if (Entry* found = find_named(entries, name)) {
        return *found;
    }
    Entry added;
    added.name = name;
    entries.push_back(std::move(added));
    return entries.back();
}

core::Problem none_of(const char* flag,
                      const std::string& value,
                      const char* kind,
                      const std::string& where) {
    return {
        fmt::format("{} {} must be one of the {} in {}", flag, core::go_quote(value), kind, where),
        flag};
}

// A server that is given needs no kubeconfig.
bool names_a_server(const Connection& flags) {
    return !flags.server.empty() || !flags.cluster.empty();
}

void apply_to_cluster(const Connection& flags, wire::KubeconfigCluster& cluster) {
    if (!flags.server.empty()) {
        cluster.server = flags.server;
        cluster.tls_server_name.clear();  // it was the other server's
    }
    if (!flags.tls_server_name.empty()) {
        cluster.tls_server_name = flags.tls_server_name;
    }
    if (flags.insecure_skip_tls_verify) {
        cluster.insecure = true;
        cluster.authority.clear();
        cluster.authority_file.clear();
    }
    if (!flags.certificate_authority.empty()) {
        cluster.authority.clear();
        cluster.authority_file = flags.certificate_authority;
    }
}

void apply_to_user(const Connection& flags, wire::KubeconfigUser& user) {
    if (!flags.token.empty()) {
        user.token = flags.token;
        user.token_file.clear();
        user.exec.reset();
    }
    if (!flags.client_certificate.empty()) {
        user.certificate.clear();
        user.certificate_file = flags.client_certificate;
    }
    if (!flags.client_key.empty()) {
        user.key.clear();
        user.key_file = flags.client_key;
    }
}

bool brings_credentials(const Connection& flags) {
    return !flags.token.empty() || !flags.client_certificate.empty() || !flags.client_key.empty();
}

// The files that are there. One that was chosen must be; of others kubectl takes what it finds.
std::vector<std::string> files_of(const Connection& flags, const kube::Environment& environment) {
    if (!flags.kubeconfig.empty()) {
        return {flags.kubeconfig};
    }
    std::vector<std::string> paths = kube::kubeconfig_paths(environment);
    std::erase_if(paths, [](const std::string& path) {
        std::error_code ignored;
        return !std::filesystem::exists(path, ignored);
    });
    return paths;
}

core::Result<kube::Access> pod_access(const Connection& flags,
                                      const kube::Environment& environment,
                                      const std::string& files) {
    auto access = kube::in_cluster_access(environment, files);
    if (!access) {
        return access;
    }
    if (auto ns = environment("POD_NAMESPACE"); ns && !ns->empty()) {
        access->ns = *std::move(ns);
    }
    if (!flags.token.empty()) {
        access->user.token = flags.token;
        access->user.token_file.clear();
    }
    if (!flags.certificate_authority.empty()) {
        access->authority_file = flags.certificate_authority;
    }
    return access;
}

}  // namespace

std::optional<core::Problem> apply_flags(const Connection& flags,
                                         const std::string& where,
                                         wire::Kubeconfig& config) {
    if (!flags.context.empty()) {
        config.current_context = flags.context;
    }
    if (config.current_context.empty() && names_a_server(flags)) {
        named(config.contexts, "");
    }
    wire::KubeconfigContext* context = find_named(config.contexts, config.current_context);
    if (context == nullptr) {
        return std::nullopt;  // whoever takes the context says so
    }
    if (!flags.cluster.empty()) {
        if (find_named(config.clusters, flags.cluster) == nullptr) {
            return none_of("--cluster", flags.cluster, "clusters", where);
        }
        context->cluster = flags.cluster;
    }
    if (!flags.user.empty()) {
        if (find_named(config.users, flags.user) == nullptr) {
            return none_of("--user", flags.user, "users", where);
        }
        context->user = flags.user;
    }
    if (!flags.server.empty()) {
        named(config.clusters, context->cluster);
    }
    if (wire::KubeconfigCluster* cluster = find_named(config.clusters, context->cluster)) {
        apply_to_cluster(flags, *cluster);
    }
    if (brings_credentials(flags)) {
        apply_to_user(flags, named(config.users, context->user));
    }
    return std::nullopt;
}

core::Result<kube::Access> find_kube_access(const Connection& flags,
                                            const kube::Environment& environment,
                                            const std::string& pod_files) {
    const std::vector<std::string> paths = files_of(flags, environment);
    const std::string where = fmt::format(
        "{}", fmt::join(paths.empty() ? kube::kubeconfig_paths(environment) : paths, ":"));
    wire::Kubeconfig config;
    if (!paths.empty()) {
        auto loaded = kube::load_kubeconfigs(paths);
        if (!loaded) {
            return loaded.error();
        }
        config = *std::move(loaded);
    }
    const bool says_nothing = config.contexts.empty() && config.clusters.empty();
    if (says_nothing && flags.context.empty() && !names_a_server(flags)) {
        if (environment("KUBERNETES_SERVICE_HOST")) {
            return pod_access(flags, environment, pod_files);
        }
        return core::Problem{
            fmt::format("there is no kubeconfig with a cluster in {}: set --kubeconfig or "
                        "KUBECONFIG, or give --store dir:PATH",
                        where),
            "kubeconfig"};
    }
    if (auto problem = apply_flags(flags, where, config)) {
        return *std::move(problem);
    }
    return kube::access_in(config, "", where);
}

}  // namespace ome::kubectl
