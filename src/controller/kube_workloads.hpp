// The addresses of homes, asked of the API servers of their workload clusters
// (contract/publisher-cli.md 1.7, "Address resolution"). How a cluster is reached is in a folder of
// kubeconfigs, `CLUSTER.yaml`, each read again when it has changed; a cluster without one is not
// connected.
//
// It has a thread of its own, on which it may wait for a file. A cluster that does not answer holds
// up nobody but those who ask for it, and them not for long: what waits for it fails with the
// request that did.
#pragma once

#include "store.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ome::controller {

class KubeWorkloads {
public:
    /// Called on its thread.
    using Answer = std::function<void(news::AddressesAre)>;

    /// `folder`: empty: no cluster is connected.
    KubeWorkloads(std::string folder, Answer answer);
    ~KubeWorkloads();  ///< stops
    KubeWorkloads(const KubeWorkloads&) = delete;
    KubeWorkloads& operator=(const KubeWorkloads&) = delete;

    /// Answered once, in any order.
    void submit(AddressQuery query);

    /// What is not answered yet is not answered any more.
    void stop();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
