"""What the scripts of this folder share: named cases with named checks, and what no output may hold."""
import argparse
import json
import pathlib
import re
import signal
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))

# Controls but for line end and tab, and what turns the direction of text or is a line end to some.
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e"
                   "\u2066-\u2069\ufeff]")


class Skipped(Exception):
    """A case cannot be tried here; why."""


class Case:
    def __init__(self, options):
        self.options, self.failed, self.figures, self.count = options, [], [], 0

    def check(self, rule, good, seen=None):
        self.count += 1
        if not good:
            self.failed.append(f"{rule}" + ("" if seen is None else f" -- seen: {str(seen)[:1500]}"))
        return bool(good)

    def only_plain(self):
        """What a sanitizer does to a process has other bounds."""
        if self.options.sanitized:
            raise Skipped("under a sanitizer")

    def show(self, figure):
        self.figures.append(figure)

    def check_text(self, where, data):
        """Fit for a terminal and for a log: UTF-8 without controls. The text."""
        data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            self.check(f"{where} is UTF-8", False, error)
            return data.decode(errors="replace")
        found = UNFIT.search(text)
        self.check(f"{where} holds no control character", not found,
                   found and text[max(0, found.start() - 80):found.end() + 20].encode())
        return text

    def check_json(self, where, data, lines=False):
        """JSON whose strings are fit to show as well. The document, or those of the lines."""
        text = self.check_text(where, data)
        try:
            documents = [json.loads(line) for line in text.splitlines() if line] if lines else \
                [json.loads(text)]
        except ValueError as error:
            self.check(f"{where} is JSON", False, f"{error}: {text[:300]}")
            return None
        unfit = [said for said in strings_of(documents) if UNFIT.search(said)]
        self.check(f"the strings of {where} hold no control character", not unfit, unfit[:3])
        return documents if lines else documents[0]


def strings_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from strings_of(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings_of(member)


def wait(condition, patience=30.0):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


def parser_for(text, programs):
    """--PROGRAM PATH for each, and names of cases."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0], epilog=text,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, path in programs.items():
        parser.add_argument(f"--{name}", default=str(ROOT / "build" / path))
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--sanitized", action="store_true",
                        help="the programs are built with a sanitizer: leaves out what that changes")
    parser.add_argument("--list", action="store_true", help="names and subjects of the cases")
    return parser


def run_cases(cases, options, parser):
    """`cases`: functions of a Case; their doc strings say what they are about. The exit code."""
    known = {case.__name__.replace("_", "-"): case for case in cases}
    if options.list:
        for name, case in known.items():
            print(f"{name:28} {case.__doc__.strip().splitlines()[0]}")
        return 0
    if strange := [name for name in options.cases if name not in known]:
        parser.error(f"no such case: {' '.join(strange)} (see --list)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that programs started here end too
    passed = failed = 0
    for name in options.cases or known:
        case, begun, verdict = Case(options), time.monotonic(), "ok"
        try:
            known[name](case)
        except Skipped as reason:
            verdict = f"skipped: {reason}"
        except Exception:  # noqa: BLE001 - the other cases still count
            case.failed.append(traceback.format_exc())
        verdict = "FAILED" if case.failed else verdict
        failed, passed = failed + bool(case.failed), passed + (verdict == "ok")
        print(f"{verdict:7} {name}  [{case.count} checks, {time.monotonic() - begun:.0f} s]"
              + "".join(f"  {figure}" for figure in case.figures), flush=True)
        for rule in case.failed[:12]:
            print(f"        {rule}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed + failed and not options.cases else 0
