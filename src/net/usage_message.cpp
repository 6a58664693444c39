#include <ome/core/usage.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/net/usage_message.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <sstream>
#include <tuple>

namespace ome::net {
namespace {

using Words = std::vector<std::string>;

void add_options(const CLI::App& app, Words& names) {
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
        for (const std::string& name : option->get_snames()) {
            names.push_back("-" + name);
        }
    }
}

// A command counts as given once CLI11 has begun to read its words.
core::CommandLine line_of(const CLI::App& app) {
    const auto begun = app.get_subcommands();
    core::CommandLine line{app.get_name(), {}, {}, {}, app.remaining()};
    if (!begun.empty() && line.left_over.empty()) {
        const CLI::App& command = *begun.front();
        line.program += " " + command.get_name();
        line.left_over = command.remaining();
        add_options(command, line.options);
        return line;
    }
    add_options(app, line.options);
    for (const CLI::App* command : app.get_subcommands({})) {
        line.commands.push_back(command->get_name());
        add_options(*command, line.later_options);
    }
    return line;
}

// Its words for a wrong number of values count in their own way: an option given twice has
// `At Most 1 required but received 2`, one without its value `1 required TYPE missing`.
std::string words_of(const CLI::Error& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ArgumentMismatch) ||
        colon == text.npos) {
        return text;
    }
    const std::string name = text.substr(0, colon);
    if (text.compare(colon, 13, ": At Most 1 r") == 0) {
        return name + " is given more than once";
    }
    return text.ends_with(" missing") ? name + " needs a value" : text;
}

}  // namespace

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
    return core::usage_problem(line_of(*app), words_of(error));
}

int end_of_parse(const CLI::App& app, const CLI::ParseError& error, int usage_error) {
    std::ostringstream out;
    std::ostringstream err;
    const bool wrong = app.exit(error, out, err) != 0;
    std::ignore = print_to(stderr, err.str());
    return exit_code_of(print(out.str()), wrong ? usage_error : 0);
}

}  // namespace ome::net
