// `ome-observer replay [--policy FILE] [EVENTS]`
#include "replay_command.hpp"

#include "commands.hpp"
#include "replay_events.hpp"
#include "replay_lines.hpp"
#include "replay_tuning.hpp"
#include <ome/core/setting_rules.hpp>
#include <ome/core/text.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/net/text_file.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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
#include <variant>
#include <vector>

namespace ome::observer {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 78;

constexpr std::size_t output_piece = std::size_t{1} << 16;

constexpr std::size_t most_policies = 8;

struct Arguments {
    std::vector<std::string> policies;
    std::string events = "-";
    std::string output;  ///< empty: ndjson, and with a plot table
    std::int64_t max_response_bytes = 65536;
    bool override_declared = false;
    std::string plot;  ///< empty: none
    std::string home;
    std::optional<std::int32_t> plan;
    std::size_t confirm = 2;
};

// Most devices have no end, and a line neither. `null` is the one that is named on purpose.
std::optional<core::Problem> refuse_device(const std::string& path) {
    struct stat found {};
    const dev_t null_device = makedev(1, 3);
    const bool device =
        ::stat(path.c_str(), &found) == 0 && (S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode));
    if (!device || (S_ISCHR(found.st_mode) && found.st_rdev == null_device)) {
        return std::nullopt;
    }
    return core::Problem{fmt::format("{}: is a device, expected a file", path)};
}

// Devices and pipes may well hold nothing.
bool is_regular_file(const std::string& path) {
    std::error_code error;
    return path != "-" && std::filesystem::is_regular_file(path, error);
}

/// Empty where it may well hold nothing.
std::string name_of_recording(const Arguments& arguments) {
    return is_regular_file(arguments.events) ? arguments.events : std::string();
}

int fail(int code, const std::string& message) {
    std::cerr << "error: " << message << '\n';
    return code;
}

/// A number within its rule, which is told in the words of `serve`.
std::int64_t whole(const char* flag,
                   const std::string& text,
                   std::int64_t least,
                   std::int64_t most) {
    std::int64_t number = 0;
    if (const auto broken = core::setting_rules::number({text}, least, most, number)) {
        throw CLI::ValidationError(fmt::format("{} {} {}", flag, core::go_quote(text), *broken));
    }
    return number;
}

