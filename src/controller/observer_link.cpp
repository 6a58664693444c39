#include "observer_link.hpp"

#include <ome/net/local_connection.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/telemetry/repeat_limiter.hpp>
#include <ome/wire/declaration_text.hpp>
#include <ome/wire/observer_answer.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = net::asio;
namespace log = telemetry::log;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;
using Outcome = std::optional<core::Problem>;

// One service with a thousand homes is about 1 MiB.
constexpr std::size_t longest_line = std::size_t{16} << 20;
constexpr std::size_t largest_page = std::size_t{256} << 20;
constexpr std::size_t services_a_page = 200;
constexpr std::size_t bulk_piece = 65536;
constexpr core::Duration same_problem_again = 60s;

// The answer comes when the last service has been taken; that the observer lives is told by the
// watch beside it.
constexpr core::Duration bulk_patience = 10min;

core::Problem not_understood(std::string_view what, const core::Problem& why) {
    return {fmt::format("{} cannot be understood: {}", what, why.message), why.field};
}

// What the observer says went wrong, or that what answers there is none.
core::Problem refusal(std::string_view what, const net::LocalAnswer& answer) {
    const auto said = wire::read_error_answer(answer.body);
    return {fmt::format("{} got status {}: {}",
                        what,
                        answer.status,
                        said ? said->problem.message : "not an answer of ome-observer")};
}

std::string path_of(const core::ServiceKey& key) {
    return fmt::format("/v1/services/{}/{}", key.ns, key.name);
}

}  // namespace

