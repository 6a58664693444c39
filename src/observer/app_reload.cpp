// What changes while App runs: the services file, the configuration, certificates, the lease.
#include "app_state.hpp"
#include "services_file.hpp"
#include <ome/core/setting.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;
namespace log = telemetry::log;

// How often files that may change while we run are looked at.
constexpr core::Duration file_check_interval = 2s;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

std::string_view shown_file(const std::string& file) {
    return file.empty() ? "none" : std::string_view(file);
}

}  // namespace

// The whole set: what the file does not name any more is forgotten.
net::Awaitable<void> App::State::apply_services(std::vector<core::ServiceDeclaration> declared) {
    std::vector<core::ServiceKey> kept;
    std::size_t homes = 0;
    for (core::ServiceDeclaration& declaration : declared) {
        kept.push_back(declaration.key);
        homes += declaration.homes.size();
        std::ignore = co_await hub->declare(std::move(declaration));
    }
    for (const core::ServiceKey& key : hub->keys()) {
        if (std::find(kept.begin(), kept.end(), key) == kept.end()) {
            co_await hub->forget(key);
        }
    }
    log::info("services declared",
              {{"file", settings.services_file},
               {"services", std::to_string(kept.size())},
               {"homes", std::to_string(homes)}});
}

net::Awaitable<void> App::State::reload() {
    log::info("SIGHUP: reading files again",
              {{"config", shown_file(settings.config_file)},
               {"services", shown_file(settings.services_file)}});
    reload_limits();
    trust_keeper->reload();
    look_at_guard();
    if (settings.services_file.empty()) {
        co_return;
    }
    auto declared = read_services_file(settings.services_file, limits);
    if (declared) {
        co_await apply_services(std::move(*declared));
    } else {
        log::error("services kept as they were",
                   {{"problem", core::message_with_flag(declared.error())}});
    }
}

void App::State::reload_limits() {
    const core::Result<core::ObserverLimits> again = read_limits();
    if (again) {
        if (again->max_concurrent_requests != limits.max_concurrent_requests) {
            log::info("request budget changed",
                      {{"before", limits.max_concurrent_requests},
                       {"now", again->max_concurrent_requests}});
        }
        limits = *again;
        desk->set_total(limits.max_concurrent_requests);
        hub->set_limits(limits.min_period, static_cast<std::size_t>(limits.max_response_bytes));
    } else {
        log::error("configuration kept as it was",
                   {{"problem", core::message_with_flag(again.error())}});
    }
}

// Certificates and keys are replaced while we run, and nobody sends a signal for that.
net::Awaitable<void> App::State::watch_files() {
    co_await asio::this_coro::throw_if_cancelled(false);
    Timer timer(api_io);
    while (!stopping) {
        timer.expires_after(file_check_interval);
        std::ignore = co_await timer.async_wait(net::as_result);
        if (!stopping) {
            trust_keeper->look();
            look_at_guard();
        }
    }
}

void App::State::look_at_guard() {
    if (auto tls = guard->look()) {
        server->set_tls(std::move(tls));
    }
}

// Looks often enough that a lease ends at most a quarter late.
net::Awaitable<void> App::State::watch_lease() {
    const core::Duration interval = std::min<core::Duration>(settings.declaration_ttl / 4, 1s);
    Timer timer(api_io);
    for (;;) {
        timer.expires_after(interval);
        const auto [ended] = co_await timer.async_wait(net::as_result);
        if (ended) {
            co_return;
        }
        std::ignore = co_await hub->end_expired_lease();
    }
}

}  // namespace ome::observer
