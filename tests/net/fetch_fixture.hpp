// What every test of the client needs: a client on a loop of the test's own thread.
#pragma once

#include "support/run.hpp"
#include "support/scripted_server.hpp"
#include <ome/net/client.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace ome::net {

using namespace std::chrono_literals;

inline core::RequestTarget target_of(std::uint32_t port,
                                     const std::string& path = "/",
                                     const std::string& host = "127.0.0.1") {
    core::RequestTarget target;
    target.host = host;
    target.port = port;
    target.host_header = host + ":" + std::to_string(port);
    target.target = path;
    return target;
}

inline core::RequestTarget tls_target_of(std::uint32_t port,
                                         const std::string& host = "localhost") {
    core::RequestTarget target = target_of(port, "/", host);
    target.https = true;
    return target;
}

inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

inline Awaitable<core::AttemptOutcome> fetch_once(Client* client,
                                                  std::shared_ptr<const PreparedRequest> request,
                                                  FetchOptions options,
                                                  Lane* lane,
                                                  Deadlines* deadlines,
                                                  core::Duration timeout,
                                                  FetchBuffer* buffer) {
    Operation operation(*deadlines, timeout);
    co_return co_await client->fetch(std::move(request), options, lane, &operation, buffer);
}

class FetchTest : public testing::Test {
protected:
    FetchTest() {
        std::signal(SIGPIPE, SIG_IGN);
        settings.allow_loopback = true;
        settings.deny_addresses = default_deny_addresses();
        static const std::shared_ptr<const Trust> roots = Trust::load({}).value();
        settings.trust = roots;
    }

    ~FetchTest() override {
        if (client != nullptr) {
            lane.close();
            test::run(io, client->stop());
        }
    }

    Client& the_client() {
        if (client == nullptr) {
            client = Client::create(io, settings).value();
        }
        return *client;
    }

    core::AttemptOutcome fetch(core::RequestTarget target,
                               core::Method method = core::Method::Get,
                               bool fresh = false) {
        if (std::exchange(lane_port, target.port) != target.port) {
            lane.close();  // a lane is for one target
        }
        const auto request =
            std::make_shared<PreparedRequest>(prepare(std::move(target), method, fresh));
        options.facts = &facts;
        core::AttemptOutcome outcome;
        // A busy machine can hold up the test itself; such an attempt says nothing, here as there.
        int tries = may_stall ? 1 : 5;
        do {
            const auto begun = std::chrono::steady_clock::now();
            facts = {};
            outcome = test::run(
                io,
                fetch_once(&the_client(), request, options, &lane, &deadlines, timeout, &buffer));
            took = std::chrono::steady_clock::now() - begun;
        } while (outcome.fault == core::Fault::Stalled && --tries > 0);
        return outcome;
    }

    core::AttemptOutcome report(core::RequestTarget target) {
        options.body = BodyUse::Report;
        return fetch(std::move(target));
    }

    /// What comes of a connection that answers one request with `bytes` and then ends.
    core::AttemptOutcome after(std::string bytes, core::Method method = core::Method::Get) {
        test::ScriptedServer server([&](test::Peer& peer) {
            peer.read_request();
            peer.write(bytes);
            peer.finish();
            peer.wait_until_gone();
        });
        return fetch(target_of(server.port()), method);
    }

    /// The same, but the connection stays open and silent.
    core::AttemptOutcome after_and_silence(std::string bytes,
                                           core::Method method = core::Method::Get) {
        test::ScriptedServer server([&](test::Peer& peer) {
            peer.read_request();
            peer.write(bytes);
            peer.wait_until_gone();
        });
        return fetch(target_of(server.port()), method);
    }

    asio::io_context io{1};
    Deadlines deadlines{io};
    ClientSettings settings;
    std::unique_ptr<Client> client;
    Lane lane;
    std::uint32_t lane_port = 0;
    FetchBuffer buffer;
    FetchOptions options;
    ExchangeFacts facts;
    core::Duration timeout = 5s;
    core::Duration took{};
    bool may_stall = false;
};

}  // namespace ome::net