void check(const Arguments& arguments) {
    const bool plot = !arguments.plot.empty();
    if (!plot && arguments.policies.size() > 1) {
        throw CLI::ValidationError(
            "--policy is given more than once; several are compared with --plot");
    }
    if (arguments.policies.size() > most_policies) {
        throw CLI::ValidationError(
            fmt::format("--policy is given more than {} times", most_policies));
    }
    if (plot && arguments.output == "ndjson") {
        throw CLI::ValidationError(
            "--output ndjson tells of events; with --plot there are figures: "
            "json or table");
    }
    if (!plot && arguments.output == "json") {
        throw CLI::ValidationError(
            "--output json tells of figures, which need --plot; of events "
            "tell ndjson and table");
    }
    if (arguments.plot == "-" && arguments.output == "json") {
        throw CLI::ValidationError(
            "--output json and --plot - both want standard output; --plot FILE leaves it to the "
            "figures");
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
    const std::size_t left_out = replay_events(
        std::move(replay),
        {arguments.max_response_bytes, arguments.output == "table", name_of_recording(arguments)},
        events,
        take,
        std::cerr);
    return net::exit_code_of(printed, left_out == 0 ? exit_ok : exit_failure);
}

/// The policies of a file, or the exit code.
std::variant<wire::ReplayPolicies, int> read_policies(const std::string& path) {
    const auto text = net::read_text_file(path);
    if (!text) {
        return fail(exit_failure, "--policy " + text.error().message);
    }
    auto read = policies_in(*text);
    if (!read) {
        return fail(exit_bad_configuration,
                    fmt::format("--policy {}: {}", path, read.error().message));
    }
    return std::move(*read);
}

int print_events(const Arguments& arguments,
                 std::vector<wire::ReplayPolicies> policies,
                 std::istream& events) {
    std::optional<wire::ReplayPolicies> given;
    if (!policies.empty()) {
        given = std::move(policies.front());
    }
    Replay replay(std::move(given), arguments.override_declared ? Obey::Given : Obey::Declared);
    return replay_to_the_end(arguments, std::move(replay), events);
}

int draw_plot(const Arguments& arguments,
              std::vector<wire::ReplayPolicies> policies,
              std::istream& events) {
    std::vector<PolicyUnderTrial> trials;
    if (!arguments.override_declared) {
        trials.push_back({"as recorded", std::nullopt});
    }
    const std::vector<std::string> names = names_of_policies(arguments.policies);
    for (std::size_t i = 0; i < policies.size(); ++i) {
        trials.push_back({names[i], std::move(policies[i])});
    }
    const bool standard_input = arguments.events == "-";
    return compare_policies(
        {arguments.plot,
         arguments.home,
         arguments.plan,
         arguments.confirm,
         arguments.output == "json",
         {arguments.max_response_bytes, name_of_recording(arguments)},
         standard_input ? "standard input"
                        : std::filesystem::path(arguments.events).filename().string()},
        std::move(trials),
        events);
}

int run_replay(const Arguments& arguments) {
    std::vector<wire::ReplayPolicies> policies;
    for (const std::string& path : arguments.policies) {
        auto read = read_policies(path);
        if (const int* code = std::get_if<int>(&read)) {
            return *code;
        }
        policies.push_back(std::get<wire::ReplayPolicies>(std::move(read)));
    }
    std::ios::sync_with_stdio(false);
    const auto run = arguments.plot.empty() ? print_events : draw_plot;
    if (arguments.events == "-") {
        return run(arguments, std::move(policies), std::cin);
    }
    if (const auto problem = net::refuse_other_than_file(arguments.events)) {
        return fail(exit_failure, problem->message);
    }
    if (const auto problem = refuse_device(arguments.events)) {
        return fail(exit_failure, problem->message);
    }
    std::ifstream file(arguments.events, std::ios::binary);
    if (!file) {
        return fail(exit_failure, fmt::format("{}: {}", arguments.events, std::strerror(errno)));
    }
    return run(arguments, std::move(policies), file);
}

constexpr const char* footer =
    "An event: {\"at\":TIME,\"home\":NAME,...} with one of\n"
    "  \"poll\" or \"probe\": {\"status\":200,\"body\":\"...\"}, {\"error\":\"...\"} or\n"
    "      {\"error\":{\"kind\":KIND,\"text\":\"...\"}}; KIND is unreachable, refused, body,\n"
    "      deadline or cancelled\n"
    "  \"read\": true\n"
    "or {\"at\":TIME,\"policy\":{...}}, {\"at\":TIME,\"service\":NAME,\"declared\":{...}},\n"
    "{\"at\":TIME,\"service\":NAME,\"forgotten\":true} (without service: everything is).\n"
    "\"service\" and \"endpoint\" tell histories apart.\n"
    "\n"
    "A line comes out for each. PASSES of the table are counted while gated only. Attempts are "
    "given, not planned: the next one is shown one\n"
    "period after the first, then every period. A bad line is reported and left out.\n"
    "\n"
    "--plot draws one home (--home) under the recorded policies and those of each --policy (with\n"
    "--override of those alone): its readings, the ceiling, the plan and the gate over time. What\n"
    "it prints (where the picture is on standard output, on standard error), with N of --confirm:\n"
    "  CHANGES    real changes of what the home can serve: N reports in a row that\n"
    "             are all above, or all below, what it could serve before; counts\n"
    "             above the plan are the plan\n"
    "  LAG        from the first report of a real change until the ceiling follows:\n"
    "             is at most that after a fall; at least that, or absent, after a\n"
    "             rise\n"
    "  OVERTAKEN  the home changed the other way before the ceiling had followed\n"
    "  PENDING    the recording ended before the ceiling had followed\n"
    "  DROPS      times that ceiling or gate lowered what the home gets\n"
    "  FALSE      drops after which the next N readings (reports after a drop of the\n"
    "             ceiling's, probes after one of the gate's) all show that nothing\n"
    "             had been lost\n"
    "  UNDECIDED  drops too near the end to tell\n"
    "\n"
    "Examples:\n"
    "  ome-observer replay attempts.ndjson --output table\n"
    "  ome-observer replay --policy other.json --override attempts.ndjson    what if?\n"
    "  ome-observer replay --plot tuning.svg --policy quick.json \\\n"
    "      --policy calm.json attempts.ndjson\n"
    "\n"
    "Exit code: 0, 1 some lines or files were bad, 2 usage, 78 bad policies.";

void add_plot_options(CLI::App& command, const std::shared_ptr<Arguments>& arguments) {
    const char* const group = "Tuning";
    CLI::Option* plot = command
                            .add_option("--plot",
                                        arguments->plot,
                                        "an SVG file to draw one home in, a panel for each policy, "
                                        "or - for standard output; prints how they compare")
                            ->type_name("FILE")
                            ->group(group);
    command
        .add_option("--home", arguments->home, "HOME or SERVICE/HOME (the first of the recording)")
        ->type_name("HOME")
        ->group(group)
        ->needs(plot);
    command
        .add_option_function<std::string>(
            "--plan",
            [arguments](const std::string& text) {
                arguments->plan = static_cast<std::int32_t>(
                    whole("--plan", text, 0, std::numeric_limits<std::int32_t>::max()));
            },
            "replicas that the home is planned to serve, which no recording holds (the highest "
            "report)")
        ->type_name("INT")
        ->group(group)
        ->needs(plot);
    command
        .add_option_function<std::string>(
            "--confirm",
            [arguments](const std::string& text) {
                arguments->confirm = static_cast<std::size_t>(whole("--confirm", text, 1, 100));
            },
            "readings in a row that make a change real, and a drop false")
        ->type_name("INT")
        ->default_str(std::to_string(arguments->confirm))
        ->group(group)
        ->needs(plot);
}

}  // namespace

