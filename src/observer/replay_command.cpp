// `ome-observer replay [--policy FILE] [EVENTS]`
#include "replay_command.hpp"

#include "commands.hpp"
#include "line_reader.hpp"
#include "replay_lines.hpp"
#include <ome/core/setting_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/net/text_file.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace ome::observer {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 78;

// Lines of errors; a file of another subject would bring one for each of its own.
constexpr std::size_t most_errors = 100;

constexpr std::size_t output_piece = std::size_t{1} << 16;

struct Arguments {
    std::optional<std::string> policy;
    std::string events = "-";
    std::string output = "ndjson";
    std::int64_t max_response_bytes = 65536;
    bool override_declared = false;
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

// Devices and pipes may well hold nothing.
bool is_regular_file(const std::string& path) {
    std::error_code error;
    return path != "-" && std::filesystem::is_regular_file(path, error);
}

int fail(int code, const std::string& message) {
    std::cerr << "error: " << message << '\n';
    return code;
}

/// The rule of the flag of `serve`, in its words.
void take_max_response_bytes(const std::string& text, std::int64_t& out) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (const auto broken = core::setting_rules::number({text}, 1, most, out)) {
        throw CLI::ValidationError(
            fmt::format("--max-response-bytes {} {}", core::go_quote(text), *broken));
    }
}

std::optional<core::Problem> nothing_in(const wire::ReplayPolicies& policies) {
    if (policies.capacity || policies.probe) {
        return std::nullopt;
    }
    return core::Problem{
        "neither capacity nor probe is there: expected an object with the blocks of a declaration"};
}

core::Result<wire::ReplayPolicies> policies_in(const std::string& text) {
    core::Result<wire::ReplayPolicies> policies = wire::read_replay_policies(text);
    if (policies) {
        if (auto problem = nothing_in(*policies)) {
            return *std::move(problem);
        }
    }
    return policies;
}

int replay_to_the_end(const Arguments& arguments, Replay replay, std::istream& events) {
    net::Printed printed = net::Printed::Whole;
    const auto take = [&printed](std::string_view lines) {
        printed = net::print(lines);
        return printed == net::Printed::Whole;
    };
    const std::size_t left_out =
        replay_events(std::move(replay),
                      {arguments.max_response_bytes,
                       arguments.output == "table",
                       is_regular_file(arguments.events) ? arguments.events : std::string()},
                      events,
                      take,
                      std::cerr);
    return net::exit_code_of(printed, left_out == 0 ? exit_ok : exit_failure);
}

/// Absent: `policies` holds those of the file, if one was given. Otherwise the exit code.
std::optional<int> read_policies(const std::optional<std::string>& path,
                                 std::optional<wire::ReplayPolicies>& policies) {
    if (!path) {
        return std::nullopt;
    }
    const auto text = net::read_text_file(*path);
    if (!text) {
        return fail(exit_failure, "--policy " + text.error().message);
    }
    auto read = policies_in(*text);
    if (!read) {
        return fail(exit_bad_configuration,
                    fmt::format("--policy {}: {}", *path, read.error().message));
    }
    policies = std::move(*read);
    return std::nullopt;
}

int run_replay(const Arguments& arguments) {
    std::optional<wire::ReplayPolicies> policies;
    if (const auto code = read_policies(arguments.policy, policies)) {
        return *code;
    }
    std::ios::sync_with_stdio(false);
    Replay replay(std::move(policies), arguments.override_declared ? Obey::Given : Obey::Declared);
    if (arguments.events == "-") {
        return replay_to_the_end(arguments, std::move(replay), std::cin);
    }
    if (const auto problem = net::refuse_other_than_file(arguments.events)) {
        return fail(exit_failure, problem->message);
    }
    std::ifstream file(arguments.events, std::ios::binary);
    if (!file) {
        return fail(exit_failure, fmt::format("{}: {}", arguments.events, std::strerror(errno)));
    }
    return replay_to_the_end(arguments, std::move(replay), file);
}

// Tells the first ones and counts all. Those before the first event wait for it: without one the
// file is of another subject, which is one thing to say.
class LeftOut {
public:
    LeftOut(std::ostream& errors, std::string name) : errors_(errors), name_(std::move(name)) {}

    void add(std::size_t line, const core::Problem& problem) {
        if (++count_ <= most_errors) {
            say({fmt::format("line {}: {}", line, problem.message), true});
        }
    }

    void warn(std::size_t line, const std::string& sentence) {
        say({fmt::format("line {}: {}", line, sentence), false});
    }

    void an_event_was_read() {
        name_.clear();
        tell_waiting();
    }

    std::size_t end() {
        if (!name_.empty()) {
            tell({fmt::format("{}: {}; expected a recording: an event a line, as `serve --record` "
                              "writes them",
                              name_,
                              first_error()),
                  true});
            return std::max<std::size_t>(count_, 1);
        }
        if (count_ > most_errors) {
            tell({fmt::format("{} more lines were left out", count_ - most_errors), true});
        }
        return count_;
    }

private:
    struct Message {
        std::string text;
        bool is_error = true;
    };

