#include "label_selector.hpp"
#include "run_settings.hpp"
#include <ome/core/dns_name.hpp>
#include <ome/core/setting_rules.hpp>
#include <ome/net/setting_options.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
namespace rules = core::setting_rules;
using rules::Broken;
using rules::Texts;
using S = RunSettings;

Broken store(S& to, const Texts& texts) {
    constexpr std::string_view scheme = "dir:";
    const std::string& text = texts.front();
    if (text == "kube") {
        to.app.store.kind = StoreChoice::Kind::Kube;
        return std::nullopt;
    }
    if (!text.starts_with(scheme) || text.size() == scheme.size()) {
        return "must be dir:PATH or kube";
    }
    to.app.store.kind = StoreChoice::Kind::Folder;
    to.app.store.folder = text.substr(scheme.size());
    return std::nullopt;
}

Broken namespaces(S& to, const Texts& texts) {
    if (!std::all_of(texts.begin(), texts.end(), core::is_dns_label)) {
        return "must be names of namespaces, each of which " + std::string(core::dns_label_rule);
    }
    std::vector<std::string>& names = to.app.store.kube.namespaces;
    names = texts;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return std::nullopt;
}

Broken selector(S& to, const Texts& texts) {
    if (const auto fault = selector_fault(texts.front())) {
        return "must be a label selector such as team=chat,tier in (a,b): " + *fault;
    }
    to.app.store.kube.selector = texts.front();
    return std::nullopt;
}

// What is in it comes and goes; that there is none is a slip of the pen.
Broken workload_kubeconfigs(S& to, const Texts& texts) {
    const std::string& folder = texts.front();
    to.app.store.kube.workload_kubeconfigs = folder;
    std::error_code none;
    return folder.empty() || std::filesystem::is_directory(folder, none)
               ? std::nullopt
               : Broken("must be a folder");
}

Broken lease_namespace(S& to, const Texts& texts) {
    to.app.store.kube.lease_namespace = texts.front();
    return texts.front().empty() || core::is_dns_label(texts.front())
               ? std::nullopt
               : Broken(core::dns_label_rule);
}

Broken lease_name(S& to, const Texts& texts) {
    to.app.store.kube.lease_name = texts.front();
    return core::is_dns_subdomain(texts.front()) ? std::nullopt : Broken(core::dns_subdomain_rule);
}

Broken observer(S& to, const Texts& texts) {
    const auto url = net::parse_local_url(texts.front());
    if (!url) {
        return "must be http://HOST:PORT, https://HOST:PORT or unix:/path";
    }
    to.app.observer = *url;
    return std::nullopt;
}

Broken config(S& to, const Texts& texts) {
    to.app.config_file = texts.front();
    return std::nullopt;
}

Broken config_map(S& to, const Texts& texts) {
    constexpr const char* rule =
        "must be NAME or NAMESPACE/NAME of a ConfigMap, names as Kubernetes takes them";
    const std::string& text = texts.front();
    const std::size_t slash = text.find('/');
    ConfigMapName& where = to.app.config_map;
    where.ns = slash == std::string::npos ? "" : text.substr(0, slash);
    where.name = slash == std::string::npos ? text : text.substr(slash + 1);
    const bool any_namespace = slash == std::string::npos;
    return text.empty() || ((any_namespace || core::is_dns_label(where.ns)) &&
                            core::is_dns_subdomain(where.name))
               ? std::nullopt
               : Broken(rule);
}

Broken log_format(S& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"text", "json"}, chosen);
    to.log_format = static_cast<telemetry::log::Format>(chosen);
    return broken;
}

Broken log_level(S& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"debug", "info", "warn", "error", "off"}, chosen);
    to.log_level = static_cast<telemetry::log::Level>(chosen);
    return broken;
}

