// The answers that are read piece by piece: pages of lists, and watches.
#include "client_state.hpp"
#include <ome/kube/client.hpp>
#include <ome/net/clock.hpp>

#include <fmt/format.h>

#include <utility>

namespace ome::kube {
namespace {

// Of an answer that is a refusal: more of it than this is no Status.
constexpr std::size_t longest_refusal = std::size_t{1} << 20;
constexpr std::size_t longest_object = std::size_t{8} << 20;

ApiRequest get_request(std::string target) {
    ApiRequest request;
    request.target = std::move(target);
    return request;
}

// What follows the head, whole.
net::Awaitable<core::Result<std::string>> read_rest(net::LocalConnection& connection,
                                                    core::Duration patience) {
    std::string body;
    while (true) {
        auto piece = co_await connection.read(patience);
        if (!piece) {
            co_return piece.error();
        }
        if (!*piece) {
            co_return core::Result<std::string>(boost::system::in_place_value, std::move(body));
        }
        body += **piece;
        if (body.size() > longest_refusal) {
            co_return core::Problem{
                fmt::format("the refusal is larger than {} bytes", longest_refusal)};
        }
    }
}

struct Opening {
    Client::State& state;
    ApiRequest request;
    net::LocalAnswer answer = {};
};

// Absent: the answer has begun, with a 2xx.
net::Awaitable<std::optional<Failure>> open(Opening& opening,
                                            net::LocalConnection& connection,
                                            const Identity& identity) {
    Client::State& state = opening.state;
    net::LocalRequest sent = state.sent_form(opening.request, identity);
    ++state.stats.requests;
    auto answer = co_await connection.open(std::move(sent), state.settings.step_timeout);
    if (!answer) {
        Failure failure = state.unreachable(opening.request, answer.error());
        state.tell_unanswered(opening.request, failure);
        co_return failure;
    }
    opening.answer = *std::move(answer);
    state.count(opening.answer);
    if (opening.answer.status >= 200 && opening.answer.status <= 299) {
        state.tell(opening.request, opening.answer.status, nullptr);
        co_return std::nullopt;
    }
    const auto body = co_await read_rest(connection, state.settings.step_timeout);
    connection.close();
    Failure failure = refusal(Client::State::name_of(opening.request),
                              opening.answer.status,
                              body ? *body : std::string(),
                              Client::State::retry_after(opening.answer));
    state.tell(opening.request, opening.answer.status, &failure);
    co_return failure;
}

// With credentials read anew where the first ones are refused; absent as with open().
net::Awaitable<std::optional<Failure>> open_with_login(Opening& opening,
                                                       net::LocalConnection& connection,
                                                       const Identity& identity) {
    std::optional<Failure> failure = co_await open(opening, connection, identity);
    if (!failure || !failure->is(401)) {
        co_return failure;
    }
    const auto renewed = co_await opening.state.login.renewed(identity);
    // A new certificate needs another connection, which is the next attempt's.
    if (renewed && renewed->token != identity.token && renewed->trust == identity.trust) {
        failure = co_await open(opening, connection, *renewed);
    }
    co_return failure;
}

net::Awaitable<std::optional<Failure>> read_items(Opening& opening,
                                                  net::LocalConnection& connection,
                                                  wire::ListSplitter& splitter) {
    const std::string name = Client::State::name_of(opening.request);
    while (true) {
        auto piece = co_await connection.read(opening.state.settings.step_timeout);
        if (!piece) {
            co_return opening.state.unreachable(opening.request, piece.error());
        }
        if (!*piece) {
            co_return std::nullopt;
        }
        if (const auto problem = splitter.feed(**piece)) {
            connection.close();
            co_return Failure{Failure::Kind::Unreadable, name + ": " + problem->message};
        }
    }
}

}  // namespace

net::Awaitable<Outcome<wire::ListEnd>> Client::list_page(std::string target,
                                                         wire::ListSplitter::Take take) {
    const auto state = state_;
    Opening opening{*state, get_request(std::move(target))};
    const auto identity = co_await state->login.current();
    if (!identity) {
        state->tell_unanswered(opening.request, identity.error());
        co_return identity.error();
    }
    const core::SteadyTime deadline = state->deadline_of(opening.request);
    Lent connection = co_await state->connections.borrow(*identity, deadline);
    if (!connection) {
        co_return Failure{Failure::Kind::Stopped,
                          State::name_of(opening.request) + ": no connection in time"};
    }
    std::optional<Failure> failure =
        co_await open_with_login(opening, *connection.operator->(), *identity);
    wire::ListSplitter splitter(longest_object, std::move(take));
    if (!failure) {
        failure = co_await read_items(opening, *connection.operator->(), splitter);
        if (failure) {
            state->tell_unanswered(opening.request, *failure);
        }
    }
    if (failure) {
        co_return *std::move(failure);
    }
    auto end = splitter.finish();
    if (!end) {
        co_return Failure{Failure::Kind::Unreadable,
                          State::name_of(opening.request) + ": " + end.error().message};
    }
    co_return *std::move(end);
}

struct Watch::State {
    std::shared_ptr<Client::State> client;
    ApiRequest request;
    std::unique_ptr<net::LocalConnection> connection;
    std::string text;       // received and not read yet
    std::size_t begin = 0;  // of the next line in it

