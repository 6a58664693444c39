"""What the programs say with --help: their commands and flags."""
import os
import pathlib
import re
import subprocess
import sys

import markdown

sys.path.insert(0, str(markdown.ROOT / "tools/manual_parts"))
import help_text  # noqa: E402

WHERE = {"ome-observer": ("OME_OBSERVER", "src/observer/ome-observer"),
         "ome-trafficmap": ("OME_TRAFFICMAP", "src/controller/ome-trafficmap"),
         "kubectl-ome": ("OME_KUBECTL_OME", "src/kubectl/kubectl-ome"),
         "ome-homesim": ("OME_HOMESIM", "tools/homesim/ome-homesim")}
# A flag that stands in each help and in no table.
OF_ALL = {"-h", "--help", "--help-all"}


def program(name):
    variable, place = WHERE[name]
    return pathlib.Path(os.environ.get(variable) or markdown.ROOT / "build" / place)


def conformance():
    """It has no --help: what runs the cases."""
    return pathlib.Path(os.environ.get("OME_CONFORMANCE") or markdown.ROOT / "build/tests/conformance")


class Helps:
    """`commands`: {"ome-observer status": {"--url": "its text", ...}, ...}; aliases have the text, too."""

    def __init__(self):
        self.commands = {}
        self.texts = {}    # {"ome-observer status": all that it says}
        self.others = {}   # {another name of a command: its first name}
        for name in WHERE:
            self.read(name, [])

    def read(self, name, words):
        said = subprocess.run([program(name), *words, "--help"], capture_output=True, text=True, timeout=20)
        if said.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(words)} --help: exit code {said.returncode}: {said.stderr}")
        flags, commands = self.parse(said.stdout)
        self.commands[" ".join([name, *words])] = flags
        self.texts[" ".join([name, *words])] = said.stdout
        for command, *others in commands:
            self.read(name, [*words, command])
            for other in others:
                self.others[" ".join([name, *words, other])] = " ".join([name, *words, command])

    @staticmethod
    def parse(text):
        flags, commands, section, told = {}, [], "", []
        for line in text.split("\n"):
            title = re.match(r"^(\S[^:]*):\s*$", line)
            entry = re.match(r"^  (\S+)(.*)$", line)
            if title:
                section = title[1]
            elif section.lower().startswith(("example", "exit")):
                continue
            elif entry and entry[1].startswith("-"):
                told = entry[1].split(",")
                for flag in told:
                    flags[flag] = entry[2].strip()
            elif line.startswith(" " * help_text.COLUMN):   # more of its text
                for flag in told:
                    flags[flag] = f"{flags[flag]} {line.strip()}".strip()
            elif entry and section.lower() == "subcommands":
                commands.append(re.match(r"^  ((?:[\w-]+, )*[\w-]+)", line)[1].split(", "))
        return {flag: text for flag, text in flags.items() if flag not in OF_ALL}, commands

    def resolve(self, name, words):
        """(command, its flags and those of what it belongs to, the other words); no flags: not known."""
        known, rest = dict(self.commands[name]), list(words)
        command = name
        at = 0
        while at < len(rest):
            longer = self.others.get(f"{command} {rest[at]}", f"{command} {rest[at]}")
            if longer in self.commands:
                command = longer
                known.update(self.commands[longer])
                rest.pop(at)
            elif rest[at].startswith("-"):
                at += 1
            else:
                break
        return command, known | {flag: "" for flag in OF_ALL}, rest

    def all_flags(self):
        return {flag for flags in self.commands.values() for flag in flags} | OF_ALL
