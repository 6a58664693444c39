"""A program's help as a manual page."""
import re

SECTION = {"ome-observer": 8, "ome-trafficmap": 8, "kubectl-ome": 1, "ome-homesim": 1}

# What comes with the units; `{etc}` is the folder of their settings.
SERVICE_FILES = {
    "ome-observer": [
        ("{etc}/default/ome-observer", "settings of the service, as variables of the environment"),
        ("ome-observer.service", "the unit for systemd, which runs \\fBome\\-observer serve\\fR"),
    ],
    "ome-trafficmap": [
        ("{etc}/default/ome-trafficmap", "settings of the service, as variables of the environment"),
        ("{etc}/ome/multicluster.json", "the operator's configuration, as the unit expects it"),
        ("/var/lib/ome-trafficmap", "the folder of manifests and maps of the unit"),
        ("ome-trafficmap.service", "the unit for systemd, which runs \\fBome\\-trafficmap run\\fR"),
    ],
}
FILES = {"kubectl-ome": [("~/.kube/config", "how the API server is reached, as for kubectl")]}


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")


def line(text):
    """A line of text, whatever it begins with."""
    escaped = escape(text)
    return "\\&" + escaped if escaped.startswith((".", "\\(aq")) else escaped


def bold(text):
    return f"\\fB{escape(text)}\\fR"


def italic(text):
    return f"\\fI{escape(text)}\\fR"


def verbatim(text):
    return [".PP", ".RS 4", ".nf", *[line(one) if one else "\\&" for one in text], ".fi", ".RE"]


def option_head(option):
    head = ", ".join(bold(name) for name in option.names)
    if option.value and option.names[0].startswith("-"):
        value = "|".join(bold(word) for word in option.choices) if option.choices else italic(option.value)
        head += f" [{value}]" if option.optional else f" {value}"
    return head + (" ..." if option.repeated else "")


def option_lines(options):
    lines = []
    for option in options:
        about = option.about
        if option.variable:
            about = about.removesuffix(f"({option.variable})").strip()
        lines += [".TP", option_head(option), line(about)]
        if option.default:
            lines[-1] += f" (default: {escape(option.default)})"
        if option.variable:
            lines += [".br", f"Environment: {bold(option.variable)}"]
    return lines


def blocks(footer):
    """Its paragraphs: (title, lines); examples and exit codes have one."""
    found = []
    for block in re.split(r"\n\s*\n|\n(?=Exit codes?: )", footer):
        lines = [one for one in block.split("\n") if one.strip()]
        if not lines:
            continue
        if lines[0].rstrip(":") in ("Examples", "Example"):
            found.append(("Examples", lines[1:]))
        elif re.match(r"Exit codes?: ", lines[0]):
            found.append(("Exit status", [re.sub(r"^Exit codes?: ", "", lines[0]), *lines[1:]]))
        else:
            found.append(("", lines))
    return found


def prose(lines):
    """Lines that are set in are lists and tables: they stay as they are."""
    out = []
    held = []
    for one in lines:
        if one.startswith(" "):
            held.append(one)
            continue
        if held:
            out += [*verbatim(held), ".PP"]
            held = []
        out += [line(one)]
    return [".PP", *out, *(verbatim(held) if held else [])]


def footer_lines(footer):
    lines = []
    for title, block in blocks(footer):
        if title == "Examples":
            lines += [".PP", bold("Examples:"), *verbatim([one.removeprefix("  ") for one in block])]
        elif title:
            lines += [".PP", f"{bold(title + ':')} {line(' '.join(one.strip() for one in block))}"]
        else:
            lines += prose(block)
    return lines


def command_lines(program, command):
    usage = command.usage if not command.commands else f"{program_words(program)} {' '.join(command.words)} COMMAND"
    lines = [f".SS {quoted(usage)}", line(sentence(command.about))]
    if command.aliases:
        lines += [".PP", f"Also called {' and '.join(bold(alias) for alias in command.aliases)}."]
    lines += option_lines(command.positionals)
    for options in command.groups.values():
        lines += option_lines([option for option in options if "--help" not in option.names])
    return lines + footer_lines(command.footer)


def quoted(text):
    return '"' + escape(text).replace('"', '\\(dq') + '"'


def sentence(text):
    return text if text.endswith(".") else text + "."


def program_words(program):
    return "kubectl ome" if program == "kubectl-ome" else program


def summary(text):
    first = re.split(r"\.\s|:|\.$", text)[0]
    return first[:1].lower() + first[1:] if not first[:2].isupper() else first


def files_of(program, settings):
    services = [] if settings == "none" else SERVICE_FILES.get(program, [])
    return FILES.get(program, []) + [(name.replace("{etc}", settings), about) for name, about in services]


def page(program, tree, version, settings="/etc"):
    section = SECTION[program]
    lines = [
        '.\\" Written by tools/manual from --help.',
        f'.TH {quoted(program.upper())} {section} "" "ome\\-observer {version}" "ome\\-observer"',
        ".nh", ".ad l",
        ".SH NAME", f"{escape(program)} \\- {escape(summary(tree.about))}",
        ".SH SYNOPSIS",
    ]
    for command in tree.walk():
        if not command.commands:
            words = command.usage.removeprefix(program_words(program)).strip()
            lines += [f"{bold(program_words(program))} {escape(words)}", ".br"]
    lines[-1:] = []
    lines += [".SH DESCRIPTION", line(tree.about)]
    top = blocks(tree.footer)
    for title, block in top:
        if not title and "--help" not in " ".join(block):
            lines += prose(block)
    lines.append(".SH OPTIONS")
    for title, options in tree.groups.items():
        lines += ([f".SS {quoted(title)}"] if title != "Options" else []) + option_lines(options)
    if tree.commands:
        lines.append(".SH COMMANDS")
        for command in list(tree.walk())[1:]:
            lines += command_lines(program, command)
    for title, block in top:
        if title == "Examples":
            lines += [".SH EXAMPLES", *verbatim([one.removeprefix("  ") for one in block])[1:]]
    lines += [".SH EXIT STATUS", line(exit_status(tree))]
    files = files_of(program, settings)
    if files:
        lines.append(".SH FILES")
    for name, about in files:
        lines += [".TP", italic(name), about[:1].upper() + about[1:] + "."]
    others = [f"{bold(name)}({number})" for name, number in sorted(SECTION.items()) if name != program]
    lines += [".SH SEE ALSO", ", ".join(others)]
    return "\n".join(lines) + "\n"


def exit_status(tree):
    told = re.search(r"Exit codes?: (.*)", tree.footer, re.DOTALL)
    text = " ".join(told[1].split()) if told else "0 ended in order, 1 failure, 2 wrong usage."
    return text[:1].upper() + text[1:]
