// The file with the `multicluster` object: read and checked as a start does, and looked at again
// now and then, since a mounted ConfigMap changes without a signal.
#pragma once

#include <ome/core/configuration_changes.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace ome::controller {

/// Problem: the path and what is wrong with the file or with what is in it.
[[nodiscard]] core::Result<core::Configuration> read_configuration(const std::string& path);

class ConfigurationFile {
public:
    /// What the file says now. Called at the first look and once for each change of the file, on
    /// `io`'s thread.
    using Changed = std::function<void(core::Result<core::Configuration>)>;

    /// `interval`: zero looks only when asked to.
    ConfigurationFile(net::asio::io_context& io,
                      std::string path,
                      core::Duration interval,
                      Changed changed);
    ~ConfigurationFile();
    ConfigurationFile(const ConfigurationFile&) = delete;
    ConfigurationFile& operator=(const ConfigurationFile&) = delete;

    void start();
    /// Whether or not it has changed.
    void read_again();
    /// Nothing is told any more.
    void stop();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ome::controller
