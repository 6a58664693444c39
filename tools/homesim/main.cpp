// ome-homesim: simulated homes. See options.cpp for what it can be told, README.md for the why.
#include "options.hpp"
#include "sockets.hpp"

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
    return script_from_text(text.str());
}

/// One line, so that whoever started it knows when and where it listens.
void announce(const Server& server, const Options& options) {
    std::string homes;
    for (const std::uint16_t port : server.home_ports()) {
        homes +=
            fmt::format("{}http://{}:{}", homes.empty() ? "" : ",", options.server.address, port);
    }
    fmt::print("ready homes={} control=http://{}:{} count={}\n",
               homes,
               options.server.address,
               server.control_port(),
               options.homes.size());
    std::fflush(stdout);
}

int serve(Options options) {
    core::Result<std::vector<Cue>> script = read_script(options.script_file);
    if (!script) {
        return fail(script.error().message);
    }
    options.server.script = std::move(*script);
    raise_descriptor_limit();
    Fleet fleet(options.homes, std::chrono::steady_clock::now());
    const auto server = Server::create(fleet, options.server);
    if (!server) {
        return fail(server.error().message);
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
    auto options = ome::homesim::read_options(argc, argv, exit_code);
    if (!options) {
        return exit_code;
    }
    if (options->print_services) {
        const std::string text = services_file(options->services, options->homes);
        return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    }
    return ome::homesim::serve(std::move(*options));
}
