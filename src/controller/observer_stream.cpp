// The watch of the line to the observer.
#include "observer_link_state.hpp"
#include <ome/wire/observer_answer.hpp>

#include <boost/asio/this_coro.hpp>

namespace ome::controller {
namespace {

// One service with a thousand homes is about 1 MiB.
constexpr std::size_t longest_line = std::size_t{16} << 20;

}  // namespace

net::Awaitable<Outcome> ObserverLink::State::open_stream() {
    net::LocalRequest request;
    request.target = fmt::format("/v1/watch?holder={}&since={}", settings.holder, since);
    const auto answer = co_await stream.open(std::move(request), settings.patience);
    if (!answer) {
        co_return answer.error();
    }
    if (answer->status != 200) {
        co_return refusal("the watch", *answer);
    }
    co_return std::nullopt;
}

Outcome ObserverLink::State::take_line(std::string_view line) {
    const auto read = wire::read_watch_line(line);
    if (!read) {
        return not_understood("a line of the watch", read.error());
    }
    ++status.lines;
    if (const auto* gone = std::get_if<wire::watch::Gone>(&*read)) {
        return core::Problem{
            fmt::format("the observer has forgotten what it was told ({})", gone->instance)};
    }
    if (const auto* reading = std::get_if<wire::watch::Reading>(&*read)) {
        if (Outcome problem = take_instance(reading->answer.instance)) {
            return problem;
        }
        reconciler.changed(reading->answer, clock());
    } else if (const auto* forgotten = std::get_if<wire::watch::Forgotten>(&*read)) {
        if (Outcome problem = take_instance(forgotten->instance)) {
            return problem;
        }
        reconciler.forgotten(*forgotten, clock());
    } else if (const auto* bookmark = std::get_if<wire::watch::Bookmark>(&*read)) {
        return take_instance(bookmark->instance);
    }
    return std::nullopt;
}

net::Awaitable<Outcome> ObserverLink::State::read_lines() {
    std::string text;
    while (!stopping && !ended_by) {
        auto piece = co_await stream.read(settings.patience);
        if (!piece) {
            co_return piece.error();
        }
        if (!*piece) {
            co_return core::Problem{"the observer has ended the stream"};
        }
        text += **piece;
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
             begin = end + 1) {
            if (Outcome problem = take_line(std::string_view(text).substr(begin, end - begin))) {
                co_return problem;
            }
        }
        text.erase(0, begin);
        if (text.size() > longest_line) {
            co_return core::Problem{
                fmt::format("a line of the watch is larger than {} bytes", longest_line)};
        }
        changed();
    }
    co_return std::nullopt;
}

net::Awaitable<void> ObserverLink::State::follow() {
    co_await net::asio::this_coro::throw_if_cancelled(false);
    Outcome why = co_await read_lines();
    end_session(std::move(why));
    stream_over = true;
    calls.cancel();
    idle.cancel();
}

}  // namespace ome::controller
