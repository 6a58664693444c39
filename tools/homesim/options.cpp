#include "options.hpp"

#include "behaviour_json.hpp"
#include "duration_text.hpp"
#include <ome/core/usage.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iostream>

namespace ome::homesim {
namespace {

constexpr const char* about =
    "Simulated homes on loopback: http://127.0.0.1:PORT/h/NAME/... answers polls at the poll path\n"
    "and probes at every other path, and behaves as badly as it is told to.";

constexpr const char* examples = R"(
Examples:
  Two homes, controlled on port 7491:
    ome-homesim --home worker-a --home worker-b --port 7490 --control 7491
    curl http://127.0.0.1:7490/h/worker-a/capacity
  worker-b reports 1, and its probes get 503 three times, then 200:
    curl -X POST 127.0.0.1:7491/homes/worker-b -d '{"poll":{"report":1},"probe":{"status":[503,503,503,200]}}'
  A third of all homes never answer:
    curl -X POST '127.0.0.1:7491/homes/*?percent=33' -d '{"poll":{"stall":"before-head"},"probe":{"stall":"before-head"}}'
  What happened:
    curl 127.0.0.1:7491/stats
  10,000 homes, and a services file for the observer with 10 homes a service:
    ome-homesim --homes 10000 --port 7490 --control 7491 &
    ome-homesim --homes 10000 --port 7490 --print-services --per-service 10 --period 1s > services.json
  A script of changes ([{"at":"5s","homes":"home-1*","percent":50,"probe":{"gone":true}}]):
    ome-homesim --homes 100 --port 7490 --control 7491 --script script.json
)";

/// The texts that need a second look.
struct Raw {
    std::size_t count = 0;
    std::vector<std::string> names;
    std::string period = "1s";
    std::string timeout = "500ms";
    std::string max_age = "4s";
    std::string kinds = "both";
    bool list = false;
};

const CLI::Range any_port(0, 65535);

void add_server_options(CLI::App& app, Options& options, Raw& raw) {
    app.add_option("--homes", raw.count, "that many homes: home-0, home-1, ...")
        ->check(CLI::Range(0, 1'000'000));
    app.add_option("--home", raw.names, "a home of this name; may be repeated");
    app.add_option("--port", options.server.port, "first port of the homes; 0 picks free ones (0)")
        ->check(any_port);
    app.add_option("--ports", options.server.ports, "how many ports in a row (1)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--control", options.server.control_port, "control port; 0 picks a free one (0)")
        ->check(any_port);
    app.add_option("--address", options.server.address, "where to listen (127.0.0.1)");
    app.add_flag("--by-address",
                 options.server.by_address,
                 "home n also stands at an address of its own: 127.1.0.1, 127.1.0.2, ...");
    app.add_option("--tls-port",
                   options.server.tls_port,
                   "first of seven ports with TLS, see --list; 0 picks free ones (off)")
        ->check(any_port);
    app.add_option("--ca-file", options.ca_file, "where to write the authority of these ports");
    app.add_option("--full-port",
                   options.server.full_port,
                   "a port to which no connection ever opens; 0 picks a free one (off)")
        ->check(any_port);
    app.add_option("--poll-path", options.server.poll_path, "what counts as a poll (/capacity)");
    app.add_option("--script", options.script_file, "JSON file with changes over time");
    app.add_option("--seed", options.server.seed, "of latencies that vary (1)");
    app.add_flag("--list", raw.list, "explain the behaviours and the control port, then exit");
}

void add_services_options(CLI::App& app, Options& options, Raw& raw) {
    const char* const group = "Services file";
    app.add_flag("--print-services", options.print_services, "print a services file, then exit")
        ->group(group);
    app.add_option("--per-service", options.services.homes_per_service, "homes per service (2)")
        ->check(CLI::Range(1, 100'000))
        ->group(group);
    app.add_option("--period", raw.period, "of polls and probes (1s)")->group(group);
    app.add_option("--timeout", raw.timeout, "of an attempt (500ms)")->group(group);
    app.add_option("--max-age", raw.max_age, "of a report (4s)")->group(group);
    app.add_option("--kinds", raw.kinds, "poll, probe or both (both)")
        ->check(CLI::IsMember({"poll", "probe", "both"}))
        ->group(group);
}

void read_duration(const char* flag, const std::string& text, core::Duration& out) {
    const std::optional<core::Duration> parsed = parse_duration(text);
    if (!parsed || parsed->count() <= 0) {
        throw CLI::ValidationError(flag, fmt::format("({}) must be a duration such as 1s", text));
    }
    out = *parsed;
}

void check_ports(const Options& options) {
    if (options.server.port + options.server.ports > 65536) {
        throw CLI::ValidationError("--ports",
                                   fmt::format("({}) reaches beyond port 65535 from {}",
                                               options.server.ports,
                                               options.server.port));
    }
    if (options.server.tls_port.value_or(0) + tls_variants.size() > 65536) {
        throw CLI::ValidationError("--tls-port", "reaches beyond port 65535");
    }
    if (!options.ca_file.empty() && !options.server.tls_port) {
        throw CLI::ValidationError("--ca-file", "needs --tls-port");
    }
    if (options.print_services && options.server.port == 0) {
        throw CLI::ValidationError("--port", "must be given with --print-services");
    }
}

// A name is a piece of a path, and of a glob over the control port.
void check_name(const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (name.empty() || !plain || name == "." || name == "..") {
        throw CLI::ValidationError(
            "--home", fmt::format("({}) must be of letters, digits, -, _ and . only", name));
    }
}

std::vector<std::string> names_of(const Raw& raw) {
    std::vector<std::string> names = raw.names;
    std::for_each(names.begin(), names.end(), check_name);
    for (std::size_t i = 0; i < raw.count; ++i) {
        names.push_back(fmt::format("home-{}", i));
    }
    if (names.empty()) {
        throw CLI::ValidationError("--homes", "or --home must be given: there would be no home");
    }
    return names;
}

void complete(Options& options, const Raw& raw) {
    check_ports(options);
    options.homes = names_of(raw);
    ServicesFile& services = options.services;
    read_duration("--period", raw.period, services.period);
    read_duration("--timeout", raw.timeout, services.timeout);
    read_duration("--max-age", raw.max_age, services.max_age);
    services.poll = raw.kinds != "probe";
    services.probe = raw.kinds != "poll";
    services.address = options.server.address;
    services.by_address = options.server.by_address;
    services.poll_path = options.server.poll_path;
    for (unsigned i = 0; i < options.server.ports; ++i) {
        services.ports.push_back(static_cast<std::uint16_t>(options.server.port + i));
    }
}

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
    core::CommandLine line{app->get_name(), {}, {}, {}, app->remaining()};
    for (const CLI::Option* option : app->get_options()) {
        for (const std::string& name : option->get_lnames()) {
            line.options.push_back("--" + name);
        }
    }
    return core::usage_problem(line, error.what());
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
    CLI::App app{about, "ome-homesim"};
    app.footer(examples);
    app.failure_message(usage_message);
    Options options;
    Raw raw;
    add_server_options(app, options, raw);
    add_services_options(app, options, raw);
    try {
        app.parse(argc, argv);
        if (raw.list) {
            std::cout << explain_behaviours() << '\n' << explain_control();
            exit_code = 0;
            return std::nullopt;
        }
        complete(options, raw);
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error) == 0 ? 0 : 2;
        return std::nullopt;
    }
    return options;
}

}  // namespace ome::homesim
