#include "observer_link.hpp"

#include "observer_link_state.hpp"
#include <ome/telemetry/log.hpp>
#include <ome/wire/observer_answer.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace log = telemetry::log;

}  // namespace

core::Problem refusal(std::string_view what, const net::LocalAnswer& answer) {
    const auto said = wire::read_error_answer(answer.body);
    return {fmt::format("{} got status {}: {}",
                        what,
                        answer.status,
                        said ? said->problem.message : "not an answer of ome-observer")};
}

// Nothing that came from another instance counts beside what comes from this one.
Outcome ObserverLink::State::take_instance(const std::string& told) {
    if (letting_go) {
        return core::Problem{"this controller does not lead any more"};
    }
    if (told.empty()) {
        return core::Problem{"an answer without an instance is not one of ome-observer"};
    }
    if (in_session && told != status.instance) {
        return core::Problem{"the observer has started anew"};
    }
    status.instance = told;
    reconciler.heard(clock());
    return std::nullopt;
}

// The stream first: it is heard while thousands of services are declared, and tells when the other
// side hangs. Until the session is over.
net::Awaitable<Outcome> ObserverLink::State::converse() {
    Outcome problem = co_await forget_the_lost_lead();
    if (problem) {
        co_return problem;
    }
    problem = co_await declare_all();
    if (problem) {
        co_return problem;
    }
    problem = co_await read_all();
    if (problem) {
        co_return problem;
    }
    ++status.syncs;
    status.connected = true;
    status.problem.clear();
    log::info("the observer is heard", {{"url", settings.url.text}, {"instance", status.instance}});
    reconciler.synced(clock());
    changed();
    co_return co_await send_declarations();
}

// The histories of a lead that was lost never heard of the gates that another lead closed since,
// and what is declared as restored counts only where a history begins (promise 4;
// tests/model/spin).
net::Awaitable<Outcome> ObserverLink::State::forget_the_lost_lead() {
    if (!owes_forgetting) {
        co_return std::nullopt;
    }
    Outcome problem = co_await declare_nothing();
    owes_forgetting = problem.has_value();
    co_return problem;
}

net::Awaitable<Outcome> ObserverLink::State::hold_session() {
    Outcome problem = co_await greet();
    if (problem) {
        co_return problem;
    }
    problem = co_await open_stream();
    if (problem || letting_go) {
        co_return problem;
    }
    in_session = true;
    declared = true;
    ended_by.reset();
    stream_over = false;
    tasks.spawn(follow());
    problem = co_await converse();
    end_session(std::move(problem));
    stream.cancel();
    while (!stream_over) {
        idle.expires_at(Timer::time_point::max());
        std::ignore = co_await idle.async_wait(net::as_result);
    }
    status.breaks += status.connected ? 1 : 0;
    co_return std::exchange(ended_by, std::nullopt);
}

// Both halves of a session end for the first one's reason.
void ObserverLink::State::end_session(Outcome why) {
    if (!ended_by) {
        ended_by = why ? std::move(why) : core::Problem{"the session is over"};
    }
}

// With jitter, so that many controllers do not come back together.
net::Awaitable<void> ObserverLink::State::rest(std::uint32_t attempt) {
    const core::Duration longest =
        std::min(settings.longest_pause, settings.first_pause * (1 << std::min(attempt, 10U)));
    std::uniform_int_distribution<std::int64_t> spread(longest.count() / 2, longest.count());
    pause.expires_after(core::Duration(spread(random)));
    std::ignore = co_await pause.async_wait(net::as_result);
}

void ObserverLink::State::tell(const core::Problem& problem) {
    status.problem = problem.message;
    const auto verdict = complaints.admit(problem.message, clock().steady);
    if (verdict.tell) {
        log::warn(
            "no line to the observer",
            {{"url", settings.url.text}, {"problem", problem.message}, {"untold", verdict.untold}});
    }
}

// An observer that cannot be reached forgets by itself after a while, or at the begin of the next
// lead's session.
net::Awaitable<void> ObserverLink::State::give_back() {
    constexpr std::uint32_t most_attempts = 10;
    for (std::uint32_t attempt = 0; declared && attempt < most_attempts; ++attempt) {
        if (stopping || reconciler.knows_everything()) {
            co_return;
        }
        const Outcome problem = co_await declare_nothing();
        calls.close();
        declared = problem.has_value();
        if (problem) {
            tell(*problem);
            co_await rest(attempt);
        }
    }
    status.problem.clear();
}

net::Awaitable<void> ObserverLink::State::run() {
    co_await asio::this_coro::throw_if_cancelled(false);
    std::uint32_t attempt = 0;
    while (!stopping) {
        if (letting_go) {
            co_await give_back();
            owes_forgetting = declared;
            letting_go = false;
            attempt = 0;
        }
        if (!reconciler.knows_everything()) {
            co_await rest(0);
            continue;
        }
        Outcome problem = co_await hold_session();
        attempt = status.connected ? 0 : attempt;
        status.connected = false;
        in_session = false;
        calls.close();
        stream.close();
        if (!stopping && !letting_go && problem) {
            tell(*problem);
            co_await rest(attempt++);
        }
    }
}

ObserverLink::ObserverLink(asio::io_context& io,
                           LinkSettings settings,
                           Reconciler& reconciler,
                           Clock clock,
                           std::function<void()> changed)
    : state_(std::make_unique<State>(
          io, std::move(settings), reconciler, std::move(clock), std::move(changed))) {}

ObserverLink::~ObserverLink() = default;

void ObserverLink::count_on(const LinkStatus& before) {
    state_->status.syncs = before.syncs;
    state_->status.breaks = before.breaks;
    state_->status.declarations = before.declarations;
    state_->status.lines = before.lines;
}

void ObserverLink::start() {
    state_->tasks.spawn(state_->run());
}

void ObserverLink::wake() {
    state_->idle.cancel();
}

void ObserverLink::let_go() {
    State& state = *state_;
    state.letting_go = true;
    state.end_session({});
    state.calls.cancel();
    state.stream.cancel();
    state.idle.cancel();
    state.pause.cancel();
}

net::Awaitable<void> ObserverLink::stop() {
    state_->stopping = true;
    state_->end_session({});
    co_await state_->tasks.stop();
}

const LinkStatus& ObserverLink::status() const {
    return state_->status;
}

}  // namespace ome::controller
