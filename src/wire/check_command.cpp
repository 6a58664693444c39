#include <ome/wire/check_command.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace ome::wire {
namespace {

struct Arguments {
    std::vector<std::string> files;
    std::string output = "text";
};

int run_check(const Arguments& arguments,
              CheckFor whom,
              const ReadFile& read,
              const PrintLast& print) {
    const CheckRun run = check_files(arguments.files, read, whom);
    const std::string report = arguments.output == "json" ? as_json(run) : as_text(run.files);
    for (const UnreadableFile& file : run.unreadable) {
        std::fprintf(stderr, "error: %s\n", file.why.c_str());
    }
    return print(report, exit_code(run));
}

// The second one would find it empty, and pass.
std::string standard_input_once(const std::vector<std::string>& files) {
    return std::count(files.begin(), files.end(), "-") > 1
               ? "- is given more than once: standard input can be read once"
               : std::string();
}

}  // namespace

void add_check_command(CLI::App& app,
                       std::function<int()>& run,
                       const CheckHelp& help,
                       ReadFile read,
                       PrintLast print) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("check", help.description);
    command->add_option("FILE", arguments->files, "JSON or YAML files; - is standard input")
        ->required();
    command->add_option("--output,-o", arguments->output, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer(help.footer);
    command->callback(
        [arguments, &run, whom = help.whom, read = std::move(read), print = std::move(print)] {
            if (const std::string wrong = standard_input_once(arguments->files); !wrong.empty()) {
                throw CLI::ValidationError("FILE", wrong);
            }
            run = [arguments, whom, read, print] {
                return run_check(*arguments, whom, read, print);
            };
        });
}

}  // namespace ome::wire
