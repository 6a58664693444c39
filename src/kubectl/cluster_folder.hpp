// A folder of manifests as a control plane (docs/folder-store.md). Reads need no controller that
// runs. A patch of annotations becomes an override; nothing else can be patched.
#pragma once

#include "cluster.hpp"
#include "folder_objects.hpp"

namespace ome::kubectl {

class FolderCluster final : public Cluster {
public:
    /// Error: the folder is not there.
    [[nodiscard]] static Answer<std::unique_ptr<Cluster>> open(const std::string& path);

    [[nodiscard]] std::string context() const override { return "dir:" + objects_.path(); }
    [[nodiscard]] std::string default_namespace() const override { return "default"; }
    [[nodiscard]] const FolderObjects& objects() const { return objects_; }
    [[nodiscard]] Answer<json::value> get(Kind kind,
                                          const core::ServiceKey& key,
                                          core::Duration most) override;
    [[nodiscard]] Answer<json::value> route(const core::ServiceKey& source,
                                            const core::ServiceKey& route,
                                            core::Duration most) override;
    [[nodiscard]] Answer<Page> list(const ListRequest& request, core::Duration most) override;
    [[nodiscard]] Answer<json::value> patch(const PatchRequest& request,
                                            core::Duration most) override;
    [[nodiscard]] Answer<std::unique_ptr<Watch>> watch(Kind kind, const std::string& ns) override;

private:
    explicit FolderCluster(std::string path) : objects_(std::move(path)) {}

    [[nodiscard]] Answer<json::value> store(const core::ServiceKey& key,
                                            const json::value& before,
                                            const json::value& after);

    FolderObjects objects_;
};

}  // namespace ome::kubectl
