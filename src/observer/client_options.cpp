#include "client_options.hpp"

#include "bearer.hpp"
#include <ome/net/trust.hpp>

#include <CLI/CLI.hpp>

namespace ome::observer {
namespace {

core::Problem flag_problem(const core::Problem& problem) {
    return {"--" + problem.message, problem.field};
}

}  // namespace

void add_client_options(CLI::App& command, ClientOptions& options) {
    command
        .add_option(
            "--url", options.url, "Its API: http://HOST:PORT, https://HOST:PORT or unix:/path")
        ->capture_default_str();
    command.add_option("--token-file", options.token_file, "The token that the API asks for");
    command.add_option("--ca-file",
                       options.ca_files,
                       "PEM files of authorities that are trusted besides the system's");
}

core::Result<net::LocalUrl> reach(const ClientOptions& options) {
    auto url = net::parse_local_url(options.url);
    if (!url) {
        return flag_problem(url.error());
    }
    if (!options.ca_files.empty()) {
        // Here and not with the first request: a file that is no use is no fault of the observer.
        if (const auto trust = net::Trust::load(options.ca_files); !trust) {
            return flag_problem(trust.error());
        }
        url->access.ca_files = options.ca_files;
    }
    if (!options.token_file.empty()) {
        auto token = read_token(options.token_file);
        if (!token) {
            return flag_problem(token.error());
        }
        url->access.token = *std::move(token);
    }
    return url;
}

}  // namespace ome::observer
