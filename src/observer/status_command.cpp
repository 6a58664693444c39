#include "api_client.hpp"
#include "client_options.hpp"
#include "commands.hpp"
#include "screen.hpp"
#include "status_report.hpp"
#include <ome/core/duration.hpp>
#include <ome/net/local_client.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/wire/json_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr core::Duration shortest_interval = std::chrono::milliseconds(100);
constexpr core::Duration longest_interval = std::chrono::hours(24);

struct StatusOptions {
    ClientOptions client;
    std::string output = "table";
    std::string interval = "1s";
    bool watch = false;
    bool wide = false;
};

struct Snapshot {
    json::value status;
    json::array services;
};

core::Result<Snapshot> take_snapshot(const net::LocalUrl& url) {
    auto status = get_json(url, "/v1/status");
    if (!status) {
        return status.error();
    }
    auto services = list_services(url);
    if (!services) {
        return services.error();
    }
    return core::Result<Snapshot>(boost::system::in_place_value,
                                  Snapshot{std::move(*status), std::move(*services)});
}

core::WallTime wall_now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const auto count = std::chrono::duration_cast<core::Duration>(since).count();
    return {count / 1'000'000'000, static_cast<std::int32_t>(count % 1'000'000'000)};
}

std::string as_json(Snapshot snapshot) {
    json::object document;
    document["status"] = std::move(snapshot.status);
    document["services"] = std::move(snapshot.services);
    return wire::to_text(document) + "\n";
}

bool color_wanted() {
    const char* no_color = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

// The size of the terminal; absent when standard output is none.
std::optional<ScreenSize> screen_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
        return std::nullopt;
    }
    return ScreenSize{size.ws_row, size.ws_col};
}

// In place: home, each line erased to its end, the rest of the screen erased. Clearing first would
// flicker.
std::string redrawn(const std::string& text) {
    std::string out = "\x1b[H";
    for (const char c : text) {
        out += c == '\n' ? "\x1b[K\n" : std::string(1, c);
    }
    return out + "\x1b[J";
}

// What does not fit would scroll away what is drawn in place.
std::string on_screen(const std::string& text) {
    if (::isatty(STDOUT_FILENO) != 1) {
        return text;
    }
    const auto size = screen_size();
    return redrawn(size ? fit_screen(text, *size) : text);
}

std::string as_table(const Snapshot& snapshot, const StatusOptions& options) {
    ReportStyle style;
    style.color = color_wanted();
    style.now = wall_now();
    if (const auto size = screen_size(); size && !options.wide) {
        style.columns = size->columns;
    }
    const std::string text = report_status(snapshot.status, snapshot.services, style);
    return options.watch ? on_screen(text) : text;
}

/// One look at the observer.
struct Look {
    int exit_code = 0;
    bool readable = true;  ///< whether somebody may read the next one
};

Look show_once(const net::LocalUrl& url, const StatusOptions& options) {
    auto snapshot = take_snapshot(url);
    if (!snapshot) {
        std::ignore =
            net::print_to(stderr, fmt::format("ome-observer: {}\n", snapshot.error().message));
        return {1, true};
    }
    const net::Printed printed = net::print(
        options.output == "json" ? as_json(std::move(*snapshot)) : as_table(*snapshot, options));
    return {net::exit_code_of(printed), printed == net::Printed::Whole};
}

// An observer that restarts is worth waiting for, once it has been there.
int show_on_and_on(const net::LocalUrl& url,
                   const StatusOptions& options,
                   core::Duration interval) {
    Look look = show_once(url, options);
    if (look.exit_code != 0) {
        return look.exit_code;
    }
    while (look.readable) {
        std::this_thread::sleep_for(interval);
        look = show_once(url, options);
    }
    return look.exit_code;
}

int usage(const std::string& message) {
    std::ignore = net::print_to(stderr, fmt::format("ome-observer status: {}\n", message));
    return 2;
}

int run_status(const StatusOptions& options) {
    const auto url = reach(options.client);
    if (!url) {
        return usage(url.error().message);
    }
    const auto interval = core::parse_duration(options.interval);
    if (!interval || *interval < shortest_interval || *interval > longest_interval) {
        return usage(fmt::format("--interval \"{}\" must be a duration from {} to {}",
                                 options.interval,
                                 core::format_duration(shortest_interval),
                                 core::format_duration(longest_interval)));
    }
    return options.watch ? show_on_and_on(*url, options, *interval)
                         : show_once(*url, options).exit_code;
}

}  // namespace

void add_status_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("status", "Show what a running observer does and knows");
    const auto options = std::make_shared<StatusOptions>();
    add_client_options(*command, options->client);
    CLI::Option* watch = command->add_flag("--watch", options->watch, "Show it again and again");
    command->add_flag("--wide", options->wide, "Cut no reason to the terminal's width");
    command->add_option("--interval", options->interval, "Of --watch")
        ->capture_default_str()
        ->needs(watch);
    command
        ->add_option(
            "--output,-o", options->output, "table or json (one object, with --watch one a line)")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->footer(
        "Prints the totals, advice where the request budget is short, and one line per home. LAST "
        "and NEXT\n"
        "say how long ago the last attempt ended and how soon the next one is due.\n"
        "\n"
        "Exit codes: 0 ok, 1 the observer cannot be reached or understood, 2 wrong usage.");
    command->callback([options, &run] { run = [options] { return run_status(*options); }; });
}

}  // namespace ome::observer
