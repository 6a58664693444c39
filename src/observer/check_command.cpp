// `ome-observer check FILE...`
#include "check_command.hpp"

#include "check_report.hpp"
#include "commands.hpp"
#include <ome/core/policy_rules.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

namespace ome::observer {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_bad_configuration = 78;
constexpr std::size_t largest_file = std::size_t{64} << 20;

// A Result of a text must say which side it is: a Problem can be made of a text, too.
using Text = core::Result<std::string>;

Text read_all(std::istream& in, const std::string& name) {
    std::string text;
    char piece[65536];
    while (in.read(piece, sizeof piece) || in.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(in.gcount()));
        if (text.size() > largest_file) {
            return core::Problem{name + " is larger than 64 MiB"};
        }
    }
    if (in.bad()) {
        return core::Problem{name + " cannot be read"};
    }
    return Text(boost::system::in_place_value, std::move(text));
}

Text read_file(const std::string& name, std::istream& standard_input) {
    if (name == "-") {
        return read_all(standard_input, "standard input");
    }
    std::ifstream file(name, std::ios::binary);
    if (!file) {
        return core::Problem{name + " cannot be opened"};
    }
    return read_all(file, name);
}

// A configuration among the files says which limits the others have to keep.
core::ObserverLimits limits_among(const std::vector<CheckedFile>& files) {
    for (const CheckedFile& file : files) {
        if (file.document.limits) {
            return *file.document.limits;
        }
    }
    return core::chart_limits();
}

void check_all(std::vector<CheckedFile>& files, const std::vector<std::string>& texts) {
    for (const bool final_limits : {false, true}) {
        const core::ObserverLimits limits =
            final_limits ? limits_among(files) : core::chart_limits();
        for (std::size_t i = 0; i < files.size(); ++i) {
            files[i].document = wire::check_document(texts[i], limits);
        }
    }
}

struct Arguments {
    std::vector<std::string> files;
    std::string output = "text";
};

int run_check(const Arguments& arguments) {
    CheckRun run = check_files(arguments.files, std::cin);
    std::fputs(arguments.output == "json" ? as_json(run.files).c_str() : as_text(run.files).c_str(),
               stdout);
    for (const std::string& unreadable : run.unreadable) {
        std::fprintf(stderr, "error: %s\n", unreadable.c_str());
    }
    return exit_code(run);
}

}  // namespace

CheckRun check_files(const std::vector<std::string>& names, std::istream& standard_input) {
    CheckRun run;
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        Text text = read_file(name, standard_input);
        if (!text) {
            run.unreadable.push_back(text.error().message);
            continue;
        }
        run.files.push_back({name == "-" ? "<stdin>" : name, {}});
        texts.push_back(std::move(*text));
    }
    check_all(run.files, texts);
    return run;
}

int exit_code(const CheckRun& run) {
    if (count(run.files, wire::Severity::Error) > 0) {
        return exit_bad_configuration;
    }
    return run.unreadable.empty() ? exit_ok : exit_failure;
}

void add_check_command(CLI::App& app, Run& run) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "check",
        "Say what is wrong with configurations, declarations and spec.routing blocks before "
        "anything runs on them");
    command->add_option("FILE", arguments->files, "JSON or YAML files; - is standard input")
        ->required();
    command->add_option("--output,-o", arguments->output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer(
        "Takes a multicluster configuration (or its ConfigMap), a declaration, a list of services\n"
        "as for --services, or an InferenceService; what a file is shows in its content. Limits\n"
        "come from a configuration among the files, otherwise they are the chart's.\n"
        "Exit code: 0 valid (warnings included), 1 a file cannot be read, 2 usage, 78 invalid.");
    command->callback([arguments, &run] { run = [arguments] { return run_check(*arguments); }; });
}

}  // namespace ome::observer
