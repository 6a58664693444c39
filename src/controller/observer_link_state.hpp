// What the parts of the line to the observer share.
#pragma once

#include "observer_link.hpp"
#include <ome/net/local_connection.hpp>
#include <ome/telemetry/repeat_limiter.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <fmt/format.h>

#include <optional>
#include <random>
#include <string_view>

namespace ome::controller {

using Outcome = std::optional<core::Problem>;  ///< absent: well

[[nodiscard]] inline core::Problem not_understood(std::string_view what, const core::Problem& why) {
    return {fmt::format("{} cannot be understood: {}", what, why.message), why.field};
}

/// What the observer says went wrong, or that what answers there is none.
[[nodiscard]] core::Problem refusal(std::string_view what, const net::LocalAnswer& answer);

struct ObserverLink::State {
    using Timer = net::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                  net::asio::wait_traits<std::chrono::steady_clock>,
                                                  net::Executor>;

    State(net::asio::io_context& context,
          LinkSettings chosen,
          Reconciler& reconciling,
          Clock reading,
          std::function<void()> on_change)
        : settings(std::move(chosen)),
          reconciler(reconciling),
          clock(std::move(reading)),
          changed(std::move(on_change)),
          calls(context, settings.url, settings.trust),
          stream(context, settings.url, settings.trust),
          pause(context),
          idle(context),
          declared(settings.inherited),
          complaints(std::chrono::seconds(60)),
          tasks(context) {}

    // Sessions (observer_link.cpp).
    net::Awaitable<void> run();
    net::Awaitable<Outcome> hold_session();
    net::Awaitable<Outcome> converse();
    net::Awaitable<void> give_back();
    net::Awaitable<Outcome> forget_the_lost_lead();
    net::Awaitable<void> rest(std::uint32_t attempt);
    Outcome take_instance(const std::string& told);
    void end_session(Outcome why);
    void tell(const core::Problem& problem);

    // Requests, one after the other (observer_calls.cpp).
    net::Awaitable<Outcome> greet();
    net::Awaitable<Outcome> declare_all();
    net::Awaitable<Outcome> declare_nothing();
    net::Awaitable<Outcome> read_all();
    net::Awaitable<Outcome> read_page(std::string& more);
    net::Awaitable<Outcome> send_declarations();
    net::Awaitable<Outcome> send_one(DeclarationRequest request);
    [[nodiscard]] std::function<std::string()> bulk_lines();
    Outcome take_declared(const DeclarationRequest& request, const net::LocalAnswer& answer);

    // The watch (observer_stream.cpp).
    net::Awaitable<Outcome> open_stream();
    net::Awaitable<void> follow();
    net::Awaitable<Outcome> read_lines();
    Outcome take_line(std::string_view line);

    LinkSettings settings;
    Reconciler& reconciler;
    Clock clock;
    std::function<void()> changed;

    net::LocalConnection calls;
    net::LocalConnection stream;
    Timer pause;
    Timer idle;  ///< of the sender, until there is something to send
    LinkStatus status;
    std::string since;
    bool stopping = false;
    bool letting_go = false;       ///< what comes is of a lead that is over
    bool declared;                 ///< the observer may hold something of ours
    bool owes_forgetting = false;  ///< a lead has ended, and the observer was not told
    bool in_session = false;
    bool stream_over = false;
    Outcome ended_by;
    std::mt19937_64 random{std::random_device{}()};
    telemetry::RepeatLimiter complaints;
    net::TaskScope tasks;
};

}  // namespace ome::controller
