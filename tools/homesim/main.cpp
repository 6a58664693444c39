// ome-homesim: simulated homes. See options.cpp for what it can be told, README.md for the why.
#include "options.hpp"
#include "sockets.hpp"
#include <ome/core/version.hpp>

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace ome::homesim {
namespace {

const Server* running = nullptr;

void stop_running(int) {
    running->stop();
}

int fail(const std::string& message) {
    fmt::print(stderr, "ome-homesim: {}\n", message);
    return 1;
}

core::Result<std::vector<Cue>> read_script(const std::string& path) {
    if (path.empty()) {
        return std::vector<Cue>();
    }
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
        return core::Problem{fmt::format("--script ({}) cannot be read", path), "script"};
    }
    core::Result<std::vector<Cue>> script = script_from_text(text.str());
    if (!script) {
        return core::Problem{fmt::format("--script ({}): {}", path, script.error().message),
                             script.error().field};
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
    fmt::print("ready homes={} control=http://{}:{} count={}{}\n",
               homes,
               options.server.address,
               server.control_port(),
               options.homes.size(),
               more_ports(server, options.server.address));
    std::fflush(stdout);
}

int serve(Options options) {
    core::Result<std::vector<Cue>> script = read_script(options.script_file);
    if (!script) {
        return fail(script.error().message);
    }
    options.server.script = std::move(*script);
    for (const Cue& cue : options.server.script) {
        if (cue.change.accept && !options.server.by_address) {
            return fail(
                fmt::format("--script ({}): accept needs --by-address: by path no "
                            "connection tells its home",
                            options.script_file));
        }
    }
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
        const std::string text = services_file(options->services, options->homes);
        return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    }
    return ome::homesim::serve(std::move(*options));
}
