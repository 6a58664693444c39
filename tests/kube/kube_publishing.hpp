// Controller and publisher over a real API server: the store, the decisions, and nothing else. What
// time it is can be moved on.
#pragma once

#include "controller/kube_store.hpp"
#include "controller/publisher.hpp"
#include "controller/reconciler.hpp"
#include "kube/servers.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/kube/client.hpp>

#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::test {

class KubePublishingTest : public KubeServerTest {
protected:
    void SetUp() override;
    void TearDown() override;

    /// A controller begins, as this user.
    void start(const std::string& user = "admin");
    /// It ends and gives its lease back.
    void end();

    /// Everything goes on until the condition holds. False: it did not within kube_patience.
    template <typename Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + kube_patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            turn();
        }
        return true;
    }
    [[nodiscard]] bool until_published(const std::string& expected) {
        return until([&] { return published() == expected; });
    }
    /// Until it has nothing to do at the moment.
    void settle();
    void advance(core::Duration by);

    // The API server, as its admin.
    boost::json::value get(const std::string& path);  ///< null: there is none
    void put_service(int ready_a = 2, int ready_b = 2);
    void apply(const std::string& manifest);
    void patch(const std::string& what, const std::string& merge);  ///< `httproute/chat-global`
    void remove(const std::string& what, bool wait = true);

    boost::json::value route() { return get(path_of("httproutes", "chat-global")); }
    boost::json::value map();
    std::string published();  ///< `True Published`
    std::string weights();    ///< `1 1`
    std::vector<boost::json::value> list(const std::string& plural);
    [[nodiscard]] std::string path_of(const std::string& plural, const std::string& name) const;
    [[nodiscard]] std::string problems() const;

    std::string ns;
    core::RoutingSettings installation;
    core::GatewaySettings gateway;
    std::string workload_kubeconfigs;
    std::size_t writes = 0;  ///< requests that write
    std::optional<bool> leading;
    std::vector<controller::Notice> notices;

private:
    void turn();
    void hear(std::vector<controller::StoreNews> all);
    void hear(const std::vector<controller::StoreResult>& all);
    void hear(const std::vector<controller::PublicationResult>& all);
    /// Whether there was something to do.
    bool work();
    [[nodiscard]] core::Now now() const;

    net::asio::io_context io_{1};
    net::asio::io_context own_{1};
    std::unique_ptr<kube::Client> client_;
    std::unique_ptr<controller::KubeStore> store_;
    std::unique_ptr<controller::Reconciler> reconciler_;
    std::unique_ptr<controller::Publisher> publisher_;
    bool listed_ = false;
    std::size_t in_flight_ = 0;
    core::Duration ahead_{};
};

}  // namespace ome::test