    void say(Message message) {
        if (name_.empty()) {
            tell(message);
        } else {
            waiting_.push_back(std::move(message));
        }
    }

    void tell(const Message& message) {
        errors_ << (message.is_error ? "error: " : "warning: ") << message.text << '\n';
    }

    void tell_waiting() {
        for (const Message& message : std::exchange(waiting_, {})) {
            tell(message);
        }
    }

    [[nodiscard]] std::string first_error() const {
        const auto found = std::find_if(
            waiting_.begin(), waiting_.end(), [](const Message& one) { return one.is_error; });
        return found == waiting_.end() ? "the file is empty" : found->text;
    }

    std::ostream& errors_;
    std::string name_;  ///< empty once an event was read
    std::vector<Message> waiting_;
    std::size_t count_ = 0;
};

}  // namespace

std::size_t replay_events(Replay replay,
                          const ReplayOptions& options,
                          std::istream& events,
                          const TakeLines& take,
                          std::ostream& errors) {
    wire::ReplayReader reader(options.max_response_bytes);
    const std::size_t longest = longest_line(options.max_response_bytes);
    LineReader lines(events, longest, wire::ReplayReader::padding);
    ReplayTable table;
    LeftOut left_out(errors, options.name);
    std::string out;
    const auto apply = [&](const wire::ReplayEvent& event) -> std::optional<core::Problem> {
        left_out.an_event_was_read();
        const auto reading = replay.apply(event);
        if (!reading) {
            return reading.error();
        }
        if (options.table) {
            table.append(out, event, *reading);
        } else {
            append_ndjson(out, event, *reading);
        }
        return std::nullopt;
    };
    bool taken = true;
    while (taken) {
        const auto line = lines.next();
        if (!line) {
            break;
        }
        if (blank(*line)) {
            continue;
        }
        std::optional<core::Problem> problem;
        if (lines.cut()) {
            problem = core::Problem{fmt::format("an event must be at most {} bytes long", longest)};
        } else if (const auto event = reader.read(*line)) {
            problem = apply(*event);
        } else {
            problem = event.error();
        }
        for (const std::string& stranger : reader.take_strangers()) {
            left_out.warn(lines.number(), stranger);
        }
        if (problem) {
            left_out.add(lines.number(), *problem);
        }
        if (out.size() >= output_piece || lines.would_wait()) {
            table.flush(out);
            taken = take(out);
            out.clear();
        }
    }
    if (taken) {
        table.flush(out);
        std::ignore = take(out);
    }
    return left_out.end();
}

void add_replay_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "replay", "Say what given results of polls and probes lead to, in virtual time");
    CLI::Option* policy = command->add_option(
        "--policy",
        arguments->policy,
        "JSON file with the blocks capacity and probe of a declaration, for services that no line "
        "of EVENTS declares");
    command
        ->add_flag("--override",
                   arguments->override_declared,
                   "the policies of --policy in place of those that lines declare")
        ->needs(policy);
    command->add_option("EVENTS", arguments->events, "NDJSON; - is standard input")
        ->capture_default_str();
    command
        ->add_option_function<std::string>(
            "--max-response-bytes",
            [arguments](const std::string& text) {
                take_max_response_bytes(text, arguments->max_response_bytes);
            },
            "a longer body is a failed poll")
        ->type_name("INT")
        ->default_str(std::to_string(arguments->max_response_bytes));
    command
        ->add_option("--output,-o",
                     arguments->output,
                     "ndjson: the whole reading after each event; table: for people")
        ->check(CLI::IsMember({"ndjson", "table"}))
        ->capture_default_str();
    command->footer(
        "An event: {\"at\":TIME,\"home\":NAME,...} with one of\n"
        "  \"poll\" or \"probe\": {\"status\":200,\"body\":\"...\"}, {\"error\":\"...\"} or\n"
        "      "
        "{\"error\":{\"kind\":\"unreachable|refused|body|deadline|cancelled\",\"text\":\"...\"}}\n"
        "  \"read\": true\n"
        "or {\"at\":TIME,\"policy\":{...}}, {\"at\":TIME,\"service\":NAME,\"declared\":{...}},\n"
        "{\"at\":TIME,\"service\":NAME,\"forgotten\":true} (without service: everything is).\n"
        "\"service\" and \"endpoint\" tell histories apart.\n"
        "A line comes out for each. PASSES of the table are counted while gated only. Attempts are "
        "given, not planned: the next one is shown one\n"
        "period after the first, then every period. A bad line is reported and left out.\n"
        "Exit code: 0, 1 some lines or files were bad, 2 usage, 78 bad policies.");
    command->callback([arguments, &run] { run = [arguments] { return run_replay(*arguments); }; });
}

}  // namespace ome::observer
