#include "kube_writer.hpp"

#include "kube_map_writer.hpp"
#include "kube_publication.hpp"
#include "kube_remarks.hpp"
#include "kube_sender.hpp"
#include <ome/core/deadline.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/task_scope.hpp>

#include <boost/asio/basic_waitable_timer.hpp>

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <variant>

namespace ome::controller {
namespace {

namespace asio = net::asio;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

core::ServiceKey key_of(const StoreRequest& request) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.source; }) {
                return one.source;
            } else {
                return one.key;
            }
        },
        request);
}

}  // namespace

struct KubeWriter::State {
    State(asio::io_context& context, Surroundings given, std::string instance, std::size_t most)
        : io(context),
          around(std::move(given)),
          at_once(most),
          sender(context, around.client, around.leads_until),
          maps(sender, around.stored),
          publication(sender, around.stored, around.object_stored),
          remarks(sender, std::move(instance), around.event_lost),
          tasks(context) {}

    void begin_some();
    net::Awaitable<void> serve(core::ServiceKey key);
    net::Awaitable<void> carry_out(StoreRequest request);
    template <typename Request>
    net::Awaitable<void> publish(const Request& request) {
        PublicationResult result = co_await publication.carry_out(request);
        around.published(std::move(result));
    }

    asio::io_context& io;
    Surroundings around;
    std::size_t at_once;
    KubeSender sender;
    KubeMapWriter maps;
    KubePublication publication;
    KubeRemarks remarks;
    std::map<core::ServiceKey, std::deque<StoreRequest>> waiting;
    std::deque<core::ServiceKey> turns;  // keys with something waiting that nobody serves
    std::set<core::ServiceKey> served;
    net::TaskScope tasks;
};

net::Awaitable<void> KubeWriter::State::carry_out(StoreRequest request) {
    if (const auto* event = std::get_if<EventRecord>(&request)) {
        co_await remarks.record(*event);
        co_return;
    }
    if (const auto* lapsed = std::get_if<DrainLapse>(&request)) {
        co_await remarks.lapse(*lapsed);
        co_return;
    }
    if (const auto* write = std::get_if<MapWrite>(&request)) {
        const core::ServiceKey key = write->key;
        around.map_is_written(key, true);
        StoreResult result = co_await maps.write(*write);
        around.result(std::move(result));
        around.map_is_written(key, false);
        co_return;
    }
    if (const auto* deletion = std::get_if<MapDelete>(&request)) {
        StoreResult result = co_await maps.remove(*deletion);
        around.result(std::move(result));
        co_return;
    }
    if (const auto* status = std::get_if<MapStatusWrite>(&request)) {
        co_await publish(*status);
    } else if (const auto* finalizer = std::get_if<MapFinalizerWrite>(&request)) {
        co_await publish(*finalizer);
    } else if (const auto* object = std::get_if<ObjectWriteRequest>(&request)) {
        co_await publish(*object);
    } else if (const auto* removal = std::get_if<ObjectDeleteRequest>(&request)) {
        co_await publish(*removal);
    }
}

net::Awaitable<void> KubeWriter::State::serve(core::ServiceKey key) {
    co_await asio::this_coro::throw_if_cancelled(false);
    std::deque<StoreRequest>& mine = waiting[key];
    while (!mine.empty()) {
        StoreRequest request = std::move(mine.front());
        mine.pop_front();
        co_await carry_out(std::move(request));
    }
    waiting.erase(key);
    served.erase(key);
    begin_some();
}

void KubeWriter::State::begin_some() {
    while (served.size() < at_once && !turns.empty()) {
        core::ServiceKey key = std::move(turns.front());
        turns.pop_front();
        served.insert(key);
        tasks.spawn(serve(std::move(key)));
    }
}

KubeWriter::KubeWriter(asio::io_context& io,
                       Surroundings surroundings,
                       std::string instance,
                       std::size_t at_once)
    : state_(std::make_unique<State>(io, std::move(surroundings), std::move(instance), at_once)) {}

KubeWriter::~KubeWriter() = default;

void KubeWriter::submit(std::vector<StoreRequest> requests) {
    State& state = *state_;
    for (StoreRequest& request : requests) {
        const core::ServiceKey key = key_of(request);
        std::deque<StoreRequest>& mine = state.waiting[key];
        if (mine.empty() && state.served.find(key) == state.served.end()) {
            state.turns.push_back(key);
        }
        mine.push_back(std::move(request));
    }
    state.begin_some();
}

// Whoever serves a key holds on to its queue.
void KubeWriter::drop() {
    State& state = *state_;
    state.turns.clear();
    std::erase_if(state.waiting, [&state](const auto& one) {
        return state.served.find(one.first) == state.served.end();
    });
    for (auto& [key, requests] : state.waiting) {
        requests.clear();
    }
}

bool KubeWriter::idle() const {
    return state_->served.empty() && state_->turns.empty();
}

net::Awaitable<void> KubeWriter::stop(core::Duration patience) {
    const core::SteadyTime until = core::later(net::read_clock().steady, patience);
    while (!state_->served.empty() && net::read_clock().steady < until) {
        Timer timer(state_->io.get_executor());
        timer.expires_after(std::chrono::milliseconds(5));
        std::ignore = co_await timer.async_wait(net::as_result);
    }
    state_->turns.clear();
    for (auto& [key, requests] : state_->waiting) {
        requests.clear();
    }
    co_await state_->tasks.stop();
}

}  // namespace ome::controller
