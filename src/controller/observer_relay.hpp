// What the controller's status page reads of the observer: a browser may ask only where the page
// came from, so a few GETs of the local API are passed on as they come. Nothing is kept, nothing
// can be changed, and no declaration is kept alive by it.
//
// Belongs to one io_context.
#pragma once

#include <ome/net/http_server.hpp>
#include <ome/net/local_client.hpp>
#include <ome/net/trust.hpp>

#include <memory>

namespace ome::controller {

struct RelaySettings {
    net::LocalUrl url;
    std::shared_ptr<const net::Trust> trust;  ///< of an https URL
    /// For the head, and between two pieces of the body: bookmarks of a watch come every second.
    core::Duration patience = std::chrono::seconds(5);
    std::size_t most = 32;  ///< at once: whoever reaches this API must not use up the observer's
};

class ObserverRelay {
public:
    ObserverRelay(net::asio::io_context& io, RelaySettings settings);
    ~ObserverRelay();
    ObserverRelay(const ObserverRelay&) = delete;
    ObserverRelay& operator=(const ObserverRelay&) = delete;

    /// `/observer/v1/...` as the observer answers `/v1/...`; 502 where it does not answer.
    [[nodiscard]] net::Awaitable<net::ServerResponse> pass(net::ServerRequest request);

    /// What is open ends with its next piece.
    void stop();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ome::controller
