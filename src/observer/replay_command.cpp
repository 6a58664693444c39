// `ome-observer replay --policy FILE [EVENTS]`
#include "replay_command.hpp"

#include "commands.hpp"
#include "line_reader.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace ome::observer {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 78;

constexpr std::size_t output_piece = std::size_t{1} << 16;

struct Arguments {
    std::string policy;
    std::string events = "-";
    std::int64_t max_response_bytes = 65536;
};

// A body is at most six times as long in JSON, when every byte is an escape; beyond that there is
// room for the rest of an event.
std::size_t longest_line(std::int64_t max_response_bytes) {
    constexpr std::int64_t largest_body = std::int64_t{1} << 28;
    return static_cast<std::size_t>(6 * std::min(max_response_bytes, largest_body) + (1 << 20));
}

bool blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

int fail(int code, const std::string& message) {
    std::cerr << "error: " << message << '\n';
    return code;
}

std::optional<std::string> read_file(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return file ? std::optional(std::move(text)) : std::nullopt;
}

int run_replay(const Arguments& arguments) {
    const auto text = read_file(arguments.policy);
    if (!text) {
        return fail(exit_failure, arguments.policy + " cannot be read");
    }
    auto policies = wire::read_replay_policies(*text);
    if (!policies) {
        return fail(exit_bad_configuration, arguments.policy + ": " + policies.error().message);
    }
    std::ios::sync_with_stdio(false);
    std::ifstream file;
    if (arguments.events != "-") {
        file.open(arguments.events, std::ios::binary);
        if (!file) {
            return fail(exit_failure, arguments.events + " cannot be opened");
        }
    }
    const std::size_t left_out = replay_events(Replay(std::move(*policies)),
                                               arguments.max_response_bytes,
                                               arguments.events == "-" ? std::cin : file,
                                               std::cout,
                                               std::cerr);
    std::cout.flush();
    if (!std::cout) {
        return fail(exit_failure, "the output cannot be written");
    }
    return left_out == 0 ? exit_ok : exit_failure;
}

}  // namespace

std::size_t replay_events(Replay replay,
                          std::int64_t max_response_bytes,
                          std::istream& events,
                          std::ostream& output,
                          std::ostream& errors) {
    wire::ReplayReader reader(max_response_bytes);
    LineReader lines(events, longest_line(max_response_bytes), wire::ReplayReader::padding);
    std::string out;
    std::size_t left_out = 0;
    while (const auto line = lines.next()) {
        if (blank(*line)) {
            continue;
        }
        std::optional<core::Problem> problem;
        if (lines.cut()) {
            problem = core::Problem{fmt::format("an event must be at most {} bytes long",
                                                longest_line(max_response_bytes))};
        } else if (const auto event = reader.read(*line)) {
            problem = replay.apply(*event, out);
        } else {
            problem = event.error();
        }
        if (problem) {
            ++left_out;
            errors << fmt::format("error: line {}: {}\n", lines.number(), problem->message);
        }
        if (out.size() >= output_piece || lines.would_wait()) {
            output << out << std::flush;
            out.clear();
        }
    }
    output << out << std::flush;
    return left_out;
}

void add_replay_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "replay", "Say what given results of polls and probes lead to, in virtual time");
    command
        ->add_option("--policy",
                     arguments->policy,
                     "JSON file with the blocks capacity and probe of a declaration")
        ->required();
    command->add_option("EVENTS", arguments->events, "NDJSON; - is standard input")
        ->capture_default_str();
    command
        ->add_option(
            "--max-response-bytes", arguments->max_response_bytes, "a longer body is a failed poll")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->footer(
        "An event: {\"at\":TIME,\"home\":NAME,...} with one of\n"
        "  \"poll\" or \"probe\": {\"status\":200,\"body\":\"...\"}, {\"error\":\"...\"} or\n"
        "      "
        "{\"error\":{\"kind\":\"unreachable|refused|body|deadline|cancelled\",\"text\":\"...\"}}\n"
        "  \"read\": true\n"
        "or {\"at\":TIME,\"policy\":{...}}. \"service\" and \"endpoint\" tell histories apart.\n"
        "A line comes out for each. Attempts are given, not planned: the next one is shown one\n"
        "period after the first, then every period. A bad line is reported and left out.\n"
        "Exit code: 0, 1 some lines or files were bad, 2 usage, 78 bad policies.");
    command->callback([arguments, &run] { run = [arguments] { return run_replay(*arguments); }; });
}

}  // namespace ome::observer
