#include "observer_relay.hpp"

#include "control_api.hpp"
#include <ome/net/local_connection.hpp>

#include <fmt/format.h>

#include <utility>

namespace ome::controller {

struct ObserverRelay::State {
    State(net::asio::io_context& context, RelaySettings chosen)
        : io(context), settings(std::move(chosen)) {}

    net::asio::io_context& io;
    RelaySettings settings;
    std::size_t open = 0;
    bool stopping = false;
};

namespace {

// What may stand in a part of a path or query as it is (RFC 3986, 2.3).
bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_unreserved(c)) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

// From the decoded parts, so that nothing of what was sent is read in two ways.
std::string target_of(const net::ServerRequest& request) {
    std::string target;
    for (std::size_t i = 1; i < request.segments.size(); ++i) {
        target += "/" + escaped(request.segments[i]);
    }
    char before = '?';
    for (const auto& [name, value] : request.query) {
        target += before + escaped(name) + "=" + escaped(value);
        before = '&';
    }
    return target;
}

/// One of those that are open.
template <typename Owner>
class Place {
public:
    explicit Place(std::shared_ptr<Owner> owner) : owner_(std::move(owner)) { ++owner_->open; }
    ~Place() { --owner_->open; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    [[nodiscard]] const Owner& owner() const { return *owner_; }

private:
    std::shared_ptr<Owner> owner_;
};

// An answer that breaks off ends early: its reader sees that it is not whole.
template <typename Owner>
class RelayedBody final : public net::ResponseBody {
public:
    RelayedBody(std::unique_ptr<Place<Owner>> place,
                std::unique_ptr<net::LocalConnection> connection)
        : place_(std::move(place)), connection_(std::move(connection)) {}

    net::Awaitable<std::optional<std::string>> next() override {
        if (place_->owner().stopping) {
            co_return std::nullopt;
        }
        auto piece = co_await connection_->read(place_->owner().settings.patience);
        co_return piece ? *std::move(piece) : std::nullopt;
    }

private:
    std::unique_ptr<Place<Owner>> place_;
    std::unique_ptr<net::LocalConnection> connection_;
};

}  // namespace

ObserverRelay::ObserverRelay(net::asio::io_context& io, RelaySettings settings)
    : state_(std::make_shared<State>(io, std::move(settings))) {}

ObserverRelay::~ObserverRelay() = default;

void ObserverRelay::stop() {
    state_->stopping = true;
}

net::Awaitable<net::ServerResponse> ObserverRelay::pass(net::ServerRequest request) {
    const std::shared_ptr<State> state = state_;
    if (state->open >= state->settings.most) {
        co_return error_answer(
            503,
            fmt::format("{} requests are being passed on, the most there may be", state->open));
    }
    auto place = std::make_unique<Place<State>>(state);
    auto connection = std::make_unique<net::LocalConnection>(
        state->io, state->settings.url, state->settings.trust);
    net::LocalRequest passed;
    passed.target = target_of(request);
    const auto answer = co_await connection->open(std::move(passed), state->settings.patience);
    if (!answer) {
        co_return error_answer(502, answer.error().message);
    }
    net::ServerResponse response;
    response.status = answer->status;
    const auto type = answer->headers.find("content-type");
    response.content_type =
        type == answer->headers.end() ? "application/octet-stream" : type->second;
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.body = std::shared_ptr<net::ResponseBody>(
        std::make_shared<RelayedBody<State>>(std::move(place), std::move(connection)));
    co_return response;
}

}  // namespace ome::controller
