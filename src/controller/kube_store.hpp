// A Kubernetes API server as a Store. A reactor of its own holds the lease, follows services, maps
// and published objects, and writes; values go to and fro.
//
// Only the leader writes (promise 7 of design.md section 8): every write looks at the lease first,
// has no more time than what is left of it, and says on which version of the map it was decided.
// A lead begins when what the one before it left is over: its requests have ended and its watches
// are closed. Then everything is listed anew, so that nothing is decided on what has been missed.
#pragma once

#include "store.hpp"
#include <ome/kube/access.hpp>
#include <ome/kube/election.hpp>
#include <ome/net/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ome::controller {

struct KubeStoreSettings {
    std::string lease_namespace;
    std::string lease_name = "ome-trafficmap";
    kube::ElectionSettings election;
    std::vector<std::string> namespaces = {};  ///< empty: all
    std::string selector = {};                 ///< of InferenceServices, by label; empty: all
    /// With `namespaces`: where published objects are besides those; empty: nowhere.
    std::string route_namespace = {};
    /// With `namespaces`: HTTPRoutes of all namespaces are followed, so that a hostname that is
    /// taken elsewhere is seen.
    bool all_routes = false;
    /// Folder with the kubeconfigs of workload clusters, for the addresses of homes
    /// (kube_workloads.hpp); empty: no cluster is connected.
    std::string workload_kubeconfigs = {};
    /// A gateway is configured: the publisher needs its rights.
    bool publishes = false;
    /// Kinds of objects without which it can publish nothing; empty without a gateway.
    std::set<routing::ObjectKind> needed_kinds = {};
    std::size_t writes_at_once = 4;
    /// Nothing is going to be submitted: no lease is taken, and published objects are not followed.
    bool reads_only = false;
};

class KubeStore final : public Store {
public:
    /// `io`: whose thread uses the store.
    KubeStore(net::asio::io_context& io, kube::Access access, KubeStoreSettings settings);
    ~KubeStore() override;

    /// `leading(false)` after a lead: another one may write now, and what is submitted from then on
    /// fails. What was submitted in an earlier lead is dropped in a later one.
    void start(Listener listener) override;
    void submit(std::vector<StoreRequest> requests) override;
    void stop() override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
