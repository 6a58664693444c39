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
              {{"file", settings.services_file}, {"services", kept.size()}, {"homes", homes}});
}

net::Awaitable<void> App::State::reload() {
    log::info("SIGHUP: reading files again",
              {{"config", shown_file(settings.config_file)},
               {"services", shown_file(settings.services_file)}});
    reload_limits();
    trust_keeper->reload();
    take_certificate(guard->reload());
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

namespace {

// A row for each limit; what flags and variables say cannot have changed.
void log_changes(const std::vector<SettingInForce>& before,
                 const std::vector<SettingInForce>& now) {
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
        if (before[i].value != now[i].value) {
            log::info(
                "a limit changed",
                {{"setting", now[i].name}, {"before", before[i].value}, {"now", now[i].value}});
        }
    }
}

}  // namespace

void App::State::reload_limits() {
    core::Result<ReloadedSettings> again = read_limits();
    if (!again) {
        log::error("configuration kept as it was",
                   {{"problem", core::message_with_flag(again.error())}});
        return;
    }
    log_changes(settings.in_force, again->in_force);
    settings.in_force = std::move(again->in_force);
    limits = again->limits;
    desk->set_total(limits.max_concurrent_requests);
    hub->set_limits(limits.min_period, static_cast<std::size_t>(limits.max_response_bytes));
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
            take_certificate(guard->look());
        }
    }
}

void App::State::take_certificate(std::shared_ptr<const net::ServerTls> tls) {
    if (tls != nullptr) {
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
