"""A block of commands as single commands, and what is looked at without running them."""
import re
import shlex
import subprocess

import markdown

PROGRAMS = ("ome-observer", "ome-trafficmap", "kubectl-ome", "ome-homesim")
OF_THE_TREE = re.compile(r"^(?:deploy|docs|tools|tests|src|web|\.ci)/\S+$")


def is_complete(text):
    """Whether a shell would run it now, or wait for more of it."""
    said = subprocess.run(["bash", "-n", "-c", text], capture_output=True, text=True, timeout=10)
    return not text.endswith("\\") and "end of file" not in said.stderr and "end-of-file" not in said.stderr \
        and "looking for matching" not in said.stderr


def split(text):
    """The commands of a block; one may have several lines. Comments alone are none."""
    found, held = [], []
    for line in text.split("\n"):
        held.append(line)
        command = "\n".join(held)
        if not is_complete(command):
            continue
        held = []
        if command.strip() and not command.strip().startswith("#"):
            found.append(command)
    return found + (["\n".join(held)] if "".join(held).strip() else [])


def is_background(command):
    return re.search(r"(?<!&)&\s*(?:#.*)?$", command) is not None


def without_ampersand(command):
    return re.sub(r"(?<!&)&\s*(?:#.*)?$", "", command)


def simple_commands(command):
    """Lists of words, cut at pipes and the like; what no shell words can be made of is left out."""
    try:
        lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=";&|()<>")
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return []
    found = [[]]
    for word in words:
        if set(word) <= set(";&|()"):
            found.append([])
        else:
            found[-1].append(word)
    return [words for words in found if words]


def missing_files(command):
    """Files of the project that it names and that are not there."""
    for words in simple_commands(command):
        for word in words if words[0] != "ninja" else []:   # of that they are targets
            path = word.partition("=")[2] if word.startswith("--") and "=" in word else word
            if OF_THE_TREE.match(path) and "..." not in path and not list(markdown.ROOT.glob(path.rstrip("/"))):
                yield path


def program_call(words):
    """(program, arguments) of a command of ours, however it is called; None."""
    for at, word in enumerate(words):
        begins = at == 0 or words[at - 1] == "--" or re.match(r"^\w+=", words[at - 1])
        name = word.rsplit("/", 1)[-1]
        if begins and name in PROGRAMS:
            return name, words[at + 1:]
        if begins and name == "kubectl" and words[at + 1:at + 2] == ["ome"]:
            return "kubectl-ome", words[at + 2:]
    return None


def text_of_scripts(script):
    """A script with the modules that it may have its flags from."""
    folders = (markdown.ROOT / "tests/bench/load", (markdown.ROOT / script).parent)
    paths = [markdown.ROOT / script, *(path for folder in folders for path in folder.glob("*.py"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def wrong_flags(command, helps):
    """Flags that the command does not have. `helps`: helps.Helps."""
    for words in simple_commands(command):
        call = program_call(words)
        script = next((word for word in words if re.match(r"^(?:tools|tests|\.ci)/", word)), None)
        if call:
            name, known, arguments = helps.resolve(*call)
            if known is None:
                continue
            for word in arguments:
                flag = word.split("=", 1)[0]
                if re.match(r"^--?[A-Za-z]", flag) and flag not in known and flag[:2] not in known:
                    yield f"{name} has no {flag}"
        elif script and (markdown.ROOT / script).is_file():
            text = text_of_scripts(script)
            for word in words[words.index(script) + 1:]:
                flag = word.split("=", 1)[0]
                if flag.startswith("--") and len(flag) > 2 and flag not in text:
                    yield f"{script} has no {flag}"
