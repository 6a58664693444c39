"""A program's help as completion scripts for bash, zsh and fish."""
import re

# How values are called that are files or folders. What is only called TEXT may be one.
FILES = {"file", "files", "folder", "FILE", "TEXT"}
LONGEST = 80


def short(about):
    """The first sentence, on one line."""
    about = re.sub(r"\s*\(OME_[A-Z_]+\)$", "", about)
    first = re.split(r"\. |; |: ", about)[0].rstrip(".")
    return first if len(first) <= LONGEST else first[:LONGEST - 3].rstrip() + "..."


def is_file(option):
    return not option.choices and option.value in FILES


def names_of(command):
    return [name for option in command.options for name in option.names]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ------------------------------------------------------------------------------------------- bash

BASH = """# bash completion for {name}; written by tools/manual from --help.
{function}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' word words=''
    # --flag=value comes as three words.
    if [ "$current" = = ]; then
        current=''
    elif [ "$before" = = ] && [ "$COMP_CWORD" -gt 2 ]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    COMPREPLY=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        case $word in
            {commands}) command=$word; break ;;
        esac
    done
    case "$command $before" in
{values}
    esac
    case $command in
{words}
    esac
    if [ -z "$words" ] || {{ [ -n "$command" ] && [ "${{current#-}}" = "$current" ]; }}; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}}
complete -F {function} {name}
"""


def bash_values(tree):
    lines = []
    for command in tree.walk():
        word = " ".join(command.words)
        for option in command.options:
            patterns = " | ".join(quoted(f"{word} {name}") for name in option.names)
            if option.choices:
                lines.append(f"        {patterns}) mapfile -t COMPREPLY < <(compgen -W "
                             f"{quoted(' '.join(option.choices))} -- \"$current\"); return ;;")
            elif is_file(option):
                lines.append(f"        {patterns}) compopt -o filenames; "
                             "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;")
            elif option.value:
                lines.append(f"        {patterns}) return ;;")
    return "\n".join(lines)


def bash(name, tree):
    known = [command.words[0] for command in tree.commands]
    words = [f"        {quoted(' '.join(command.words))}) words="
             f"{quoted(' '.join([*names_of(command), *(sub.words[-1] for sub in command.commands)]))} ;;"
             for command in tree.walk()]
    return BASH.format(name=name, function="_" + name.replace("-", "_"), commands=" | ".join(known) or "''",
                       values=bash_values(tree), words="\n".join(words))


# -------------------------------------------------------------------------------------------- zsh

def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_value(option):
    if not option.value:
        return ""
    if option.choices:
        action = "(" + " ".join(option.choices) + ")"
    else:
        action = "_files" if is_file(option) else " "
    return f"{'::' if option.optional else ':'}{zsh_text(option.value)}:{action}"


def zsh_arguments(command):
    lines = []
    for option in command.options:
        for name in option.names:
            takes = "=" if option.value and name.startswith("--") else ""
            star = "*" if option.repeated else ""
            lines.append(quoted(f"{star}{name}{takes}[{zsh_text(short(option.about))}]{zsh_value(option)}"))
    return lines


def zsh(name, tree):
    function = "_" + name
    lines = [f"#compdef {name}", "# Written by tools/manual from --help.", f"{function}() {{"]
    first = zsh_arguments(tree)
    if not tree.commands:
        lines += ["    _arguments \\", " \\\n".join(f"        {one}" for one in first)]
        return "\n".join([*lines, "}", f"{function} \"$@\""]) + "\n"
    lines += ["    local curcontext=$curcontext state line", "    local -a commands", "    _arguments -C \\"]
    lines.append(" \\\n".join(f"        {one}" for one in [*first, "'1: :->command'", "'*:: :->rest'"]))
    lines += ["    case $state in", "        command)", "            commands=("]
    lines += [f"                {quoted(zsh_text(one.words[0]) + ':' + short(one.about))}" for one in tree.commands]
    lines += ["            )", "            _describe command commands", "            ;;",
              "        rest)", "            case $words[1] in"]
    for command in tree.commands:
        files = ["'*: :_files'"] if command.positionals else []
        lines += [f"                {command.words[0]})", "                    _arguments \\"]
        lines.append(" \\\n".join(f"                        {one}" for one in zsh_arguments(command) + files))
        lines.append("                    ;;")
    lines += ["            esac", "            ;;", "    esac", "}", f"{function} \"$@\""]
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------- fish

def fish_option(name, condition, option):
    words = ["complete", "-c", name, *condition]
    for one in option.names:
        words += ["-l", one[2:]] if one.startswith("--") else ["-s", one[1:]]
    if option.choices:
        words += ["-x", "-a", quoted(" ".join(option.choices))]
    elif option.value:
        words += ["-r", "-F"] if is_file(option) else ["-x"]
    return " ".join([*words, "-d", fish_quoted(short(option.about))])


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(name, tree):
    lines = [f"# fish completion for {name}; written by tools/manual from --help."]
    known = " ".join(command.words[0] for command in tree.commands)
    first = ["-n", quoted(f"not __fish_seen_subcommand_from {known}")] if known else []
    lines.append(f"complete -c {name} -f")
    for command in tree.commands:
        lines.append(" ".join(["complete", "-c", name, *first, "-a", command.words[0], "-d",
                               fish_quoted(short(command.about))]))
    lines += [fish_option(name, first, option) for option in tree.options]
    for command in tree.commands:
        condition = ["-n", quoted(f"__fish_seen_subcommand_from {command.words[0]}")]
        if command.positionals:
            lines.append(" ".join(["complete", "-c", name, *condition, "-F"]))
        lines += [fish_option(name, condition, option) for option in command.options]
    return "\n".join(lines) + "\n"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
