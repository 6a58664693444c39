// What the requests of one client share.
#pragma once

#include "connections.hpp"
#include "login.hpp"
#include <ome/kube/client.hpp>

#include <memory>
#include <optional>
#include <string>

namespace ome::kube {

struct Client::State {
    State(net::asio::io_context& context, Access given, ClientSettings chosen);

    /// The answer, whatever its status; after a 401 that of the second attempt, if there is one.
    net::Awaitable<Outcome<net::LocalAnswer>> exchange(const ApiRequest& request);
    net::Awaitable<Outcome<net::LocalAnswer>> attempt(const ApiRequest& request,
                                                      const Identity& identity,
                                                      core::SteadyTime deadline);

    [[nodiscard]] net::LocalUrl server_url() const;
    [[nodiscard]] core::SteadyTime deadline_of(const ApiRequest& request) const;
    [[nodiscard]] net::LocalRequest sent_form(const ApiRequest& request,
                                              const Identity& identity) const;
    void count(const net::LocalAnswer& answer);
    void tell(const ApiRequest& request, unsigned status, const Failure* refusal) const;
    void tell_unanswered(const ApiRequest& request, const Failure& failure) const;
    [[nodiscard]] Failure unreachable(const ApiRequest& request, const core::Problem& problem);
    /// `GET /api/v1/pods`, for messages.
    [[nodiscard]] static std::string name_of(const ApiRequest& request);
    void tell_warnings(const ApiRequest& request, const net::LocalAnswer& answer) const;
    [[nodiscard]] static std::optional<core::Duration> retry_after(const net::LocalAnswer& answer);

    net::asio::io_context& io;
    Access access;
    ClientSettings settings;
    Login login;
    Connections connections;
    ClientStats stats;
};

}  // namespace ome::kube
