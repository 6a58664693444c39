// The plugin as people run it: a real kubectl that finds it on its PATH, against a real API server.
#pragma once

#include "integration/scratch.hpp"
#include "kube/servers.hpp"
#include "support/process.hpp"
#include "support/text_table.hpp"
#include <ome/kube/client.hpp>

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::test {

struct Ran {
    int code = -1;
    std::string out;
    std::string err;
};

/// In a namespace of its own: the service `chat`, placed on worker-a and worker-b, and its map,
/// published, both homes with weight 1.
class PluginTest : public KubeServerTest {
protected:
    void SetUp() override;

    /// A line for the shell, with the namespace as $NS, the plugin and kubectl on the PATH and the
    /// kubeconfig of a user as $KUBECONFIG. Without a terminal.
    [[nodiscard]] Ran sh(const std::string& line, const std::string& user = "admin");
    /// One command that goes on, standard output and error together.
    [[nodiscard]] std::unique_ptr<Process> started(const std::string& command,
                                                   const std::string& user = "admin");

    /// A folder for the PATH with these names for the plugin; `others`: what else is in it.
    [[nodiscard]] std::string links(const std::vector<std::string>& names) const;

    /// Whatever `user` may do so far, and reading what OME has, in this namespace.
    void let_read(const std::string& user, const std::string& verbs = "get,list");

    /// Replaces the entries of the map, and has it published at once.
    void write_map(const boost::json::array& entries);
    [[nodiscard]] static boost::json::object entry(const std::string& cluster,
                                                   std::int64_t weight,
                                                   const std::string& drain = {});

    [[nodiscard]] boost::json::value service();
    /// Of an annotation of the service; empty: it has none.
    [[nodiscard]] std::string annotation(const std::string& name);
    void annotate(const std::string& name, const std::string& value);

    /// What drain and undrain of `maintenance-a` on worker-a show before they act on the service as
    /// it is now.
    struct Preview {
        std::string action;
        std::string reason;  ///< quoted
        std::string count;   ///< `0 -> 1`
    };
    [[nodiscard]] std::string preview_of(const Preview& shown);

    std::string ns;
    std::string path;  ///< of commands
    Scratch scratch;
    net::asio::io_context io{1};
    std::unique_ptr<kube::Client> client;

private:
    [[nodiscard]] std::vector<std::string> command(const std::string& line,
                                                   const std::string& user) const;
    void add_service();
    void add_map();
    void publish_map();

    int count_ = 0;
};

}  // namespace ome::test
