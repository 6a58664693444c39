#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/kube/access.hpp>
#include <ome/net/small_file.hpp>
#include <ome/net/text_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace ome::kube {
namespace {

template <typename Entry>
const Entry* find_named(const std::vector<Entry>& entries, const std::string& name) {
    const auto found = std::find_if(
        entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

// Files that a kubeconfig names are relative to it.
void resolve(std::string& file, const std::filesystem::path& folder) {
    if (!file.empty()) {
        file = (folder / file).string();
    }
}

void resolve_files(wire::Kubeconfig& config, const std::filesystem::path& folder) {
    for (wire::KubeconfigCluster& cluster : config.clusters) {
        resolve(cluster.authority_file, folder);
    }
    for (wire::KubeconfigUser& user : config.users) {
        resolve(user.token_file, folder);
        resolve(user.certificate_file, folder);
        resolve(user.key_file, folder);
        if (user.exec && user.exec->command.find('/') != std::string::npos) {
            resolve(user.exec->command, folder);
        }
    }
}

core::Problem in_config(const std::string& where, const std::string& what) {
    return {fmt::format("kubeconfig {}: {}", where, what), "kubeconfig"};
}

std::string contexts_there(const wire::Kubeconfig& config) {
    std::vector<std::string> names;
    for (const wire::KubeconfigContext& context : config.contexts) {
        names.push_back(core::go_quote(context.name));
    }
    return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

// Absent: nothing that we cannot do.
std::optional<std::string> unusable(const wire::KubeconfigCluster& cluster,
                                    const wire::KubeconfigUser& user) {
    if (!cluster.proxy_url.empty()) {
        return fmt::format("cluster {} has a proxy-url, which is not supported",
                           core::go_quote(cluster.name));
    }
    if (!user.unusable.empty()) {
        return fmt::format(
            "user {} logs in with {}, which is not supported: a token, a tokenFile, a client "
            "certificate or exec is",
            core::go_quote(user.name),
            user.unusable);
    }
    if (user.exec && user.exec->interactive_mode == "Always") {
        return fmt::format("user {} logs in with an exec plugin that must ask at a terminal",
                           core::go_quote(user.name));
    }
    const bool certificate = !user.certificate.empty() || !user.certificate_file.empty();
    const bool key = !user.key.empty() || !user.key_file.empty();
    if (certificate != key) {
        return fmt::format("user {} must have client-certificate and client-key, or neither",
                           core::go_quote(user.name));
    }
    return std::nullopt;
}

core::Result<Access> access_of(const wire::KubeconfigCluster& cluster,
                               const wire::KubeconfigUser& user,
                               const std::string& where) {
    if (const auto problem = unusable(cluster, user)) {
        return in_config(where, *problem);
    }
    auto address = parse_server(cluster.server);
    if (!address) {
        return in_config(
            where,
            fmt::format("cluster {}: {}", core::go_quote(cluster.name), address.error().message));
    }
    Access access;
    access.server = std::move(address->url);
    access.server.tls_name = cluster.tls_server_name;
    access.base_path = std::move(address->base_path);
    access.authority_file = cluster.authority.empty() ? cluster.authority_file : "";
    access.authority = cluster.authority;
    access.insecure = cluster.insecure;
    access.user = user;
    if (cluster.insecure) {
        access.warnings.push_back(fmt::format(
            "insecure-skip-tls-verify: anybody may pass for the API server {}, and gets our "
            "credentials",
            access.server.text));
    }
    if (!access.server.https && access.user.token.size() + access.user.token_file.size() > 0) {
        access.warnings.push_back(
            fmt::format("the token goes over the network in clear text: server {} is not https",
                        access.server.text));
    }
    return access;
}

std::string joined_host(const std::string& host, const std::string& port) {
    const bool v6 = host.find(':') != std::string::npos && !host.starts_with('[');
    return fmt::format("https://{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

std::vector<std::string> split_paths(const std::string& list) {
    std::vector<std::string> paths;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        if (end > begin) {
            paths.push_back(list.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return paths;
}

}  // namespace

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

core::Result<ServerAddress> parse_server(const std::string& text) {
    const core::Problem rule{fmt::format("server {} must be https://HOST[:PORT][/path] or http://",
                                         core::go_quote(core::mask_userinfo(text))),
                             "server"};
    const std::size_t scheme = text.find("://");
    if (scheme == std::string::npos) {
        return rule;
    }
    const std::size_t slash = text.find('/', scheme + 3);
    std::string origin = text.substr(0, slash);
    std::string path = slash == std::string::npos ? "" : text.substr(slash);
    while (path.ends_with('/')) {
        path.pop_back();
    }
    const std::string_view authority = std::string_view(origin).substr(scheme + 3);
    const std::size_t colon = authority.rfind(':');
    const std::size_t bracket = authority.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
        origin += text.starts_with("https") ? ":443" : ":80";
    }
    auto url = net::parse_local_url(origin);
    if (!url || path.find_first_of("?# \"") != std::string::npos) {
        return rule;
    }
    return ServerAddress{*std::move(url), std::move(path)};
}

core::Result<Access> in_cluster_access(const Environment& environment, const std::string& folder) {
    const auto host = environment("KUBERNETES_SERVICE_HOST");
    const auto port = environment("KUBERNETES_SERVICE_PORT");
    if (!host || !port || host->empty() || port->empty()) {
        return core::Problem{
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set in a pod",
            "kubeconfig"};
    }
    auto address = parse_server(joined_host(*host, *port));
    if (!address) {
        return address.error();
    }
    Access access;
    access.server = std::move(address->url);
    access.authority_file = folder + "/ca.crt";
    access.user.name = "the service account of this pod";
    access.user.token_file = folder + "/token";
    access.origin = "the service account of this pod";
    if (const auto ns = net::read_small_file(folder + "/namespace"); ns && !ns->bytes.empty()) {
        access.ns = ns->bytes;
    } else if (const auto told = environment("POD_NAMESPACE"); told && !told->empty()) {
        access.ns = *told;
    }
    return access;
}

core::Result<wire::Kubeconfig> load_kubeconfigs(const std::vector<std::string>& paths) {
    wire::Kubeconfig all;
    std::size_t found = 0;
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored) && paths.size() > 1) {
            continue;
        }
        const auto text = net::read_text_file(path);
        if (!text) {
            return core::Problem{"kubeconfig: " + text.error().message, "kubeconfig"};
        }
        auto config = wire::read_kubeconfig(*text);
        if (!config) {
            return core::Problem{fmt::format("kubeconfig {}: {}", path, config.error().message),
                                 config.error().field};
        }
        resolve_files(*config, std::filesystem::path(path).parent_path());
        merge(all, *std::move(config));
        ++found;
    }
    if (found == 0) {
        return core::Problem{fmt::format("kubeconfig: none of {} is there", fmt::join(paths, ", ")),
                             "kubeconfig"};
    }
    return all;
}

core::Result<Access> access_in(const wire::Kubeconfig& config,
                               const std::string& context,
                               const std::string& where) {
    const std::string& name = context.empty() ? config.current_context : context;
    const wire::KubeconfigContext* chosen = find_named(config.contexts, name);
    if (chosen == nullptr) {
        return in_config(where,
                         name.empty() ? "current-context is not set and no context was chosen"
                                      : fmt::format("there is no context {}: {}",
                                                    core::go_quote(name),
                                                    contexts_there(config)));
    }
    const wire::KubeconfigCluster* cluster = find_named(config.clusters, chosen->cluster);
    const wire::KubeconfigUser* user = find_named(config.users, chosen->user);
    if (cluster == nullptr || (user == nullptr && !chosen->user.empty())) {
        return in_config(
            where,
            fmt::format("context {} names the {} {}, and there is none",
                        core::go_quote(name),
                        cluster == nullptr ? "cluster" : "user",
                        core::go_quote(cluster == nullptr ? chosen->cluster : chosen->user)));
    }
    auto access = access_of(*cluster, user == nullptr ? wire::KubeconfigUser{} : *user, where);
    if (access) {
        access->ns = chosen->ns.empty() ? "default" : chosen->ns;
        access->context = name;
        access->origin = fmt::format("the kubeconfig {}, context {}", where, core::go_quote(name));
    }
    return access;
}

core::Result<Access> kubeconfig_access(const std::vector<std::string>& paths,
                                       const std::string& context) {
    const auto config = load_kubeconfigs(paths);
    if (!config) {
        return config.error();
    }
    return access_in(*config, context, fmt::format("{}", fmt::join(paths, ":")));
}

std::vector<std::string> kubeconfig_paths(const Environment& environment) {
    std::vector<std::string> listed =
        split_paths(environment("KUBECONFIG").value_or(std::string()));
    if (listed.empty()) {
        listed.push_back(environment("HOME").value_or(std::string()) + "/.kube/config");
    }
    return listed;
}

core::Result<Access> find_access(const AccessChoice& choice, const Environment& environment) {
    if (!choice.kubeconfig.empty()) {
        return kubeconfig_access({choice.kubeconfig}, choice.context);
    }
    const bool listed = !split_paths(environment("KUBECONFIG").value_or(std::string())).empty();
    if (!listed && choice.context.empty() && environment("KUBERNETES_SERVICE_HOST")) {
        return in_cluster_access(environment);
    }
    return kubeconfig_access(kubeconfig_paths(environment), choice.context);
}

}  // namespace ome::kube
