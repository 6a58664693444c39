#include "kube_rights.hpp"

#include "right_log.hpp"
#include <ome/kube/right.hpp>
#include <ome/net/clock.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <tuple>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

constexpr std::size_t asked_at_once = 20;

}  // namespace

KubeRights::KubeRights(asio::io_context& io,
                       kube::Client& client,
                       bool publishes,
                       std::function<void()> changed,
                       core::Duration ask_again)
    : io_(io),
      client_(client),
      changed_(std::move(changed)),
      ask_again_(ask_again),
      rights_(publishes),
      tasks_(io) {}

void KubeRights::start() {
    tasks_.spawn(ask());
}

void KubeRights::heard(const std::string& method,
                       const std::string& target,
                       unsigned status,
                       const kube::Failure* refusal) {
    take(rights_.heard(method, target, status, refusal, net::read_clock()));
}

void KubeRights::take(const MissingRights::Change& change) {
    log_right(change);
    changed_();
}

std::vector<MissingRight> KubeRights::needed() {
    return rights_.needed(net::read_clock().steady);
}

// What was refused is tried again after pauses that grow: somebody has to notice before that it is
// not refused any more.
net::Awaitable<void> KubeRights::ask() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping_) {
        Timer timer(io_.get_executor());
        timer.expires_after(ask_again_);
        std::ignore = co_await timer.async_wait(net::as_result);
        const std::vector<kube::Right> all = rights_.to_ask_for(asked_at_once);
        for (const kube::Right& right : all) {
            if (stopping_) {
                break;
            }
            auto review = co_await client_.create(
                kube::access_review_path, kube::access_review(right), std::string());
            if (review && kube::allows(*review)) {
                take(rights_.given(right));
            }
        }
    }
}

net::Awaitable<void> KubeRights::stop() {
    stopping_ = true;
    co_await tasks_.stop();
}

}  // namespace ome::controller