constexpr std::array table{
    RunSetting{{.name = "store",
                .default_value = "",
                .unit = "",
                .help = "Where services are read and maps are written: dir:PATH, a folder, or "
                        "kube, a Kubernetes API server."},
               store},
    RunSetting{{.name = "kubeconfig",
                .default_value = "",
                .unit = "file",
                .help = "How the API server is reached. Empty: the files that KUBECONFIG names, "
                        "else the service account of the pod, else ~/.kube/config."},
               [](S& to, const Texts& texts) {
                   to.app.store.access.kubeconfig = texts.front();
                   return Broken();
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "context",
                .default_value = "",
                .unit = "",
                .help = "Of the kubeconfig. Empty: its current one."},
               [](S& to, const Texts& texts) {
                   to.app.store.access.context = texts.front();
                   return Broken();
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "namespaces",
                .default_value = "",
                .unit = "names",
                .help = "Whose services are routed, so that rights in these are enough. Empty: all "
                        "namespaces.",
                .shape = core::SettingShape::List},
               namespaces,
               RunSetting::Of::Kube},
    RunSetting{
        {.name = "all-routes",
         .default_value = "false",
         .unit = "",
         .help = "With --namespaces: HTTPRoutes of all namespaces are looked at, so that a "
                 "hostname that is taken outside of them is seen. Takes the right to list "
                 "and watch httproutes everywhere; without it such a hostname is published "
                 "twice.",
         .shape = core::SettingShape::Switch},
        [](S& to, const Texts& texts) { return rules::truth(texts, to.app.store.kube.all_routes); },
        RunSetting::Of::Kube},
    RunSetting{{.name = "selector",
                .default_value = "",
                .unit = "labels",
                .help = "Which services are routed, by label, as in team=chat,tier in (a,b). The "
                        "map of a service that is not selected any more stays as it is. Empty: "
                        "all."},
               selector,
               RunSetting::Of::Kube},
    RunSetting{{.name = "workload-kubeconfigs",
                .default_value = "",
                .unit = "folder",
                .help = "With endpointSlices: kubeconfigs of the workload clusters, CLUSTER.yaml, "
                        "each read again when it has changed. A cluster without one is not "
                        "connected: its homes have no addresses."},
               workload_kubeconfigs,
               RunSetting::Of::Kube},
    RunSetting{{.name = "lease-namespace",
                .default_value = "",
                .unit = "",
                .help = "Where the Lease is by which controllers agree on who leads. Empty: the "
                        "namespace of the pod, or of the kubeconfig's context."},
               lease_namespace,
               RunSetting::Of::Kube},
    RunSetting{{.name = "lease-name",
                .default_value = "ome-trafficmap",
                .unit = "",
                .help = "Its name. Controllers of the same services must have the same."},
               lease_name,
               RunSetting::Of::Kube},
    RunSetting{{.name = "identity",
                .default_value = "",
                .unit = "",
                .help = "Who the Lease says we are; no other process may have it. Empty: "
                        "HOST_RANDOM."},
               [](S& to, const Texts& texts) {
                   to.app.store.kube.election.identity = texts.front();
                   return Broken();
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "lease-duration",
                .default_value = "15s",
                .unit = "duration",
                .help = "How long after its last renewal others wait before they take over a lead: "
                        "shorter is sooner, and less patient with a slow API server."},
               [](S& to, const Texts& texts) {
                   return rules::duration(texts, 1s, 1h, to.app.store.kube.election.lease_duration);
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "renew-deadline",
                .default_value = "10s",
                .unit = "duration",
                .help = "How long after its last renewal a leader stops writing. Shorter than "
                        "--lease-duration, so that it has stopped when another begins."},
               [](S& to, const Texts& texts) {
                   return rules::duration(
                       texts, 500ms, 1h, to.app.store.kube.election.renew_deadline);
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "retry-period",
                .default_value = "2s",
                .unit = "duration",
                .help = "Between two looks at the Lease, and two renewals. Shorter than "
                        "--renew-deadline, so that one failure does not end a lead."},
               [](S& to, const Texts& texts) {
                   return rules::duration(
                       texts, 100ms, 1h, to.app.store.kube.election.retry_period);
               },
               RunSetting::Of::Kube},
    RunSetting{{.name = "dry-run",
                .default_value = "false",
                .unit = "",
                .help = "Writes nothing and takes no Lease: computes every map and compares it "
                        "with the one that is there (/v1/diff, ome-trafficmap diff). For a look "
                        "beside OME's own routing before it is replaced.",
                .shape = core::SettingShape::Switch},
               [](S& to, const Texts& texts) { return rules::truth(texts, to.app.store.dry_run); },
               RunSetting::Of::Kube},
    RunSetting{
        {.name = "config",
         .default_value = "",
         .unit = "file",
         .help = "The operator's multicluster configuration (JSON, YAML or its ConfigMap): "
                 "whether routing is on, policies and limits. With --store kube: empty reads "
                 "--config-map."},
        config},
    RunSetting{{.name = "config-map",
                .default_value = "",
                .unit = "name",
                .help = "The ConfigMap whose key multicluster holds the configuration, NAME or "
                        "NAMESPACE/NAME, read and watched through the API server; without a "
                        "namespace in that of the pod, or of the kubeconfig's context. Empty: "
                        "ome-observer-config, unless --config names a file."},
               config_map,
               RunSetting::Of::Kube},
    RunSetting{{.name = "config-interval",
                .default_value = "10s",
                .unit = "duration",
                .help = "How often the file of --config is looked at. One that has changed and is "
                        "valid starts the routing part anew; one that is not changes nothing. 0: "
                        "only at SIGHUP."},
               [](S& to, const Texts& texts) {
                   return rules::duration_or_off(texts, 100ms, to.app.config_interval);
               }},
    RunSetting{{.name = "observer",
                .default_value = "http://127.0.0.1:7460",
                .unit = "URL",
                .help = "The API of ome-observer: http://HOST:PORT, https://HOST:PORT or "
                        "unix:/path."},
               observer},
    RunSetting{{.name = "observer-token-file",
                .default_value = "",
                .unit = "file",
                .help = "Holds the token of an observer that asks for one. Empty: none."},
               [](S& to, const Texts& texts) {
                   to.token_file = texts.front();
                   return Broken();
               }},
    RunSetting{{.name = "observer-ca-file",
                .default_value = "",
                .unit = "files",
                .help = "PEM files of authorities that an https observer is verified by, besides "
                        "the system's.",
                .shape = core::SettingShape::List},
               [](S& to, const Texts& texts) {
                   to.app.observer_ca_files = texts;
                   return Broken();
               }},
    RunSetting{{.name = "listen",
                .default_value = "127.0.0.1:7470",
                .unit = "address",
                .help = "Where /metrics, /livez, /readyz and /status are. They only read, so the "
                        "kubelet and Prometheus may reach them at 0.0.0.0:PORT."},
               [](S& to, const Texts& texts) { return net::listen_rule(texts, to.app.listen); }},
    RunSetting{{.name = "probe-time-interval",
                .default_value = "10s",
                .unit = "duration",
                .help = "Stamps and failure counts alone are written at most once per this, or per "
                        "period of the probe if that is longer, and map: every write of a map is "
                        "work for whoever reads it."},
               [](S& to, const Texts& texts) {
                   return rules::duration(texts, 1s, 24h, to.app.probe_time_interval);
               }},
    RunSetting{{.name = "resync-interval",
                .default_value = "1m",
                .unit = "duration",
                .help = "How often the whole folder is looked at again, for changes that the "
                        "system does not tell: behind links, on network file systems."},
               [](S& to, const Texts& texts) {
                   return rules::duration(texts, 100ms, 24h, to.app.store.resync_interval);
               },
               RunSetting::Of::Folder},
    RunSetting{{.name = "log-format",
                .default_value = "text",
                .unit = "",
                .help = "text: for people. json: one object a line."},
               log_format},
    RunSetting{{.name = "log-level",
                .default_value = "info",
                .unit = "",
                .help = "debug, info, warn, error or off."},
               log_level},
};

}  // namespace

std::span<const RunSetting> run_settings_table() {
    return table;
}

}  // namespace ome::controller
