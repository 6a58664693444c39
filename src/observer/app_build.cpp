// What App is made of, in order of construction.
#include "app_state.hpp"
#include "proxy_environment.hpp"
#include "services_file.hpp"
#include "settings_options.hpp"
#include <ome/core/text.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace ome::observer {
namespace {

namespace log = telemetry::log;

net::ClientSettings client_settings(const Settings& settings,
                                    core::ProxyRules proxies,
                                    std::shared_ptr<const net::Trust> trust) {
    return {
        .deny_addresses = settings.deny_addresses,
        .allow_loopback = settings.allow_loopback,
        .proxies = std::move(proxies),
        .trust = std::move(trust),
        .dns_servers = settings.dns_servers,
        .resolv_conf = settings.resolv_conf,
        .max_idle_connections = settings.max_idle_connections / settings.reactors,
        .connection_max_age = settings.connection_max_age,
    };
}

HubSettings hub_settings(const Settings& settings) {
    HubSettings chosen;
    chosen.declaration_ttl =
        settings.services_file.empty() ? settings.declaration_ttl : core::Duration::zero();
    chosen.most_watches = settings.api_max_watches;
    return chosen;
}

ShardSettings shard_settings(const Settings& settings, std::size_t index, Recorder* recorder) {
    return {
        .index = index,
        .min_period = settings.limits.min_period,
        .grid = settings.grid,
        .max_response_bytes = static_cast<std::size_t>(settings.limits.max_response_bytes),
        .fresh_probes = !settings.reuse_probe_connections,
        .alone = settings.reactors == 1,
        .recorder = recorder,
    };
}

}  // namespace

std::optional<core::Problem> App::State::start_recording() {
    if (settings.record_file.empty()) {
        return std::nullopt;
    }
    auto started = Recorder::start(settings.record_file, settings.record_max_bytes);
    if (!started) {
        return started.error();
    }
    recorder = std::move(*started);
    recorder->offer(RecordedForgetting{net::read_clock().wall, {}});
    return std::nullopt;
}

std::optional<core::Problem> App::State::build_reactors() {
    trust_keeper = std::make_unique<TrustKeeper>(
        settings, [this](const std::shared_ptr<const net::Trust>& trust) {
            for (const auto& side : reactors) {
                side->reactor.post(
                    [client = side->client.get(), trust] { client->set_trust(trust); });
            }
        });
    const auto trust = trust_keeper->begin();
    if (!trust) {
        return trust.error();
    }
    const auto proxies = proxy_rules(settings, process_environment());
    if (!proxies) {
        return proxies.error();
    }
    if (settings.proxy_from_environment) {
        log::info("proxies of the environment apply", {{"proxies", proxies->shown()}});
    }
    std::vector<ShardAddress> addresses;
    for (std::size_t i = 0; i < settings.reactors; ++i) {
        auto side = std::make_unique<ReactorSide>(i);
        auto client =
            net::Client::create(side->reactor.io(), client_settings(settings, *proxies, *trust));
        if (!client) {
            return client.error();
        }
        side->client = std::move(*client);
        auto announce = [this](ShardNews news) {
            asio::post(api_io, [this, news = std::move(news)] { hub->announce(news); });
        };
        auto report = [this](const core::PermitReport& said) { desk->report(said); };
        side->shard = std::make_unique<Shard>(side->reactor.io(),
                                              *side->client,
                                              shard_settings(settings, i, recorder.get()),
                                              std::move(announce),
                                              std::move(report));
        addresses.push_back({&side->reactor.io(), side->shard.get()});
        reactors.push_back(std::move(side));
    }
    auto deliver = [this](const core::Allowance& allowance) {
        ReactorSide& side = *reactors[allowance.reactor];
        side.reactor.post([&side, allowance] { side.shard->allow(allowance); });
    };
    desk = std::make_unique<PermitDesk>(
        reactors.front()->reactor.io(), settings.reactors, limits.max_concurrent_requests, deliver);
    for (const core::Allowance& allowance : desk->initial()) {
        deliver(allowance);
    }
    hub = std::make_unique<Hub>(std::move(addresses), hub_settings(settings));
    return std::nullopt;
}

net::HttpServerSettings App::State::server_settings(const net::ListenAddress& listen) const {
    net::HttpServerSettings chosen;
    chosen.listen = net::to_string(listen);
    chosen.allowed_hosts = settings.allowed_hosts;
    chosen.max_connections = settings.api_max_connections;
    chosen.request_timeout = settings.api_request_timeout;
    chosen.idle_timeout = settings.api_idle_timeout;
    chosen.write_timeout = settings.api_write_timeout;
    chosen.on_fault = [](std::string fault) {
        log::error("fault in the local API", {{"fault", fault}});
    };
    return chosen;
}

std::optional<core::Problem> App::State::build_api() {
    context = std::make_unique<ApiContext>(ApiContext{
        .hub = *hub,
        .settings = settings,
        .limits = [this] { return limits; },
        .ready = [this] { return ready && !stopping; },
        .reactor_busy_seconds =
            [this] {
                std::vector<double> busy;
                for (const auto& side : reactors) {
                    busy.push_back(std::chrono::duration<double>(side->reactor.busy()).count());
                }
                return busy;
            },
        .recorder = recorder.get(),
        .started = net::read_clock(),
        .fixed_services = !settings.services_file.empty(),
    });
    auto problem_answer = [this](unsigned status, std::string message) {
        return error_answer(*context, status, {std::move(message)});
    };
    guard = std::make_unique<ApiGuard>(settings);
    if (auto problem = guard->begin()) {
        return problem;
    }
    net::HttpServerSettings api = server_settings(settings.listen);
    api.tls = guard->tls();
    auto made = net::HttpServer::create(
        api_io,
        api,
        [this](net::ServerRequest request) { return answer_admitted(std::move(request)); },
        problem_answer);
    if (!made) {
        return made.error();
    }
    server = std::move(*made);
    if (!settings.health_listen) {
        return std::nullopt;
    }
    // The kubelet and Prometheus dial the pod's address, so no Host check here (design.md section
    // 4).
    net::HttpServerSettings health = server_settings(*settings.health_listen);
    health.check_host = false;
    auto second = net::HttpServer::create(
        api_io,
        health,
        [this](net::ServerRequest request) {
            return answer_health(context.get(), std::move(request));
        },
        problem_answer);
    if (!second) {
        return second.error();
    }
    health_server = std::move(*second);
    return std::nullopt;
}

net::Awaitable<net::ServerResponse> App::State::answer_admitted(net::ServerRequest request) {
    const std::string_view origin = request.header("origin");
    if (!guard->welcomes(origin, request.header("host"))) {
        core::Problem foreign{
            fmt::format("the Origin {} is neither this API nor one of allowed-hosts",
                        core::go_quote(core::shorten_bytes(origin, 64)))};
        co_return error_answer(*context, 403, foreign);
    }
    if (asks_for_page(request) || guard->admits(request.header("authorization"))) {
        co_return co_await answer(context.get(), std::move(request));
    }
    core::Problem problem{"the header Authorization must show the token of --token-file"};
    net::ServerResponse refusal = error_answer(*context, 401, problem);
    refusal.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"ome-observer\"");
    co_return refusal;
}

std::optional<core::Problem> App::State::load_services() {
    if (settings.services_file.empty()) {
        return std::nullopt;
    }
    auto declared = read_services_file(settings.services_file, limits);
    if (!declared) {
        return declared.error();
    }
    first_services = std::move(*declared);
    return std::nullopt;
}

}  // namespace ome::observer
