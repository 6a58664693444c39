// A Kubernetes API server as a control plane, reached as kubectl reaches it. Each call blocks until
// it is answered, for at most the time it is given; what the server asks to try later is tried
// later, as long as there is time.
#pragma once

#include "blocking_loop.hpp"
#include "cluster.hpp"
#include "kube_failure.hpp"
#include "session.hpp"
#include <ome/kube/client.hpp>

#include <memory>
#include <string>

namespace ome::kubectl {

class KubeCluster final : public Cluster {
public:
    /// Sends nothing yet. The error's detail is a whole message, and empty when the context's name
    /// cannot be shown.
    [[nodiscard]] static Answer<std::unique_ptr<Cluster>> open(
        const Connection& connection,
        const kube::Environment& environment,
        BlockingLoop::Interrupted interrupted);

    /// `request_time`: for what a watch asks by itself.
    KubeCluster(kube::Access access,
                core::Duration request_time,
                BlockingLoop::Interrupted interrupted);

    /// Empty in a pod without a kubeconfig.
    [[nodiscard]] std::string context() const override { return client_.access().context; }
    [[nodiscard]] std::string default_namespace() const override { return client_.access().ns; }
    [[nodiscard]] Answer<json::value> get(Kind kind,
                                          const core::ServiceKey& key,
                                          core::Duration most) override;
    [[nodiscard]] Answer<json::value> route(const core::ServiceKey& source,
                                            const core::ServiceKey& route,
                                            core::Duration most) override;
    [[nodiscard]] Answer<Page> list(const ListRequest& request, core::Duration most) override;
    [[nodiscard]] Answer<json::value> patch(const PatchRequest& request,
                                            core::Duration most) override;
    /// Must not outlive this.
    [[nodiscard]] Answer<std::unique_ptr<Watch>> watch(Kind kind, const std::string& ns) override;

private:
    template <typename T, typename Send>
    [[nodiscard]] Answer<T> ask(const Asked& asked, core::Duration most, Send send);

    BlockingLoop loop_;
    kube::Client client_;
    core::Duration request_time_;
};

}  // namespace ome::kubectl