std::size_t replay_events(Replay replay,
                          const ReplayOptions& options,
                          std::istream& events,
                          const TakeLines& take,
                          std::ostream& errors) {
    ReplayTable table;
    std::string out;
    bool taken = true;
    const auto apply = [&](const wire::ReplayEvent& event) -> std::optional<core::Problem> {
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
    const auto after = [&](bool would_wait) {
        if (out.size() >= output_piece || would_wait) {
            table.flush(out);
            taken = take(out);
            out.clear();
        }
        return taken;
    };
    const std::size_t left_out =
        read_events({options.max_response_bytes, options.name}, events, apply, after, errors);
    if (taken) {
        table.flush(out);
        std::ignore = take(out);
    }
    return left_out;
}

void add_replay_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "replay", "Say what given results of polls and probes lead to, in virtual time");
    CLI::Option* policy = command
                              ->add_option("--policy",
                                           arguments->policies,
                                           "JSON file with the blocks capacity and probe of a "
                                           "declaration, for services that no line of EVENTS "
                                           "declares; may be repeated with --plot")
                              ->type_name("FILE")
                              ->allow_extra_args(false);
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
                arguments->max_response_bytes = whole(
                    "--max-response-bytes", text, 1, std::numeric_limits<std::int64_t>::max());
            },
            "a longer body is a failed poll")
        ->type_name("INT")
        ->default_str(std::to_string(arguments->max_response_bytes));
    command
        ->add_option("--output,-o",
                     arguments->output,
                     "ndjson: the whole reading after each event; table: for people; json: the "
                     "figures of --plot (ndjson, with --plot table)")
        ->check(CLI::IsMember({"ndjson", "table", "json"}));
    add_plot_options(*command, arguments);
    command->footer(footer);
    command->callback([arguments, &run] {
        check(*arguments);
        run = [arguments] { return run_replay(*arguments); };
    });
}

}  // namespace ome::observer
