#include "member_reader.hpp"
#include "source.hpp"
#include <ome/core/base64.hpp>
#include <ome/wire/kubeconfig_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

std::string text_of(Members& members, std::string_view name) {
    return members.text(name).value_or(std::string());
}

// The content of a `-data` member.
std::string data_of(Members& members, std::string_view name) {
    const std::string text = text_of(members, name);
    std::optional<std::string> bytes = core::decode_base64(text);
    if (!bytes) {
        members.refuse(name, "must be base64");
    }
    return std::move(bytes).value_or(std::string());
}

KubeconfigCluster read_cluster(std::string name, Members members) {
    KubeconfigCluster cluster;
    cluster.name = std::move(name);
    cluster.server = text_of(members, "server");
    cluster.tls_server_name = text_of(members, "tls-server-name");
    cluster.authority_file = text_of(members, "certificate-authority");
    cluster.authority = data_of(members, "certificate-authority-data");
    cluster.proxy_url = text_of(members, "proxy-url");
    cluster.insecure = members.flag("insecure-skip-tls-verify").value_or(false);
    return cluster;
}

KubeconfigExec read_exec(Members members) {
    KubeconfigExec exec;
    exec.api_version = text_of(members, "apiVersion");
    exec.command = members.required_text("command").value_or(std::string());
    exec.args = members.list_of_texts("args");
    exec.install_hint = text_of(members, "installHint");
    exec.interactive_mode = text_of(members, "interactiveMode");
    exec.provide_cluster_info = members.flag("provideClusterInfo").value_or(false);
    members.each("env", [&](Members variable) {
        exec.env.emplace_back(text_of(variable, "name"), text_of(variable, "value"));
    });
    return exec;
}

std::string what_we_cannot_use(Members& members) {
    for (const std::string_view name : {"auth-provider", "username", "password", "as"}) {
        if (members.any(name) != nullptr) {
            return std::string(name);
        }
    }
    return {};
}

KubeconfigUser read_user(std::string name, Members members) {
    KubeconfigUser user;
    user.name = std::move(name);
    user.token = text_of(members, "token");
    user.token_file = text_of(members, "tokenFile");
    user.certificate_file = text_of(members, "client-certificate");
    user.certificate = data_of(members, "client-certificate-data");
    user.key_file = text_of(members, "client-key");
    user.key = data_of(members, "client-key-data");
    user.unusable = what_we_cannot_use(members);
    if (auto exec = members.members("exec")) {
        user.exec = read_exec(*std::move(exec));
    }
    return user;
}

KubeconfigContext read_context(std::string name, Members members) {
    KubeconfigContext context;
    context.name = std::move(name);
    context.cluster = text_of(members, "cluster");
    context.user = text_of(members, "user");
    context.ns = text_of(members, "namespace");
    return context;
}

// Each list holds pairs of a name and what is called so.
template <typename Entry, typename Read>
void read_named(Members& root,
                std::string_view list,
                std::string_view member,
                Read read,
                std::vector<Entry>& into) {
    root.each(list, [&](Members item) {
        std::string name = item.required_text("name").value_or(std::string());
        if (auto content = item.members(member)) {
            into.push_back(read(std::move(name), *std::move(content)));
        }
    });
}

template <typename Entry>
void merge_named(std::vector<Entry>& into, std::vector<Entry> next) {
    for (Entry& entry : next) {
        const auto same = [&](const Entry& known) { return known.name == entry.name; };
        if (std::none_of(into.begin(), into.end(), same)) {
            into.push_back(std::move(entry));
        }
    }
}

core::Result<json::value> one_document(std::string_view text) {
    auto sources = parse_sources(text, Locate::No);
    if (!sources) {
        return sources.error();
    }
    if (sources->empty()) {
        return json::value(json::object());
    }
    json::value value = std::move(sources->front().value);
    if (!value.is_object()) {
        return core::Problem{"must be an object"};
    }
    return value;
}

}  // namespace

core::Result<Kubeconfig> read_kubeconfig(std::string_view text) {
    const core::Result<json::value> document = one_document(text);
    if (!document) {
        return document.error();
    }
    Notes notes;
    Members root(document->get_object(), "", notes);
    Kubeconfig config;
    config.current_context = text_of(root, "current-context");
    read_named(root, "clusters", "cluster", read_cluster, config.clusters);
    read_named(root, "users", "user", read_user, config.users);
    read_named(root, "contexts", "context", read_context, config.contexts);
    if (!notes.errors.empty()) {
        return as_one(notes.errors);
    }
    return config;
}

void merge(Kubeconfig& into, Kubeconfig next) {
    if (into.current_context.empty()) {
        into.current_context = std::move(next.current_context);
    }
    merge_named(into.clusters, std::move(next.clusters));
    merge_named(into.users, std::move(next.users));
    merge_named(into.contexts, std::move(next.contexts));
}

core::Result<ExecCredential> read_exec_credential(std::string_view text) {
    const core::Result<json::value> document = one_document(text);
    if (!document) {
        return core::Problem{"must be a JSON object"};
    }
    Notes notes;
    Members root(document->get_object(), "", notes);
    auto status = root.members("status");
    if (!status) {
        return core::Problem{"status is missing"};
    }
    ExecCredential credential;
    credential.token = text_of(*status, "token");
    credential.certificate = text_of(*status, "clientCertificateData");
    credential.key = text_of(*status, "clientKeyData");
    credential.expires = text_of(*status, "expirationTimestamp");
    if (!notes.errors.empty()) {
        return core::Problem{
            "status.token, clientCertificateData, clientKeyData and expirationTimestamp must be "
            "texts"};
    }
    if (credential.token.empty() && credential.certificate.empty()) {
        return core::Problem{"status must hold a token or a clientCertificateData"};
    }
    if (credential.certificate.empty() != credential.key.empty()) {
        return core::Problem{"clientCertificateData and clientKeyData must come together"};
    }
    return credential;
}

std::string exec_info_text(const std::string& api_version,
                           const std::string& server,
                           const std::string& authority_pem) {
    json::object spec{{"interactive", false}};
    if (!server.empty()) {
        json::object cluster{{"server", server}};
        if (!authority_pem.empty()) {
            cluster["certificate-authority-data"] = core::base64(authority_pem);
        }
        spec["cluster"] = std::move(cluster);
    }
    return json::serialize(json::object{
        {"apiVersion", api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}});
}

}  // namespace ome::wire
