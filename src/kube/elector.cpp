#include "timer.hpp"
#include <ome/core/deadline.hpp>
#include <ome/kube/backoff.hpp>
#include <ome/kube/elector.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/task_scope.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace ome::kube {

using Trouble = std::optional<Failure>;

struct Elector::State {
    State(net::asio::io_context& context,
          Client& asked,
          std::string in,
          std::string called,
          ElectionSettings chosen,
          Listener whom)
        : io(context),
          client(asked),
          ns(std::move(in)),
          name(std::move(called)),
          settings(chosen),
          listener(std::move(whom)),
          election(std::move(chosen)),
          tasks(context) {}

    net::Awaitable<void> run();
    net::Awaitable<void> keep_watch();
    net::Awaitable<Trouble> turn();
    net::Awaitable<Trouble> look();
    net::Awaitable<Trouble> write(Election::Move move);
    net::Awaitable<void> release();
    ApiRequest request(const char* method, std::string target) const;
    void take(const boost::json::value& object, core::SteadyTime asked_at, bool by_us);
    void tell(bool first_too);
    void show();
    [[nodiscard]] core::Duration rest();

    net::asio::io_context& io;
    Client& client;
    std::string ns;
    std::string name;
    ElectionSettings settings;
    Listener listener;
    Election election;
    ElectorStatus status;
    std::optional<bool> told;
    std::optional<LeaseRecord> shown;
    bool stopping = false;
    std::mt19937_64 random{std::random_device{}()};
    net::TaskScope tasks;
};

// A lead that begins or ends is told by whoever sees it first; that there is none at the start,
// once that is known.
void Elector::State::tell(bool first_too) {
    const bool leading = election.leading(net::read_sleepless_clock());
    status.holder = election.record() ? election.record()->holder : std::string();
    status.leading = leading;
    show();
    const bool changed = told ? *told != leading : leading || first_too;
    if (changed) {
        told = leading;
        status.terms += leading ? 1 : 0;
        listener.leading(leading);
    }
}

void Elector::State::show() {
    if (listener.seen && election.record() != shown) {
        shown = election.record();
        listener.seen(shown ? &*shown : nullptr);
    }
}

// No request may take longer than what is left of our own lead, or than a lead lasts.
ApiRequest Elector::State::request(const char* method, std::string target) const {
    ApiRequest made;
    made.method = method;
    made.target = std::move(target);
    made.deadline = core::later(net::read_clock().steady, settings.renew_deadline / 2);
    return made;
}

void Elector::State::take(const boost::json::value& object, core::SteadyTime asked_at, bool by_us) {
    auto record = read_lease(object);
    if (!record) {
        status.problem = record.error().message;
        return;
    }
    if (by_us) {
        election.written(*std::move(record), asked_at);
    } else {
        election.observed(*std::move(record), net::read_sleepless_clock());
    }
}

net::Awaitable<Trouble> Elector::State::look() {
    const core::SteadyTime asked_at = net::read_sleepless_clock();
    ApiRequest get = request("GET", object_path(leases, ns, name));
    const auto object = co_await client.call(std::move(get));
    if (object) {
        take(*object, asked_at, false);
        co_return std::nullopt;
    }
    if (object.error().not_found()) {
        election.observed(std::nullopt, net::read_sleepless_clock());
        co_return std::nullopt;
    }
    co_return object.error();
}

net::Awaitable<Trouble> Elector::State::write(Election::Move move) {
    const core::SteadyTime asked_at = net::read_sleepless_clock();
    const LeaseRecord wanted = election.wanted(net::read_clock().wall);
    const bool create = move == Election::Move::Create;
    ApiRequest put = create ? request("POST", collection_path(leases, ns))
                            : request("PUT", object_path(leases, ns, name));
    put.content_type = "application/json";
    put.body = lease_text(ns, name, wanted);
    const auto object = co_await client.call(std::move(put));
    if (!object && object.error().conflict()) {
        // Somebody was faster, or something of ours has landed unseen.
        co_return co_await look();
    }
    if (!object) {
        co_return object.error();
    }
    take(*object, asked_at, true);
    co_return std::nullopt;
}

net::Awaitable<Trouble> Elector::State::turn() {
    // A leader renews what it knows; if that is not so any more, the write is refused.
    const bool leading = election.leading(net::read_sleepless_clock());
    if (!leading) {
        Trouble trouble = co_await look();
        if (trouble) {
            co_return trouble;
        }
    }
    const Election::Move move = election.next(net::read_sleepless_clock());
    if (move == Election::Move::Wait) {
        co_return std::nullopt;
    }
    co_return co_await write(move);
}

core::Duration Elector::State::rest() {
    const double part = std::uniform_real_distribution<double>(1.0, 1.2)(random);
    const auto count = static_cast<double>(settings.retry_period.count()) * part;
    return core::Duration(static_cast<std::int64_t>(count));
}

net::Awaitable<void> Elector::State::run() {
    co_await net::asio::this_coro::throw_if_cancelled(false);
    while (!stopping) {
        const Trouble trouble = co_await turn();
        if (stopping) {
            break;
        }
        status.problem = trouble ? trouble->message : std::string();
        if (trouble) {
            listener.troubled(*trouble);
        }
        tell(!trouble);
        co_await pause(io, rest());
    }
}

// A lead ends by itself while a request hangs.
net::Awaitable<void> Elector::State::keep_watch() {
    co_await net::asio::this_coro::throw_if_cancelled(false);
    while (!stopping) {
        tell(false);
        const auto until = election.leads_until();
        const core::Duration left =
            until ? *until - net::read_sleepless_clock() : settings.retry_period;
        co_await pause(io,
                       std::clamp<core::Duration>(
                           left, std::chrono::milliseconds(1), std::chrono::milliseconds(250)));
    }
}

net::Awaitable<void> Elector::State::release() {
    if (!election.leading(net::read_sleepless_clock())) {
        co_return;
    }
    ApiRequest put = request("PUT", object_path(leases, ns, name));
    put.content_type = "application/json";
    put.body = lease_text(ns, name, election.released(net::read_clock().wall));
    put.deadline = core::later(net::read_clock().steady, settings.retry_period);
    election.gave_up();
    tell(false);
    const auto object = co_await client.call(std::move(put));
    if (!object) {
        listener.troubled(object.error());
    }
}

Elector::Elector(net::asio::io_context& io,
                 Client& client,
                 std::string ns,
                 std::string name,
                 ElectionSettings settings,
                 Listener listener)
    : state_(std::make_unique<State>(
          io, client, std::move(ns), std::move(name), std::move(settings), std::move(listener))) {}

Elector::~Elector() = default;

void Elector::start() {
    state_->tasks.spawn(state_->run());
    state_->tasks.spawn(state_->keep_watch());
}

net::Awaitable<void> Elector::stop() {
    state_->stopping = true;
    co_await state_->tasks.stop();
    co_await state_->release();
}

bool Elector::leading() const {
    return state_->election.leading(net::read_sleepless_clock());
}

std::optional<core::SteadyTime> Elector::leads_until() const {
    const auto until = state_->election.leads_until();
    const core::Duration left =
        until ? *until - net::read_sleepless_clock() : core::Duration::zero();
    return left > core::Duration::zero()
               ? std::optional(core::later(net::read_clock().steady, left))
               : std::nullopt;
}

const ElectorStatus& Elector::status() const {
    return state_->status;
}

}  // namespace ome::kube
