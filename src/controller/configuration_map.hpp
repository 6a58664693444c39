// The configuration in a ConfigMap of the API server, key `multicluster`: read and checked like a
// file, and followed, so that a change is heard of at once.
#pragma once

#include "configuration_file.hpp"
#include "missing_rights.hpp"
#include <ome/kube/access.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

inline constexpr const char* default_config_map = "ome-observer-config";
inline constexpr const char* config_map_key = "multicluster";

struct ConfigMapName {
    std::string ns;  ///< empty: the namespace of the pod, or of the kubeconfig's context
    std::string name;
};

class ConfigurationMap {
public:
    struct Listener {
        /// What it says now: at the first look and when its text has changed. That it is not there
        /// is a problem as well.
        std::function<void(core::Result<ReadConfiguration>)> changed;
        /// It cannot be read at the moment; nothing is known of what it says.
        std::function<void(const std::string& problem)> troubled;
    };

    /// `where.ns` must be given.
    ConfigurationMap(net::asio::io_context& io,
                     kube::Access access,
                     ConfigMapName where,
                     Listener listener);
    ~ConfigurationMap();  ///< must have been stopped
    ConfigurationMap(const ConfigurationMap&) = delete;
    ConfigurationMap& operator=(const ConfigurationMap&) = delete;

    void start();
    net::Awaitable<void> stop();

    /// `ConfigMap ome-observer/ome-observer-config`
    [[nodiscard]] std::string text() const;
    [[nodiscard]] const ConfigMapName& where() const;
    [[nodiscard]] const std::string& uid() const;  ///< empty: it is not there, or not read yet
    [[nodiscard]] std::vector<MissingRight> missing_rights() const;
    [[nodiscard]] std::vector<StoreTrouble> troubles() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
