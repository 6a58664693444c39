#include "settings_table.hpp"

#include "settings_rules.hpp"
#include <ome/net/setting_options.hpp>

#include <array>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
using rules::Broken;
using rules::Texts;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Member pointers as template arguments keep a row to one line.
template <auto Member, std::int64_t Least, std::int64_t Most = no_limit>
Broken count(Settings& to, const Texts& texts) {
    std::int64_t value = 0;
    const Broken broken = rules::number(texts, Least, Most, value);
    using Target = std::remove_reference_t<decltype(to.*Member)>;
    to.*Member = static_cast<Target>(value);
    return broken;
}

template <auto Member>
Broken limit(Settings& to, const Texts& texts) {
    return rules::number(texts, 1, no_limit, to.limits.*Member);
}

template <auto Member, std::int64_t Least = 1, std::int64_t Most = no_limit>
Broken time(Settings& to, const Texts& texts) {
    return rules::duration(texts, core::Duration(Least), core::Duration(Most), to.*Member);
}

template <auto Member>
Broken truth(Settings& to, const Texts& texts) {
    return rules::truth(texts, to.*Member);
}

template <auto Member>
Broken text(Settings& to, const Texts& texts) {
    to.*Member = texts.empty() ? std::string() : texts.front();
    return std::nullopt;
}

Broken listen(Settings& to, const Texts& texts) {
    return net::listen_rule(texts, to.listen);
}

Broken health_listen(Settings& to, const Texts& texts) {
    return texts.front().empty() ? std::nullopt
                                 : net::listen_rule(texts, to.health_listen.emplace());
}

Broken probe_connections(Settings& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"fresh", "reuse"}, chosen);
    to.reuse_probe_connections = chosen == 1;
    return broken;
}

Broken log_format(Settings& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"text", "json"}, chosen);
    to.log_format = static_cast<telemetry::log::Format>(chosen);
    return broken;
}

Broken log_level(Settings& to, const Texts& texts) {
    std::size_t chosen = 0;
    const Broken broken = rules::choice(texts, {"debug", "info", "warn", "error", "off"}, chosen);
    to.log_level = static_cast<telemetry::log::Level>(chosen);
    return broken;
}

Broken min_period(Settings& to, const Texts& texts) {
    return rules::duration(texts, 1ns, core::Duration::max(), to.limits.min_period);
}

Broken ca_files(Settings& to, const Texts& texts) {
    to.ca_files = texts;
    return std::nullopt;
}

constexpr auto minimum_grid = core::Duration(100us).count();
constexpr auto maximum_grid = core::Duration(1s).count();

using L = core::ObserverLimits;
using S = Settings;

