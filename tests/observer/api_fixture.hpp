// The API in one thread, without a socket to it: routes, hub and a shard, as the program has them.
#pragma once

#include "api_routes.hpp"
#include "shard.hpp"
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <support/run.hpp>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ome::observer {

/// How a request's body ends.
enum class Ending : std::uint8_t { Complete, CutShort, TooSlow };

class PieceBody final : public net::RequestBody {
public:
    PieceBody(std::deque<std::string> pieces, Ending ending)
        : pieces_(std::move(pieces)), ending_(ending) {}

    net::Awaitable<std::optional<std::string>> next() override {
        if (pieces_.empty()) {
            co_return std::nullopt;
        }
        std::string piece = std::move(pieces_.front());
        pieces_.pop_front();
        co_return piece;
    }
    [[nodiscard]] bool complete() const override {
        return ending_ == Ending::Complete && pieces_.empty();
    }
    [[nodiscard]] bool too_slow() const override { return ending_ == Ending::TooSlow; }

private:
    std::deque<std::string> pieces_;
    Ending ending_;
};

struct ApiAnswer {
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string text;                           ///< unless it is a stream
    std::shared_ptr<net::ResponseBody> stream;  ///< not read yet

    [[nodiscard]] boost::json::value document() const { return boost::json::parse(text); }
    [[nodiscard]] std::string header(std::string_view name) const {
        for (const auto& [key, value] : headers) {
            if (key == name) {
                return value;
            }
        }
        return {};
    }
};

/// Nothing listens at their endpoints, so attempts fail at once.
class ApiTest : public testing::Test {
protected:
    ApiTest() : ApiTest(HubSettings{}) {}

    explicit ApiTest(const HubSettings& hub_settings) {
        net::ClientSettings client_settings;
        client_settings.allow_loopback = true;
        client = *net::Client::create(io, client_settings);
        ShardSettings shard_settings;
        shard_settings.min_period = std::chrono::seconds(1);
        shard = std::make_unique<Shard>(
            io,
            *client,
            shard_settings,
            [this](ShardNews news) {
                net::asio::post(io, [this, news = std::move(news)] { hub->announce(news); });
            },
            [](const core::PermitReport&) {});
        core::Allowance all;
        all.permits = permits;
        shard->allow(all);
        hub = std::make_unique<Hub>(std::vector<ShardAddress>{{&io, shard.get()}}, hub_settings);
        limits = {8, 16, 65536, std::chrono::seconds(1), 100};
        settings.services_file = "services.json";
        context = std::make_unique<ApiContext>(ApiContext{
            .hub = *hub,
            .settings = settings,
            .limits = [this] { return limits; },
            .ready = [this] { return ready; },
            .reactor_busy_seconds = [] { return std::vector<double>{0.0}; },
            .started = net::read_clock(),
        });
    }

    ~ApiTest() override {
        test::run(io, shard->stop());
        test::run(io, client->stop());
    }

    static boost::json::object declaration(const std::string& name,
                                           const std::vector<std::string>& clusters) {
        boost::json::array homes;
        for (const std::string& cluster : clusters) {
            homes.push_back(boost::json::object{{"cluster", cluster},
                                                {"endpoint", "http://127.0.0.1:9/" + cluster}});
        }
        return {{"namespace", "prod"},
                {"name", name},
                {"ownerUID", "uid-1"},
                {"probe", boost::json::parse(R"({"path":"/v1/models","method":"GET",
                    "acceptStatuses":[200],"gateStatuses":[503],"period":"10s","timeout":"3s",
                    "failureThreshold":3,"successThreshold":2,
                    "allFailedPolicy":"PreserveTraffic"})")},
                {"homes", std::move(homes)}};
    }

    static std::string line(const boost::json::object& one) {
        return boost::json::serialize(one) + "\n";
    }

    ApiAnswer call(const std::string& method,
                   const std::string& target,
                   const std::string& body = {},
                   const std::string& type = "application/json") {
        return call_in_pieces(method, target, {body}, type);
    }

    /// A GET that says what it wants.
    net::ServerResponse get_accepting(const std::string& target, const std::string& accept) {
        net::ServerRequest request;
        request.method = "GET";
        request.path = target;
        request.segments = split(target.substr(1), '/');
        request.headers["accept"] = accept;
        request.body = std::make_shared<PieceBody>(std::deque<std::string>(), Ending::Complete);
        return test::run(io, answer(context.get(), std::move(request)));
    }

    ApiAnswer call_in_pieces(const std::string& method,
                             const std::string& target,
                             std::deque<std::string> body,
                             const std::string& type,
                             Ending ending = Ending::Complete) {
        std::erase(body, std::string());  // an empty piece is never handed on
        net::ServerRequest request;
        request.method = method;
        request.path = target.substr(0, target.find('?'));
        request.segments = split(request.path.substr(1), '/');
        if (target.find('?') != target.npos) {
            for (const std::string& pair : split(target.substr(target.find('?') + 1), '&')) {
                const std::string name = pair.substr(0, pair.find('='));
                request.repeated = request.query.contains(name) ? name : request.repeated;
                request.query[name] = pair.substr(pair.find('=') + 1);
            }
        }
        request.headers["content-type"] = type;
        request.body = std::make_shared<PieceBody>(std::move(body), ending);
        net::ServerResponse response = test::run(io, answer(context.get(), std::move(request)));
        ApiAnswer made{response.status, response.headers, {}, {}};
        if (auto* stream = std::get_if<std::shared_ptr<net::ResponseBody>>(&response.body)) {
            made.stream = std::move(*stream);
        } else {
            made.text = std::get<std::string>(response.body);
        }
        return made;
    }

    /// The next piece of a stream; absent at its end.
    std::optional<std::string> pull(const ApiAnswer& streamed) {
        std::optional<std::string> piece;
        bool done = false;
        net::asio::co_spawn(io, streamed.stream->next(), [&](std::exception_ptr, auto next) {
            piece = std::move(next);
            done = true;
        });
        io.restart();
        while (!done && io.run_one() != 0) {
        }
        return piece;
    }

    /// The whole of a stream that ends.
    std::string read_all(const ApiAnswer& streamed) {
        std::string all;
        while (auto piece = pull(streamed)) {
            all += *piece;
        }
        return all;
    }

    /// Lets everything happen that is under way.
    /// What is to be told together is told, too (shard.cpp, news_interval).
    void settle() {
        io.restart();
        io.run_for(std::chrono::milliseconds(20));
        for (int i = 0; i < 200; ++i) {
            io.restart();
            io.poll();
        }
    }

    ApiAnswer put(const boost::json::object& one) {
        return call("PUT",
                    "/v1/services/prod/" + std::string(one.at("name").as_string()),
                    boost::json::serialize(one));
    }
    ApiAnswer put_all(const std::string& lines) {
        return call("PUT", "/v1/services", lines, "application/x-ndjson");
    }
    bool declared(const std::string& name) {
        return call("GET", "/v1/services/prod/" + name).status == 200;
    }

    static std::vector<std::string> split(const std::string& text, char at) {
        std::vector<std::string> parts(1);
        for (const char c : text) {
            c == at ? void(parts.emplace_back()) : parts.back().push_back(c);
        }
        return parts;
    }

    static constexpr std::int64_t permits = 16;
    net::asio::io_context io{1};
    std::unique_ptr<net::Client> client;
    std::unique_ptr<Shard> shard;
    std::unique_ptr<Hub> hub;
    core::ObserverLimits limits;
    Settings settings;
    bool ready = true;
    std::unique_ptr<ApiContext> context;
};

}  // namespace ome::observer
