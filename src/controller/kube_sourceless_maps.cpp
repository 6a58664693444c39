#include "kube_sourceless_maps.hpp"

#include <ome/kube/resource.hpp>
#include <ome/routing/ownership.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;
using namespace std::chrono_literals;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr std::chrono::seconds longest_pause = 1min;

}  // namespace

KubeSourcelessMaps::KubeSourcelessMaps(Wiring wiring)
    : with_(std::move(wiring)), tasks_(with_.io) {}

void KubeSourcelessMaps::hear(const StoreNews& one) {
    if (const auto* lost = std::get_if<news::MapGone>(&one)) {
        without_controller_.erase(lost->key);
    }
    const auto* told = std::get_if<news::MapIs>(&one);
    if (told == nullptr) {
        return;
    }
    const core::ServiceKey& key = told->map->meta.key;
    const routing::Reap reap = routing::reap_without_source(key, told->map.get());
    if (reap.action != routing::Reap::Action::Delete) {
        without_controller_.erase(key);
    } else if (without_controller_.insert(key).second && listed_) {
        look_at(key);
    }
}

void KubeSourcelessMaps::listed() {
    listed_ = true;
    for (const core::ServiceKey& key : without_controller_) {
        look_at(key);
    }
}

void KubeSourcelessMaps::drop() {
    ++lead_;
    listed_ = false;
    without_controller_.clear();
    asked_.clear();
}

net::Awaitable<void> KubeSourcelessMaps::stop() {
    co_await asio::this_coro::throw_if_cancelled(false);
    drop();
    co_await tasks_.stop();
}

void KubeSourcelessMaps::look_at(const core::ServiceKey& key) {
    if (!with_.knows_service(key) && asked_.insert(key).second) {
        tasks_.spawn(ask(key, lead_));
    }
}

// A service that is there is none of ours (--selector), or the watch is about to tell of it.
net::Awaitable<void> KubeSourcelessMaps::ask(core::ServiceKey key, std::uint64_t lead) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const std::string path = kube::object_path(kube::inference_services, key.ns, key.name);
    for (std::chrono::seconds pause = 1s; lead == lead_ && without_controller_.contains(key);
         pause = std::min(2 * pause, longest_pause)) {
        const auto found = co_await with_.client.get(path);
        if (lead != lead_) {
            co_return;
        }
        if (found || found.error().not_found()) {
            asked_.erase(key);
            if (!found && without_controller_.contains(key)) {
                with_.gone(key);
            }
            co_return;
        }
        Timer timer(with_.io.get_executor());
        timer.expires_after(pause);
        std::ignore = co_await timer.async_wait(net::as_result);
    }
    if (lead == lead_) {
        asked_.erase(key);
    }
}

}  // namespace ome::controller
