// The file with the `multicluster` object: read and checked as a start does, and looked at again
// now and then, since a mounted ConfigMap changes without a signal.
#pragma once

#include <ome/core/configuration_changes.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

struct ReadConfiguration {
    core::Configuration all;
    /// The path and what of the file is not taken as it is written, such as members that are not
    /// known.
    std::vector<std::string> warnings = {};
    std::string routing_off = {};         ///< which member turns routing off; empty: it is on
    std::vector<std::string> nulls = {};  ///< paths of members that are null, and so absent
};

/// A null in place of what is in force: that is what a file looks like that is not written to its
/// end yet, and it would take maps, routes or gates away. Members that are left out are left out.
[[nodiscard]] std::optional<core::Problem> half_written(const std::string& where,
                                                        const core::Configuration& in_force,
                                                        const ReadConfiguration& read);

/// The `multicluster` object as text. `where` begins problem and warnings.
[[nodiscard]] core::Result<ReadConfiguration> read_configuration_text(const std::string& where,
                                                                      const std::string& text);

/// Problem: the path and what is wrong with the file or with what is in it.
[[nodiscard]] core::Result<ReadConfiguration> read_configuration(const std::string& path);

class ConfigurationFile {
public:
    /// What the file says now. Called at the first look and once for each change of the file, on
    /// `io`'s thread. One that is not there at two looks in a row is a change, too.
    using Changed = std::function<void(core::Result<ReadConfiguration>)>;

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
