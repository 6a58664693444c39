#include "bearer.hpp"
#include "commands.hpp"
#include "status_report.hpp"
#include <ome/core/duration.hpp>
#include <ome/net/local_client.hpp>

#include <CLI/CLI.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <tuple>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::size_t max_pages = 10'000;

struct StatusOptions {
    std::string url = "http://127.0.0.1:7460";
    std::string output = "table";
    std::string interval = "1s";
    std::string token_file;
    std::vector<std::string> ca_files;
    bool watch = false;
};

struct Snapshot {
    json::value status;
    json::array services;
};

core::Problem bad_answer(const net::LocalUrl& url,
                         const std::string& target,
                         std::string_view what) {
    return {fmt::format("{} {}: {}", url.text, target, what)};
}

struct Place {
    net::LocalUrl url;
    net::LocalAccess access;
};

core::Result<json::value> get_json(const Place& place, const std::string& target) {
    const net::LocalUrl& url = place.url;
    auto reply = net::get_locally(url, target, place.access);
    if (!reply) {
        return reply.error();
    }
    if (reply->status != 200) {
        return bad_answer(url, target, fmt::format("HTTP {}", reply->status));
    }
    json::error_code error;
    json::value document = json::parse(reply->body, error);
    if (error || !document.is_object()) {
        return bad_answer(url, target, "the answer is not a JSON object; is this an ome-observer?");
    }
    return core::Result<json::value>(boost::system::in_place_value, std::move(document));
}

std::string escape(std::string_view token) {
    std::string out;
    for (const char c : token) {
        const bool plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string take_page(json::object& page, json::array& services) {
    if (json::value* rows = page.if_contains("services"); rows != nullptr && rows->is_array()) {
        for (json::value& row : rows->get_array()) {
            services.push_back(std::move(row));
        }
    }
    const json::value* token = page.if_contains("continue");
    return token != nullptr && token->is_string() ? std::string(token->get_string())
                                                  : std::string();
}

core::Result<Snapshot> take_snapshot(const Place& place) {
    auto status = get_json(place, "/v1/status");
    if (!status) {
        return status.error();
    }
    Snapshot snapshot;
    snapshot.status = std::move(*status);
    std::string token;
    for (std::size_t pages = 0; pages < max_pages; ++pages) {
        const std::string more = token.empty() ? "" : "&continue=" + escape(token);
        auto page = get_json(place, "/v1/services?limit=500" + more);
        if (!page) {
            return page.error();
        }
        token = take_page(page->get_object(), snapshot.services);
        if (token.empty()) {
            break;
        }
    }
    return core::Result<Snapshot>(boost::system::in_place_value, std::move(snapshot));
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
    return json::serialize(document) + "\n";
}

bool color_wanted() {
    const char* no_color = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
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

// Not fmt::print: a reader that has left would make it throw.
void put(std::FILE* to, const std::string& text) {
    std::ignore = std::fwrite(text.data(), 1, text.size(), to);
}

int show_once(const Place& place, const StatusOptions& options) {
    auto snapshot = take_snapshot(place);
    if (!snapshot) {
        put(stderr, fmt::format("ome-observer: {}\n", snapshot.error().message));
        return 1;
    }
    if (options.output == "json") {
        put(stdout, as_json(std::move(*snapshot)));
    } else {
        ReportStyle style;
        style.color = color_wanted();
        style.now = wall_now();
        const std::string text = report_status(snapshot->status, snapshot->services, style);
        put(stdout, options.watch && ::isatty(STDOUT_FILENO) == 1 ? redrawn(text) : text);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;  // the reader has left
}

// An observer that restarts is worth waiting for, once it has been there.
int show_on_and_on(const Place& place, const StatusOptions& options, core::Duration interval) {
    if (const int failed = show_once(place, options)) {
        return failed;
    }
    while (std::ferror(stdout) == 0) {
        std::this_thread::sleep_for(interval);
        std::ignore = show_once(place, options);
    }
    return 1;
}

int usage(const std::string& message) {
    put(stderr, fmt::format("ome-observer status: {}\n", message));
    return 2;
}

int run_status(const StatusOptions& options) {
    const auto url = net::parse_local_url(options.url);
    if (!url) {
        return usage("--" + url.error().message);
    }
    const auto interval = core::parse_duration(options.interval);
    if (!interval || *interval < std::chrono::milliseconds(100)) {
        return usage(fmt::format("--interval \"{}\" must be a duration of at least 100ms",
                                 options.interval));
    }
    Place place{*url, {}};
    place.access.ca_files = options.ca_files;
    if (!options.token_file.empty()) {
        auto token = read_token(options.token_file);
        if (!token) {
            return usage("--" + token.error().message);
        }
        place.access.token = *std::move(token);
    }
    return options.watch ? show_on_and_on(place, options, *interval) : show_once(place, options);
}

}  // namespace

void add_status_command(CLI::App& app, Run& run) {
    CLI::App* command = app.add_subcommand("status", "Show what a running observer does and knows");
    const auto options = std::make_shared<StatusOptions>();
    command
        ->add_option(
            "--url", options->url, "Its API: http://HOST:PORT, https://HOST:PORT or unix:/path")
        ->capture_default_str();
    command->add_option("--token-file", options->token_file, "The token that the API asks for");
    command->add_option("--ca-file",
                        options->ca_files,
                        "PEM files of authorities that are trusted besides the system's");
    command->add_flag("--watch", options->watch, "Show it again and again");
    command->add_option("--interval", options->interval, "Of --watch")->capture_default_str();
    command
        ->add_option(
            "--output", options->output, "table or json (one object, with --watch one a line)")
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
