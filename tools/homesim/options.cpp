#include "options.hpp"

#include "behaviour_json.hpp"
#include "duration_text.hpp"
#include "output.hpp"
#include <ome/core/help_layout.hpp>
#include <ome/core/setting_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>
#include <ome/core/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_set>

namespace ome::homesim {
namespace {

constexpr const char* about =
    "Simulated homes on loopback: http://127.0.0.1:PORT/h/NAME/... answers polls at the poll path\n"
    "and probes at every other path, and behaves as badly as it is told to.";

constexpr const char* examples = R"(Examples:
  Two homes, controlled on port 7491:
    ome-homesim --home worker-a --home worker-b --port 7490 --control 7491
    curl http://127.0.0.1:7490/h/worker-a/capacity
  worker-b reports 1, and its probes get 503 three times, then 200:
    curl -X POST 127.0.0.1:7491/homes/worker-b \
      -d '{"poll":{"report":1},"probe":{"status":[503,503,503,200]}}'
  A third of all homes never answer:
    curl -X POST '127.0.0.1:7491/homes/*?percent=33' \
      -d '{"poll":{"stall":"before-head"},"probe":{"stall":"before-head"}}'
  What happened:
    curl 127.0.0.1:7491/stats
  10,000 homes, and a services file for the observer with 10 homes a service:
    ome-homesim --homes 10000 --port 7490 --control 7491 &
    ome-homesim --homes 10000 --port 7490 --print-services --per-service 10 \
      --period 1s > services.json
  A script of changes, such as
  [{"at":"5s","homes":"home-1*","percent":50,"probe":{"gone":true}}]:
    ome-homesim --homes 100 --port 7490 --control 7491 --script script.json

Exit codes: 0 ended in order, 1 failure, 2 wrong usage, 78 a script that cannot be used.
)";

template <typename Number>
struct Whole {
    using type = Number;
};
template <typename Number>
struct Whole<std::optional<Number>> {
    using type = Number;
};
template <typename Number>
using whole_of = typename Whole<Number>::type;

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

constexpr std::int64_t last_port = 65535;

/// Without a name in front: the sentence begins with the flag.
[[noreturn]] void refuse(const std::string& sentence) {
    throw CLI::ValidationError(sentence);
}

/// A flag with a whole number; the rule is told in words, also when the text is no number at all.
template <typename Number>
CLI::Option* add_whole(CLI::App& app,
                       const std::string& flag,
                       Number& out,
                       std::int64_t least,
                       std::int64_t most,
                       const std::string& help) {
    const auto take = [&out, flag, least, most](const std::string& text) {
        std::int64_t number = 0;
        if (const auto broken = core::setting_rules::number({text}, least, most, number)) {
            refuse(fmt::format("{} ({}) {}", flag, core::sanitize_detail(text, 60), *broken));
        }
        out = static_cast<whole_of<Number>>(number);
    };
    return app.add_option_function<std::string>(flag, take, help)->type_name("INT");
}

void add_server_options(CLI::App& app, Options& options, Raw& raw) {
    add_whole(app, "--homes", raw.count, 0, 1'000'000, "that many homes: home-0, home-1, ...");
    app.add_option("--home", raw.names, "a home of this name; may be repeated");
    ServerSettings& server = options.server;
    add_whole(
        app, "--port", server.port, 0, last_port, "first port of the homes; 0 picks free ones (0)");
    add_whole(app, "--ports", server.ports, 1, 1000, "how many ports in a row (1)");
    add_whole(app,
              "--control",
              server.control_port,
              0,
              last_port,
              "control port; 0 picks a free one (0)");
    app.add_option("--address", server.address, "where to listen (127.0.0.1)");
    app.add_flag("--by-address",
                 server.by_address,
                 "home n also stands at an address of its own: 127.1.0.1, 127.1.0.2, ...");
    add_whole(app,
              "--tls-port",
              server.tls_port,
              0,
              last_port,
              "first of seven ports with TLS, see --list; 0 picks free ones (off)");
    app.add_option("--ca-file", options.ca_file, "where to write the authority of these ports");
    add_whole(app,
              "--full-port",
              server.full_port,
              0,
              last_port,
              "a port to which no connection ever opens; 0 picks a free one (off)");
    app.add_option("--poll-path", server.poll_path, "what counts as a poll (/capacity)");
    app.add_option("--script", options.script_file, "JSON file with changes over time");
    add_whole(app, "--seed", server.seed, 0, UINT32_MAX, "of latencies that vary (1)");
    app.add_flag("--list", raw.list, "explain the behaviours and the control port, then exit");
}

void add_services_options(CLI::App& app, Options& options, Raw& raw) {
    const char* const group = "Services file";
    app.add_flag("--print-services", options.print_services, "print a services file, then exit")
        ->group(group);
    add_whole(app,
              "--per-service",
              options.services.homes_per_service,
              1,
              100'000,
              "homes per service (2)")
        ->group(group);
    app.add_option("--period", raw.period, "of polls and probes (1s)")->group(group);
    app.add_option("--timeout", raw.timeout, "of an attempt (500ms)")->group(group);
    app.add_option("--max-age", raw.max_age, "of a report (4s)")->group(group);
    app.add_option("--kinds", raw.kinds, "poll, probe or both (both)")->group(group);
}

void read_duration(const char* flag, const std::string& text, core::Duration& out) {
    const std::optional<core::Duration> parsed = parse_duration(text);
    if (!parsed || parsed->count() <= 0) {
        refuse(fmt::format("{} ({}) must be a duration such as 1s, above 0", flag, text));
    }
    out = *parsed;
}

void check_ports(const Options& options) {
    const ServerSettings& server = options.server;
    if (server.port + server.ports > last_port + 1) {
        refuse(fmt::format("--ports ({}) must not reach beyond port {}, and begins at --port ({})",
                           server.ports,
                           last_port,
                           server.port));
    }
    if (server.tls_port.value_or(0) + tls_variants.size() > last_port + 1) {
        refuse(fmt::format("--tls-port ({}) must be at most {}, the first of {} ports",
                           *server.tls_port,
                           last_port + 1 - tls_variants.size(),
                           tls_variants.size()));
    }
    if (!options.ca_file.empty() && !server.tls_port) {
        refuse(fmt::format("--ca-file ({}) needs --tls-port: nothing else has an authority",
                           options.ca_file));
    }
    if (options.print_services && server.port == 0) {
        refuse("--port must be given, above 0, with --print-services: the file names it");
    }
}

// A name is a piece of a path, and of a glob over the control port.
void check_name(const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (name.empty() || !plain || name == "." || name == "..") {
        refuse(fmt::format("--home ({}) must be of letters, digits, -, _ and . only", name));
    }
}

std::vector<std::string> names_of(const Raw& raw) {
    std::vector<std::string> names = raw.names;
    std::for_each(names.begin(), names.end(), check_name);
    for (std::size_t i = 0; i < raw.count; ++i) {
        names.push_back(fmt::format("home-{}", i));
    }
    if (names.empty()) {
        refuse("--homes or --home must be given: there would be no home");
    }
    std::unordered_set<std::string_view> met;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (met.insert(names[i]).second) {
            continue;
        }
        const bool counted = i >= raw.names.size();
        refuse(fmt::format("--home ({}) {}; each home must have a name of its own",
                           names[i],
                           counted ? fmt::format("is also one of --homes ({})", raw.count)
                                   : std::string("is given twice")));
    }
    return names;
}

