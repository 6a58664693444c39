"""What a program says with --help, as values. The form is that of CLI11."""
import dataclasses
import os
import re
import subprocess

PATIENCE = 30  # seconds
COLUMN = 30  # where descriptions begin


class Strange(Exception):
    """The help is not of the form that is known here."""


@dataclasses.dataclass
class Option:
    names: list  # -o, --output; of a positional its name alone
    value: str  # how its value is called; empty: it takes none
    choices: list
    optional: bool  # the value may be left out
    default: str
    repeated: bool
    about: str

    @property
    def variable(self):
        """That of the environment which stands for it, as the help tells it."""
        found = re.search(r"\((OME_[A-Z_]+)\)$", self.about)
        return found[1] if found else ""


@dataclasses.dataclass
class Command:
    words: list  # after the program's name
    aliases: list
    about: str
    usage: str
    positionals: list = dataclasses.field(default_factory=list)
    groups: dict = dataclasses.field(default_factory=dict)  # title: options
    commands: list = dataclasses.field(default_factory=list)
    footer: str = ""

    @property
    def options(self):
        return [option for options in self.groups.values() for option in options]

    def walk(self):
        yield self
        for command in self.commands:
            yield from command.walk()


# Choices that the help tells in a sentence. Those that it no longer tells are an error.
TOLD_CHOICES = {
    "--log-format": ["text", "json"],
    "--log-level": ["debug", "info", "warn", "error", "off"],
    "--probe-connections": ["fresh", "reuse"],
    "--kinds": ["poll", "probe", "both"],
}


def ask(program, *words):
    # A name of a link would be a command of kubectl-ome.
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env={**os.environ, "COLUMNS": "80"})
    if done.returncode != 0:
        raise Strange(f"{' '.join([program, *words])} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def version(program):
    return ask(program, "--version").split()[1]


def is_entry(line):
    return line.startswith("  ") and not line.startswith("   ")


def entries(lines):
    """(name, description) of the lines of a section, which are used up."""
    found = []
    while lines and lines[0].strip():
        line = lines.pop(0)
        if not is_entry(line):
            raise Strange(f"this is no option: {line}")
        below = []
        while lines and lines[0].startswith(" " * COLUMN):
            below.append(lines.pop(0).strip())
        # Of a name that is longer than its column the whole text stands below.
        alone = below and (line[COLUMN - 1:COLUMN].strip() or re.match(r"Needs:|Excludes:|REQUIRED|\.\.\.", line[COLUMN:]))
        name, about = (line, "") if alone else (line[:COLUMN], line[COLUMN:])
        found.append((name.strip(), joined([about.strip(), *below])))
    return found


def joined(lines):
    """A list that was too long for a line goes on behind a comma."""
    text = ""
    for line in lines:
        open_list = re.search(r"\[[^\s\]]*,$", text)
        text += line if open_list or not text else " " + line
    return text.strip()


def option_of(name, about):
    names, _, rest = name.partition(" ")
    rest = re.sub(r"\s*(Needs|Excludes): .*$", "", rest)
    rest = re.sub(r"\s*REQUIRED$", "", rest).strip()
    repeated = rest.endswith("...")
    rest = rest.removesuffix("...").strip()
    rest, _, default = rest.partition("=")
    choices = re.search(r":\{([^}]*)\}$", rest)
    value = rest[:choices.start()] if choices else rest
    known = choices[1].split(",") if choices else TOLD_CHOICES.get(names.split(",")[-1], [])
    for word in known:
        if not choices and word not in about:
            raise Strange(f"{names} tells of no choice {word}: {about}")
    optional = value.startswith("[") and value.endswith("]")
    if optional:
        value = value[1:-1]
        known = value.split("|")
    return Option(names.split(","), value, known, optional, default, repeated, about)


def is_heading(lines):
    return (re.fullmatch(r"[A-Z][^:]*:", lines[0]) is not None and len(lines) > 1 and
            (lines[0] in ("Positionals:", "Subcommands:") or re.match(r"  --?[A-Za-z]", lines[1])))


def read_command(program, words, aliases):
    text = ask(program, *words, "--help")
    lines = text.split("\n")
    begin = next((i for i, line in enumerate(lines) if line.startswith("Usage: ")), None)
    if begin is None:
        raise Strange(f"{program} {' '.join(words)}: there is no line Usage:")
    end = begin + 1
    while lines[end].strip():
        end += 1
    usage = " ".join(line.strip() for line in lines[begin:end])
    command = Command(words, aliases, " ".join(lines[:begin]).strip(), usage.removeprefix("Usage: "))
    lines = lines[end:]
    below = []
    while lines:
        if not lines[0].strip():
            lines.pop(0)
        elif is_heading(lines):
            title = lines.pop(0).removesuffix(":")
            found = entries(lines)
            if title == "Subcommands":
                below = [name for name, _ in found]
            elif title == "Positionals":
                command.positionals = [option_of(name, about) for name, about in found]
            else:
                command.groups[title] = [option_of(name, about) for name, about in found]
        else:
            break
    command.footer = "\n".join(lines).strip("\n")
    if "Options" not in command.groups:
        raise Strange(f"{program} {' '.join(words)}: there is no list of options")
    for name in below:
        first, *others = [word.strip() for word in name.split(",")]
        command.commands.append(read_command(program, [*words, first], others))
        command.commands[-1].footer = own_footer(command, command.commands[-1])
    return command


def own_footer(group, command):
    """CLI11 gives a command without a footer that of its group."""
    return "" if command.footer == group.footer else command.footer


def read(program):
    return read_command(program, [], [])
