#include "completion.hpp"

#include <ome/core/text.hpp>
#include <ome/core/usage.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ome::kubectl {
namespace {

using Words = std::vector<std::string>;

bool is_flag(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

// The option of this spelling, of the command or of those around it.
const CLI::Option* option_of(const CLI::App* app, const std::string& spelling) {
    for (; app != nullptr; app = app->get_parent()) {
        if (const CLI::Option* option = app->get_option_no_throw(spelling)) {
            return option;
        }
    }
    return nullptr;
}

bool takes_value(const CLI::Option* option) {
    return option != nullptr && option->get_items_expected_max() > 0;
}

bool is_hidden(std::string_view name) {
    return name.starts_with("__");
}

/// The line so far: the command it names, its other words, and the flag whose value comes next.
struct Line {
    const CLI::App* command = nullptr;
    Words positionals;
    std::string flag;
};

Line read_line(const CLI::App& app, const Words& words) {
    Line line{&app, {}, {}};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (!line.flag.empty()) {
            line.flag.clear();
        } else if (is_flag(word)) {
            const bool complete = word.find('=') != std::string::npos;
            line.flag = !complete && takes_value(option_of(line.command, word)) ? word : "";
        } else if (const auto below = line.command->get_subcommands(
                       [&word](const CLI::App* one) { return one->check_name(word); });
                   !below.empty()) {
            line.command = below.front();
        } else {
            line.positionals.push_back(word);
        }
    }
    return line;
}

// In order.
Words names_below(const CLI::App* app) {
    Words names;
    for (const CLI::App* one :
         app->get_subcommands([](const CLI::App* sub) { return !is_hidden(sub->get_name()); })) {
        names.push_back(one->get_name());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Words flag_names(const CLI::App* app) {
    std::set<std::string> names;
    for (; app != nullptr; app = app->get_parent()) {
        for (const CLI::Option* option : app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.insert("--" + name);
            }
            for (const std::string& name : option->get_snames()) {
                names.insert("-" + name);
            }
        }
    }
    return {names.begin(), names.end()};
}

void add_values_of(const std::string& flag, const Line& line, Completion& out) {
    if (flag == "-o" || flag == "--output") {
        out.words = {"json", "table", "wide", "yaml"};
    } else if (flag == "--dry-run") {
        out.words = {"client", "none", "server"};
    } else if (flag == "-n" || flag == "--namespace") {
        out.names = Names::Namespaces;
    } else if (flag == "--workload-cluster" ||
               (flag == "--cluster" && line.command->get_name() == "why")) {
        out.names = Names::Clusters;
    } else if (flag == "--id" && line.command->get_name() == "undrain") {
        out.names = Names::Drains;
        out.service = line.positionals.empty() ? "" : line.positionals.front();
    } else if (flag == "--store") {
        out.words = {"dir:"};
    }
}

void add_positionals(const Line& line, Completion& out) {
    const std::string& command = line.command->get_name();
    const std::size_t count = line.positionals.size();
    if (command == "get") {
        if (count == 0) {
            out.words = {"tm", "tmap", "trafficmap", "trafficmaps"};
        } else if (count == 1) {
            out.names = Names::Maps;
        }
    } else if (command == "completion") {
        out.words = {"bash", "fish", "zsh"};
    } else if (command == "drain-cluster" || command == "undrain-cluster") {
        out.names = count == 0 ? Names::Clusters : Names::None;
    } else if (command == "watch" || count == 0) {
        out.names = command == "top" ? Names::None : Names::Services;
    }
}

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
    const Line line = read_line(app, words);
    const std::string last = words.empty() ? "" : words.back();
    Completion out;
    if (!line.flag.empty()) {
        add_values_of(line.flag, line, out);
    } else if (is_flag(last) || last == "-") {
        out.words = flag_names(line.command);
    } else if (Words below = names_below(line.command); !below.empty()) {
        out.words = std::move(below);
    } else {
        add_positionals(line, out);
    }
    std::erase_if(out.words, [&last](const std::string& word) { return !word.starts_with(last); });
    return out;
}

std::optional<std::string> unknown_command(const CLI::App& app, Words words) {
    words.emplace_back();  // the one to be completed is not looked at
    const Line line = read_line(app, words);
    const Words commands = names_below(line.command);
    if (commands.empty() || line.positionals.empty()) {
        return std::nullopt;
    }
    std::string group;
    for (const CLI::App* at = line.command; at->get_parent() != nullptr; at = at->get_parent()) {
        group = at->get_name() + " " + group;
    }
    const std::string& word = line.positionals.front();
    const auto near = core::nearest_word(word, commands);
    return fmt::format("there is no command {}; {}",
                       core::go_quote(core::sanitize_detail(group + word)),
                       near ? fmt::format("did you mean {}{}?", group, *near)
                            : fmt::format("commands: {};", fmt::join(commands, ", ")));
}

std::string completion_script(std::string_view shell) {
    // The words come one a line; kubectl's own completion calls kubectl_complete-ome.
    if (shell == "bash") {
        return R"(# source <(kubectl-ome completion bash)
_kubectl_ome() {
    local IFS=$'\n'
    COMPREPLY=($(kubectl-ome __complete "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null | grep -v '^:'))
}
complete -o default -F _kubectl_ome kubectl-ome
)";
    }
    if (shell == "zsh") {
        return R"(#compdef kubectl-ome
# source <(kubectl-ome completion zsh)
_kubectl_ome() {
    local -a found
    found=("${(@f)$(kubectl-ome __complete "${(@)words[2,$CURRENT]}" 2>/dev/null | grep -v '^:')}")
    compadd -a found
}
compdef _kubectl_ome kubectl-ome
)";
    }
    if (shell == "fish") {
        return R"(# kubectl-ome completion fish | source
function __kubectl_ome_complete
    set -l words (commandline -opc) (commandline -ct)
    kubectl-ome __complete $words[2..-1] 2>/dev/null | string match -v ':*'
end
complete -c kubectl-ome -f -a '(__kubectl_ome_complete)'
)";
    }
    return "";
}

}  // namespace ome::kubectl