void check_kinds(const Raw& raw) {
    if (raw.kinds != "poll" && raw.kinds != "probe" && raw.kinds != "both") {
        refuse(fmt::format("--kinds ({}) must be poll, probe or both", raw.kinds));
    }
}

// What the observer would refuse of the file that is to be printed.
void check_services(const ServicesFile& services, const Raw& raw) {
    if (services.timeout >= services.period) {
        refuse(fmt::format(
            "--timeout ({}) must be shorter than --period ({})", raw.timeout, raw.period));
    }
    if (services.poll && services.max_age / services.quorum < services.period) {
        refuse(fmt::format("--max-age ({}) must span at least {} times --period ({}), the quorum",
                           raw.max_age,
                           services.quorum,
                           raw.period));
    }
}

void check_poll_path(const std::string& path) {
    const bool printable =
        std::all_of(path.begin(), path.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (!path.starts_with('/') || !printable) {
        refuse(fmt::format("--poll-path ({}) must begin with / and be of printable ASCII",
                           core::sanitize_detail(path, 60)));
    }
}

void complete(Options& options, const Raw& raw) {
    check_ports(options);
    check_poll_path(options.server.poll_path);
    check_kinds(raw);
    options.homes = names_of(raw);
    ServicesFile& services = options.services;
    read_duration("--period", raw.period, services.period);
    read_duration("--timeout", raw.timeout, services.timeout);
    read_duration("--max-age", raw.max_age, services.max_age);
    services.poll = raw.kinds != "probe";
    services.probe = raw.kinds != "poll";
    services.address = options.server.address;
    if (options.print_services) {
        check_services(services, raw);
    }
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

std::optional<Options> read_options(int argc,
                                    char** argv,
                                    int& exit_code,
                                    std::string_view commit) {
    CLI::App app{about, "ome-homesim"};
    app.footer(examples);
    app.formatter_fn([](const CLI::App* of, std::string name, CLI::AppFormatMode mode) {
        return core::lay_out_help(CLI::Formatter().make_help(of, std::move(name), mode),
                                  of->get_footer());
    });
    app.set_version_flag("--version", core::version_text("ome-homesim", commit));
    app.failure_message(usage_message);
    Options options;
    Raw raw;
    add_server_options(app, options, raw);
    add_services_options(app, options, raw);
    std::vector<std::string> words = core::with_empty_values({argv + 1, argv + argc});
    std::reverse(words.begin(), words.end());  // as CLI11 wants a list
    try {
        app.parse(words);
        if (raw.list) {
            exit_code = print(explain_behaviours() + '\n' + explain_control());
            return std::nullopt;
        }
        complete(options, raw);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out;
        std::ostringstream err;
        const bool wrong = app.exit(error, out, err) != 0;
        fmt::print(stderr, "{}", err.str());
        exit_code = wrong ? 2 : print(out.str());
        return std::nullopt;
    }
    return options;
}

}  // namespace ome::homesim
