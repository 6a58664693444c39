// How command line tools are told where an observer's API is and how to be let in.
#pragma once

#include <ome/net/local_client.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ome::observer {

struct ClientOptions {
    std::string url = "http://127.0.0.1:7460";
    std::string token_file;
    std::vector<std::string> ca_files;
};

/// `--url`, `--token-file` and `--ca-file`; `options` must outlive the command.
void add_client_options(CLI::App& command, ClientOptions& options);

/// Problem: the flag, its value and the rule, also for files that cannot be used.
[[nodiscard]] core::Result<net::LocalUrl> reach(const ClientOptions& options);

}  // namespace ome::observer
