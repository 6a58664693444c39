// `check FILE...`, which several programs have.
#pragma once

#include <ome/wire/check_report.hpp>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace ome::wire {

struct CheckHelp {
    std::string description;
    std::string footer;  ///< what it takes, examples, exit codes
    CheckFor whom = CheckFor::Observer;
};

/// Prints a text that is the last thing a command has to say, and makes its exit code of this one.
using PrintLast = std::function<int(const std::string& text, int code)>;

/// `read` gives the text of a file, `-` being the standard input. When the command is chosen, `run`
/// becomes what prints the findings and returns the exit code.
void add_check_command(CLI::App& app,
                       std::function<int()>& run,
                       const CheckHelp& help,
                       ReadFile read,
                       PrintLast print);

}  // namespace ome::wire
