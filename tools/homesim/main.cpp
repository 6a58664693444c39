// ome-homesim: simulated homes. See options.cpp for what it can be told, README.md for the why.
#include "options.hpp"
#include "output.hpp"
#include "sockets.hpp"
#include <ome/core/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <tuple>

namespace ome::homesim {
namespace {

const Server* running = nullptr;

void stop_running(int) {
    running->stop();
}

constexpr int failure = 1;
constexpr int bad_configuration = 78;

int fail(const std::string& message, int code = failure) {
    fmt::print(stderr, "ome-homesim: {}\n", message);
    return code;
}

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return file ? std::optional(text.str()) : std::nullopt;
}

// Without a file there is no change.
core::Result<std::vector<Cue>> read_script(const Options& options, const std::string& text) {
    if (options.script_file.empty()) {
        return std::vector<Cue>();
    }
    core::Result<std::vector<Cue>> script = script_from_text(text);
    if (!script) {
        return script;
    }
    const bool accepts = std::any_of(
        script->begin(), script->end(), [](const Cue& cue) { return bool(cue.change.accept); });
    if (accepts && !options.server.by_address) {
        return core::Problem{"accept needs --by-address: by path no connection tells its home"};
    }
    return script;
}

/// ` tls=good:https://...,expired:https://... full=http://...`, as far as there are any.
std::string more_ports(const Server& server, const std::string& address) {
    std::string text;
    for (std::size_t i = 0; i < server.tls_ports().size(); ++i) {
        text += fmt::format("{}{}:https://{}:{}",
                            i == 0 ? " tls=" : ",",
                            tls_variants[i].name,
                            address,
                            server.tls_ports()[i]);
    }
    if (server.full_port() != 0) {
        text += fmt::format(" full=http://{}:{}", address, server.full_port());
    }
    return text;
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
}

/// One line, so that whoever started it knows when and where it listens.
void announce(const Server& server, const Options& options) {
    std::string homes;
    for (const std::uint16_t port : server.home_ports()) {
        homes +=
            fmt::format("{}http://{}:{}", homes.empty() ? "" : ",", options.server.address, port);
    }
    // Homes that nobody was told of are homes all the same.
    std::ignore = print(fmt::format("ready homes={} control=http://{}:{} count={}{}\n",
                                    homes,
                                    options.server.address,
                                    server.control_port(),
                                    options.homes.size(),
                                    more_ports(server, options.server.address)));
}

int serve(Options options) {
    const auto text = options.script_file.empty() ? std::string() : read_file(options.script_file);
    if (!text) {
        return fail(fmt::format("--script ({}) cannot be read", options.script_file));
    }
    core::Result<std::vector<Cue>> script = read_script(options, *text);
    if (!script) {
        return fail(fmt::format("--script ({}): {}", options.script_file, script.error().message),
                    bad_configuration);
    }
    options.server.script = std::move(*script);
    raise_descriptor_limit();
    Fleet fleet(options.homes, std::chrono::steady_clock::now());
    const auto server = Server::create(fleet, options.server);
    if (!server) {
        return fail(server.error().message);
    }
    if (!options.ca_file.empty() && !write_file(options.ca_file, (*server)->authority())) {
        return fail(fmt::format("--ca-file ({}) cannot be written", options.ca_file));
    }
    running = server->get();
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, stop_running);
    }
    announce(**server, options);
    (*server)->run();
    return 0;
}

}  // namespace
}  // namespace ome::homesim

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    int exit_code = 0;
    auto options = ome::homesim::read_options(argc, argv, exit_code, ome::core::built_commit());
    if (!options) {
        return exit_code;
    }
    if (options->print_services) {
        return ome::homesim::print(services_file(options->services, options->homes));
    }
    return ome::homesim::serve(std::move(*options));
}