struct ObserverLink::State {
    State(asio::io_context& context,
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
          complaints(same_problem_again),
          tasks(context) {}

    net::Awaitable<void> run();
    net::Awaitable<Outcome> hold_session();
    net::Awaitable<Outcome> greet();
    net::Awaitable<Outcome> converse();
    net::Awaitable<Outcome> declare_all();
    net::Awaitable<Outcome> read_all();
    net::Awaitable<Outcome> read_page(std::string& more);
    net::Awaitable<Outcome> open_stream();
    net::Awaitable<void> follow();
    net::Awaitable<Outcome> read_lines();
    Outcome take_line(std::string_view line);
    net::Awaitable<Outcome> send_declarations();
    net::Awaitable<Outcome> send_one(DeclarationRequest request);
    net::Awaitable<void> rest(std::uint32_t attempt);
    Outcome take_instance(const std::string& told);
    void end_session(Outcome why);
    void tell(const core::Problem& problem);
    [[nodiscard]] std::function<std::string()> bulk_lines();

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
    bool in_session = false;
    bool stream_over = false;
    Outcome ended_by;
    std::mt19937_64 random{std::random_device{}()};
    telemetry::RepeatLimiter complaints;
    net::TaskScope tasks;
};

// Nothing that came from another instance counts beside what comes from this one.
Outcome ObserverLink::State::take_instance(const std::string& told) {
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

// The lines of the bulk in pieces of some size, each service as it is when its turn comes.
std::function<std::string()> ObserverLink::State::bulk_lines() {
    auto keys =
        std::make_shared<const std::vector<core::ServiceKey>>(reconciler.begin_sync(clock()));
    return [this, keys, next = std::size_t{0}]() mutable {
        std::string piece;
        while (next < keys->size() && piece.size() < bulk_piece) {
            if (const auto request = reconciler.request_for((*keys)[next++]); request) {
                wire::append_declaration(piece, *request->declaration);
                piece += '\n';
                ++status.declarations;
            }
        }
        return piece;
    };
}

net::Awaitable<Outcome> ObserverLink::State::declare_all() {
    net::LocalRequest request;
    request.method = "PUT";
    request.target = "/v1/services";
    request.content_type = "application/x-ndjson";
    request.pieces = [this] { return bulk_lines(); };
    net::LocalLimits limits;
    limits.timeout = bulk_patience;
    const auto answer = co_await calls.call(std::move(request), limits);
    if (!answer) {
        co_return answer.error();
    }
    if (answer->status != 200) {
        co_return refusal("the declaration of all services", *answer);
    }
    const auto bulk = wire::read_bulk_answer(answer->body);
    if (!bulk) {
        co_return not_understood("the answer to all declarations", bulk.error());
    }
    if (Outcome problem = take_instance(bulk->instance)) {
        co_return problem;
    }
    for (const wire::BulkAnswer::Rejected& rejected : bulk->rejected) {
        if (rejected.key) {
            reconciler.refused(*rejected.key, 0, rejected.error.problem, clock());
        }
    }
    co_return std::nullopt;
}

net::Awaitable<Outcome> ObserverLink::State::read_page(std::string& more) {
    net::LocalRequest request;
    request.target = fmt::format("/v1/services?limit={}", services_a_page);
    if (!more.empty()) {
        request.target += "&continue=" + more;
    }
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    limits.max_body_bytes = largest_page;
    const auto answer = co_await calls.call(std::move(request), limits);
    if (!answer) {
        co_return answer.error();
    }
    if (answer->status != 200) {
        co_return refusal("the list of services", *answer);
    }
    const auto page = wire::read_services_answer(answer->body);
    if (!page) {
        co_return not_understood("the list of services", page.error());
    }
    if (Outcome problem = take_instance(page->instance)) {
        co_return problem;
    }
    since = fmt::format("{}:{}", page->instance, page->revision);
    for (const wire::ServiceAnswer& service : page->services) {
        reconciler.told(service, 0, clock());
    }
    more = page->more;
    co_return std::nullopt;
}

// An observer that never ends its list is one that talks nonsense.
net::Awaitable<Outcome> ObserverLink::State::read_all() {
    constexpr std::size_t most_pages = 100'000;
    std::string more;
    for (std::size_t page = 0; page < most_pages; ++page) {
        Outcome problem = co_await read_page(more);
        if (problem || more.empty()) {
            co_return problem;
        }
    }
    co_return core::Problem{"the list of services has no end"};
}

// Which instance this is, and from where on to follow it.
net::Awaitable<Outcome> ObserverLink::State::greet() {
    net::LocalRequest request;
    request.target = "/v1/services?limit=1";
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    const auto answer = co_await calls.call(std::move(request), limits);
    if (!answer) {
        co_return answer.error();
    }
    if (answer->status != 200) {
        co_return refusal("the list of services", *answer);
    }
    const auto page = wire::read_services_answer(answer->body);
    if (!page) {
        co_return not_understood("the list of services", page.error());
    }
    since = fmt::format("{}:{}", page->instance, page->revision);
    co_return take_instance(page->instance);
}

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

// The stream first: it is heard while thousands of services are declared, and tells when the other
// side hangs. Until the session is over.
net::Awaitable<Outcome> ObserverLink::State::converse() {
    Outcome problem = co_await declare_all();
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

net::Awaitable<Outcome> ObserverLink::State::hold_session() {
    Outcome problem = co_await greet();
    if (problem) {
        co_return problem;
    }
    problem = co_await open_stream();
    if (problem) {
        co_return problem;
    }
    in_session = true;
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
    co_await asio::this_coro::throw_if_cancelled(false);
    Outcome why = co_await read_lines();
    end_session(std::move(why));
    stream_over = true;
    calls.cancel();
    idle.cancel();
}

// Both halves of a session end for the first one's reason.
void ObserverLink::State::end_session(Outcome why) {
    if (!ended_by) {
        ended_by = why ? std::move(why) : core::Problem{"the session is over"};
    }
}

net::Awaitable<Outcome> ObserverLink::State::send_one(DeclarationRequest request) {
    net::LocalRequest call;
    call.target = path_of(request.key);
    call.method = request.declaration ? "PUT" : "DELETE";
    if (request.declaration) {
        call.content_type = "application/json";
        wire::append_declaration(call.body, *request.declaration);
    }
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    const auto answer = co_await calls.call(std::move(call), limits);
    if (!answer) {
        co_return answer.error();
    }
    ++status.declarations;
    if (!request.declaration) {
        co_return answer->status == 204 ? std::nullopt
                                        : Outcome(refusal("a service to forget", *answer));
    }
    if (answer->status == 422 || answer->status == 413) {
        if (const auto said = wire::read_error_answer(answer->body)) {
            reconciler.refused(request.key, request.ticket, said->problem, clock());
            changed();
            co_return std::nullopt;
        }
    }
    if (answer->status != 200) {
        co_return refusal("a declaration", *answer);
    }
    const auto service = wire::read_service_answer(answer->body);
    if (!service) {
        co_return not_understood("the answer to a declaration", service.error());
    }
    if (Outcome problem = take_instance(service->instance)) {
        co_return problem;
    }
    reconciler.told(*service, request.ticket, clock());
    changed();
    co_return std::nullopt;
}

// Until the session is over.
net::Awaitable<Outcome> ObserverLink::State::send_declarations() {
    while (!stopping && !ended_by) {
        auto request = reconciler.next_request();
        if (!request) {
            idle.expires_at(Timer::time_point::max());
            std::ignore = co_await idle.async_wait(net::as_result);
            continue;
        }
        Outcome problem = co_await send_one(*std::move(request));
        if (problem) {
            co_return problem;
        }
    }
    co_return std::nullopt;
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

net::Awaitable<void> ObserverLink::State::run() {
    co_await asio::this_coro::throw_if_cancelled(false);
    std::uint32_t attempt = 0;
    while (!stopping) {
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
        if (!stopping && problem) {
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

void ObserverLink::start() {
    state_->tasks.spawn(state_->run());
}

void ObserverLink::wake() {
    state_->idle.cancel();
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
