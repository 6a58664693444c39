#!/usr/bin/env python3
"""Holds docs/field-cases.md and the tests together.

Usage: tools/check_field_cases.py [ROOT]

A test that the table names must exist; a test that carries a number (F01_...) must be named, in the row
of that number. Exit codes: 0 ok, 1 one is not, 2 wrong usage.
"""
import pathlib
import re
import sys

from test_names import named_in, tests_of

ROW = re.compile(r"^\| (F\d\d) \|.*\| (.*) \|$", re.MULTILINE)
NUMBER = re.compile(r"(?<![A-Za-z0-9])F\d\d(?=_)|F\d\d(?=A)")


def rows_of(text):
    """{"F01": {"Suite.Name", ...}, ...}"""
    return {number: named_in(tests) for number, tests in ROW.findall(text)}


def problems(rows, tests):
    for number, named in rows.items():
        if not named:
            yield f"{number} names no test"
        for name in sorted(named - tests):
            yield f"{number} names {name}, which does not exist"
    for name in sorted(tests):
        for number in NUMBER.findall(name.split(".")[1]):
            if name not in rows.get(number, ()):
                yield f"{name} is not in the row of {number}"


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[1])
    if len(arguments) > 1 or not (root / "docs/field-cases.md").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    rows = rows_of((root / "docs/field-cases.md").read_text(encoding="utf-8"))
    tests = tests_of(root)
    found = list(problems(rows, tests))
    for problem in found:
        print(f"docs/field-cases.md: {problem}")
    print(f"{len(rows)} cases, {len(found)} problems")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