// What every member of Settings does is for `serve` to wire.
constexpr std::array table{
    Setting{"listen",
            "127.0.0.1:7460",
            "address",
            "Where the API listens: a loopback address or unix:/path (mode 0600), since only the "
            "controller beside it needs it. Other addresses need --token-file, --tls-cert and "
            "--tls-key.",
            Shape::Value,
            listen},
    Setting{"health-listen",
            "",
            "address",
            "A second listener with /metrics, /livez and /readyz only, for the kubelet and "
            "Prometheus, which dial the pod's address. Empty: off.",
            Shape::Value,
            health_listen},
    Setting{"allowed-hosts",
            "",
            "host names",
            "Names in the Host header that are accepted besides loopback ones. Others are refused, "
            "so that a web page cannot reach the API by DNS rebinding.",
            Shape::List,
            [](S& to, const Texts& texts) { return rules::hosts(texts, to.allowed_hosts); }},
    Setting{"token-file",
            "",
            "file",
            "Holds a token that every request to the API must show (Authorization: Bearer ...). "
            "Noticed when it changes. Empty: no token is asked for.",
            Shape::Value,
            text<&S::token_file>,
            {},
            true},
    Setting{"tls-cert",
            "",
            "file",
            "The API's certificate and what links it to its authority (PEM): the API speaks TLS. "
            "Noticed when it changes. Empty: plain HTTP.",
            Shape::Value,
            text<&S::tls_cert>,
            {},
            true},
    Setting{"tls-key",
            "",
            "file",
            "The private key of --tls-cert (PEM, without a password).",
            Shape::Value,
            text<&S::tls_key>,
            {},
            true},
    Setting{"config",
            "",
            "file",
            "The operator's multicluster configuration (JSON, YAML or its ConfigMap), for the five "
            "limits below. Empty: none.",
            Shape::Value,
            text<&S::config_file>,
            {},
            true},
    Setting{"services",
            "",
            "file",
            "Declarations to observe without a controller. Empty: services are declared through "
            "the API.",
            Shape::Value,
            text<&S::services_file>,
            {},
            true},
    Setting{"declaration-ttl",
            "5m",
            "duration",
            "Without a sign of the controller for this long, the observer stops and forgets: "
            "nobody would read what it finds. 0s: never. Off with --services.",
            Shape::Value,
            [](S& to, const Texts& texts) {
                return rules::duration_or_off(texts, 1s, to.declaration_ttl);
            }},
    Setting{"max-concurrent-reconciles",
            "8",
            "passes",
            "The controller's limit of concurrent passes; accepted and checked so that one "
            "configuration fits both.",
            Shape::Value,
            limit<&L::max_concurrent_reconciles>,
            "routing.observer.maxConcurrentReconciles",
            true},
    Setting{"max-concurrent-requests",
            "16",
            "requests",
            "Requests in flight at most, all services together. Attempts above it wait and never "
            "fail for it; /status says how many are needed.",
            Shape::Value,
            limit<&L::max_concurrent_requests>,
            "routing.observer.maxConcurrentRequests",
            true},
    Setting{"max-response-bytes",
            "65536",
            "bytes",
            "Body bytes read of one answer, so that no home can fill the memory.",
            Shape::Value,
            limit<&L::max_response_bytes>,
            "routing.observer.maxResponseBytes",
            true},
    Setting{"min-period",
            "1s",
            "duration",
            "The shortest period a policy may have, so that no service can flood its homes.",
            Shape::Value,
            min_period,
            "routing.observer.minPeriod",
            true},
    Setting{"max-samples",
            "100",
            "samples",
            "The most samples a capacity policy may keep per home, which bounds memory.",
            Shape::Value,
            limit<&L::max_samples>,
            "routing.observer.maxSamples",
            true},
    Setting{"reactors",
            "0",
            "threads",
            "Threads that observe. 0: one per core that the container may use (affinity and CPU "
            "quota), at most 16.",
            Shape::Value,
            count<&S::reactors, 0, 64>},
    Setting{"grid",
            "1ms",
            "duration",
            "Due attempts are gathered on this grid: finer costs wake-ups, coarser adds lateness.",
            Shape::Value,
            time<&S::grid, minimum_grid, maximum_grid>},
    Setting{"ca-file",
            "",
            "files",
            "PEM files of authorities that are trusted besides the system's. Noticed when they "
            "change.",
            Shape::List,
            ca_files,
            {},
            true},
    Setting{"tls-dir",
            "",
            "folder",
            "Of each cluster, as needed: CLUSTER.ca.pem, the only authorities that its endpoints "
            "are verified by; CLUSTER.crt and CLUSTER.key, a client certificate for them. Noticed "
            "when they change; a bad file leaves the old one in force.",
            Shape::Value,
            text<&S::tls_dir>,
            {},
            true},
    Setting{"dns-servers",
            "",
            "addresses",
            "Name servers (IP or IP:PORT) in place of those in resolv.conf.",
            Shape::List,
            [](S& to, const Texts& texts) { return rules::name_servers(texts, to.dns_servers); }},
    Setting{"resolv-conf",
            "/etc/resolv.conf",
            "file",
            "Where name servers and search domains are read; noticed when it changes.",
            Shape::Value,
            text<&S::resolv_conf>},
    Setting{"allow-loopback",
            "false",
            "",
            "Lets endpoints be loopback addresses, for demos and tests. Off, since an endpoint "
            "must not reach this process's own API.",
            Shape::Switch,
            truth<&S::allow_loopback>},
    Setting{"deny-addresses",
            "169.254.0.0/16,fe80::/10,fd00:ec2::/32,100.100.100.200/32,168.63.129.16/32",
            "networks",
            "Addresses that no observation connects to, whatever a name resolves to; the default "
            "are metadata services of clouds. Empty: none.",
            Shape::List,
            [](S& to, const Texts& texts) { return rules::networks(texts, to.deny_addresses); }},
    Setting{"probe-connections",
            "fresh",
            "",
            "fresh: every probe opens a connection, and so sees today's DNS record, route and "
            "certificate. reuse: cheaper, and blind to them for as long as a connection lives.",
            Shape::Value,
            probe_connections},
    Setting{"connection-max-age",
            "30s",
            "duration",
            "The age at which a kept-alive connection is not used again, so that a moved gateway "
            "is noticed.",
            Shape::Value,
            time<&S::connection_max_age>},
    Setting{"max-idle-connections",
            "16384",
            "connections",
            "Kept-alive connections that may wait for their next poll, shared out to the reactors; "
            "the oldest goes first. Fewer when the descriptor limit leaves less.",
            Shape::Value,
            count<&S::max_idle_connections, 0, 1'000'000>},
    Setting{"proxy-from-environment",
            "false",
            "",
            "Sends observations through the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY (or "
            "http_proxy, ...) name: http://[USER:PASSWORD@]HOST[:PORT], never for loopback. Off, "
            "since a probe must take the clients' path. Behind a proxy, --deny-addresses is "
            "checked for endpoints that are addresses only: the proxy resolves the names.",
            Shape::Switch,
            truth<&S::proxy_from_environment>},
    Setting{"api-max-connections",
            "256",
            "connections",
            "Connections to the API at once; at the limit an idle one makes room.",
            Shape::Value,
            count<&S::api_max_connections, 1, 100'000>},
    Setting{"api-max-watches",
            "64",
            "watches",
            "Watches open at once; further ones get 503. Each holds one of the API's connections.",
            Shape::Value,
            count<&S::api_max_watches, 0, 100'000>},
    Setting{"api-request-timeout",
            "10s",
            "duration",
            "For the head of a request to the API, and between two pieces of its body.",
            Shape::Value,
            time<&S::api_request_timeout>},
    Setting{"api-idle-timeout",
            "60s",
            "duration",
            "Between two requests on one connection to the API.",
            Shape::Value,
            time<&S::api_idle_timeout>},
    Setting{"api-write-timeout",
            "30s",
            "duration",
            "For a client of the API to take one piece of an answer; a slower one is cut off.",
            Shape::Value,
            time<&S::api_write_timeout>},
    Setting{"record",
            "",
            "file",
            "Records every attempt for `replay`, without secrets. It is written beside the "
            "reactors: a slow or full disk costs lines and never an attempt. One that is there "
            "already becomes FILE.1; a device or a pipe stays, and `-` is standard output. Empty: "
            "off.",
            Shape::Value,
            text<&S::record_file>},
    Setting{"record-max-bytes",
            "67108864",
            "bytes",
            "The size at which a recording becomes FILE.1, in place of the one before; the two "
            "together take at most twice that.",
            Shape::Value,
            count<&S::record_max_bytes, 65536>},
    Setting{"log-format",
            "text",
            "",
            "text: for people. json: one object a line.",
            Shape::Value,
            log_format},
    Setting{"log-level",
            "info",
            "",
            "debug, info, warn, error or off. Healthy attempts are logged at debug only.",
            Shape::Value,
            log_level},
    Setting{"metrics-per-home",
            "false",
            "",
            "Adds metrics with a label per home. Off, since a large fleet would make thousands of "
            "series.",
            Shape::Switch,
            truth<&S::metrics_per_home>},
};

}  // namespace

std::span<const Setting> settings_table() {
    return table;
}

const core::SettingList& setting_list() {
    static const core::SettingList list = [] {
        core::SettingList all{"ome-observer", {}};
        for (const Setting& setting : table) {
            all.rows.push_back(&setting);
        }
        return all;
    }();
    return list;
}

}  // namespace ome::observer
