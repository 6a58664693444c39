"""Runs the commands of one page, in their order, in a folder of its own. Ports are those of the page, so the
caller has put this process into a network of its own (`run`)."""
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import helps
import markdown
import shell_commands

ONE_COMMAND = 20        # seconds
UNTIL_IT_LISTENS = 10
BETWEEN_TRIES = 0.25
# What a page may call without a cluster; a block with another one that is not there is passed over by name.
TOOLS = ("curl", "jq")


def line_pattern(line):
    """Columns move with what is in them, so two spaces in a line are two or more; those that begin it stay."""
    indent = len(line) - len(line.lstrip(" "))
    kinds = {"...": ".*?"}
    pieces = re.split(r"(\.\.\.| {2,})", line[indent:].rstrip())
    return " " * indent + "".join(kinds.get(piece, " {2,}" if piece.startswith("  ") else re.escape(piece))
                                  for piece in pieces)


def matches(expected, got):
    """`...` stands for anything in a line, alone on a line for any number of lines."""
    pattern = ""
    for line in expected.rstrip().split("\n"):
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else line_pattern(line) + r"[ \t]*\n"
    return re.fullmatch(pattern, got.rstrip() + "\n") is not None


def differences(expected, got):
    return "\n".join(difflib.unified_diff(expected.rstrip().split("\n"), got.rstrip().split("\n"),
                                          "the page", "what was printed", lineterm="", n=1))


def listening():
    """How many sockets of this network listen."""
    count = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if pathlib.Path(table).exists():
            count += sum(line.split()[3] == "0A" for line in pathlib.Path(table).read_text().splitlines()[1:])
    return count


def seconds_of(marks, word, default):
    for mark in marks:
        said = re.fullmatch(rf"{word} (\d+) s", mark)
        if said:
            return int(said[1])
    return default


class Session:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ome-docs-"))
        self.background = []       # (command, process, file with what it printed)
        for name in ("deploy", "tests/cases"):
            shutil.copytree(markdown.ROOT / name, self.folder / name)
        bin_folder = self.folder / "build/bin"
        bin_folder.mkdir(parents=True)
        for name, (_, place) in helps.WHERE.items():
            for link in (self.folder / "build" / place, bin_folder / name):
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(helps.program(name).resolve())
        (self.folder / "build/tests").mkdir()
        (self.folder / "build/tests/conformance").symlink_to(helps.conformance().resolve())
        self.environment = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(self.folder),
                            "LC_ALL": "C.UTF-8", "TERM": "dumb", "TZ": "UTC"}

    def close(self):
        for _, process, _ in self.background:
            self.end(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def end(process):
        """Each has a process group of its own, so nothing that it started is left."""
        for by, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            try:
                os.killpg(process.pid, by)
                process.wait(patience)
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue
        process.wait(5)

    def start(self, command):
        before = listening()
        out = open(self.folder / f".background-{len(self.background)}", "w+b")
        process = subprocess.Popen(["bash", "-c", shell_commands.without_ampersand(command)], cwd=self.folder,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        self.background.append((command, process, out))
        end = time.monotonic() + UNTIL_IT_LISTENS
        while time.monotonic() < end and process.poll() is None:
            if listening() > before:
                return ""
            time.sleep(0.02)
        return f"{command}\nhas ended, or does not listen after {UNTIL_IT_LISTENS} s:\n{self.printed(out)}"

    @staticmethod
    def printed(file):
        file.seek(0)
        return file.read().decode(errors="replace")[-3000:]

    def call(self, command, limit, stop_after=None):
        """(exit code, output). One that is stopped after a while may end as it likes."""
        process = subprocess.Popen(["bash", "-c", command], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            out, _ = process.communicate(timeout=stop_after or limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT if stop_after else signal.SIGKILL)
            try:
                out, _ = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, _ = process.communicate(timeout=5)
            code = 0 if stop_after else -1
        return code, out.decode(errors="replace")

    def run_once(self, block, commands):
        """What went wrong, or nothing; and what was printed."""
        wanted = next((int(mark.split()[1]) for mark in block.marks if re.fullmatch(r"exit \d+", mark)), 0)
        limit = seconds_of(block.marks, "takes", ONE_COMMAND)
        stop_after = seconds_of(block.marks, "stop after", None)
        printed = ""
        for command in commands:
            if shell_commands.is_background(command):
                problem = self.start(command)
                if problem:
                    return problem, printed
                continue
            code, out = self.call(command, limit, stop_after)
            printed += out if out.endswith("\n") or not out else out + "\n"
            right = wanted if command == commands[-1] else 0
            if code != right:
                ended = f"did not end within {limit} s" if code == -1 else f"ended with {code} instead of {right}"
                return f"{command}\n{ended}:\n{out[-3000:]}", printed
        return "", printed

    def run(self, block, expected):
        """What is wrong with a block of commands, empty: nothing; and whether the commands themselves failed."""
        commands = shell_commands.split(block.text)
        within = seconds_of(block.marks, "within", 0)
        end = time.monotonic() + within
        while True:
            problem, printed = self.run_once(block, commands)
            failed = bool(problem)
            if not failed and expected is not None and not matches(expected.text, printed):
                problem = f"{block.text}\n{differences(expected.text, printed)}"
            if not problem or time.monotonic() >= end or any(map(shell_commands.is_background, commands)):
                return problem, failed
            time.sleep(BETWEEN_TRIES)

    def ended_early(self):
        for command, process, out in self.background:
            if process.poll() not in (None, 0):
                yield f"{command}\nhas ended with {process.returncode}:\n{self.printed(out)}"


def missing_tool(block):
    for tool in TOOLS:
        if re.search(rf"(?<![\w-]){tool}\b", block.text) and shutil.which(tool) is None:
            return tool
    return None


def run_page(page):
    """{"passed": N, "problems": [...], "not_run": [[line, why]], "skipped": [[line, tool]]}"""
    result = {"passed": 0, "problems": [], "not_run": [], "skipped": []}
    session = Session()
    try:
        found = markdown.blocks(page)
        for at, block in enumerate(found):
            if block.language not in ("sh", "run"):
                continue
            reason = next((mark[len("not run:"):].strip() for mark in block.marks if mark.startswith("not run:")), None)
            if reason is not None:
                result["not_run"].append([block.line, reason])
                continue
            tool = missing_tool(block)
            if tool:
                result["skipped"].append([block.line, tool])
                continue
            following = found[at + 1] if at + 1 < len(found) and found[at + 1].language == "output" else None
            problem, failed = session.run(block, following)
            result["passed"] += not problem
            result["problems"] += [f"{page.name}:{block.line}: {problem}"] if problem else []
            if failed:
                break   # what follows builds on it
        result["problems"] += [f"{page.name}: {problem}" for problem in session.ended_early()]
        if result["problems"]:
            logs = [f"--- {command}\n{session.printed(out)}" for command, _, out in session.background]
            result["problems"][-1] += "\n" + "\n".join(logs)
    finally:
        session.close()
    return result