    [[nodiscard]] std::string name() const { return Client::State::name_of(request); }
    /// Absent: there is no whole line yet.
    [[nodiscard]] std::optional<std::string_view> next_line() {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) {
            text.erase(0, std::exchange(begin, 0));
            return std::nullopt;
        }
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        return line;
    }
};

Watch::Watch(std::unique_ptr<State> state) : state_(std::move(state)) {}

Watch::~Watch() = default;

net::Awaitable<Outcome<std::unique_ptr<Watch>>> Client::watch(std::string target) {
    using Opened = Outcome<std::unique_ptr<Watch>>;
    const auto state = state_;
    auto watch = std::make_unique<Watch::State>();
    watch->client = state;
    watch->request = get_request(std::move(target));
    const auto identity = co_await state->login.current();
    if (!identity) {
        state->tell_unanswered(watch->request, identity.error());
        co_return identity.error();
    }
    watch->connection = state->connections.open_alone(*identity);
    ++state->stats.watches;
    Opening opening{*state, watch->request};
    std::optional<Failure> failure =
        co_await open_with_login(opening, *watch->connection, *identity);
    if (failure) {
        co_return *std::move(failure);
    }
    co_return Opened(boost::system::in_place_value, std::make_unique<Watch>(std::move(watch)));
}

net::Awaitable<Outcome<std::optional<wire::WatchEvent>>> Watch::next(core::Duration patience) {
    using Next = Outcome<std::optional<wire::WatchEvent>>;
    State& state = *state_;
    std::optional<std::string_view> line = state.next_line();
    while (!line) {
        const core::SteadyTime begun = net::read_clock().steady;
        auto piece = co_await state.connection->read(patience);
        if (!piece && net::read_clock().steady - begun >= patience) {
            co_return Failure{Failure::Kind::Silent, state.name() + ": " + piece.error().message};
        }
        if (!piece) {
            co_return state.client->unreachable(state.request, piece.error());
        }
        if (!*piece) {
            co_return Next(boost::system::in_place_value, std::nullopt);
        }
        state.text += **piece;
        if (state.text.size() > longest_object) {
            co_return Failure{
                Failure::Kind::Unreadable,
                fmt::format("{}: an event is larger than {} bytes", state.name(), longest_object)};
        }
        line = state.next_line();
    }
    auto event = wire::read_watch_event(*line);
    if (!event) {
        co_return Failure{Failure::Kind::Unreadable, state.name() + ": " + event.error().message};
    }
    if (event->type == wire::WatchEventType::Error) {
        const auto status = wire::read_api_status(event->object);
        const unsigned code = status && status->code != 0 ? status->code : 500;
        Failure failure{Failure::Kind::Refused, "", status.value_or(wire::ApiStatus{})};
        failure.status.code = code;
        failure.retry_after = failure.status.retry_after;
        failure.message =
            fmt::format("{}: the watch was ended with {}", state.name(), failure.status.message);
        co_return failure;
    }
    co_return Next(boost::system::in_place_value, std::optional(*std::move(event)));
}

}  // namespace ome::kube
