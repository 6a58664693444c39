#!/usr/bin/env python3
"""Holds the threat table of SECURITY.md and the tests together.

Usage: tools/check_security.py [ROOT]

Each row must name a test in its last cell, and each name must be that of a test that there is: a case
(`Suite.Name`) or a whole test of a meson.build (`fuzz-corpus`). Exit codes: 0 ok,
1 one does not, 2 wrong usage.

Example: tools/check_security.py
"""
import pathlib
import re
import sys

from test_names import named_in, suites_of, tests_of

ROW = re.compile(r"^\| (T\d+) \|.*\| ([^|]*) \|$", re.MULTILINE)


def problems(rows, tests):
    for number, cell in rows:
        named = named_in(cell)
        if not named:
            yield f"{number} names no test"
        for name in sorted(named - tests):
            yield f"{number} names {name}, which does not exist"
    numbers = [number for number, _ in rows]
    for number in sorted({one for one in numbers if numbers.count(one) > 1}):
        yield f"{number} is there twice"


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[1])
    if len(arguments) > 1 or not (root / "SECURITY.md").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    rows = ROW.findall(text)
    found = list(problems(rows, tests_of(root) | suites_of(root)))
    written = len(re.findall(r"^\| T\d+", text, re.MULTILINE))
    if written != len(rows):
        found.append(f"{written - len(rows)} rows cannot be read")
    for problem in found:
        print(f"SECURITY.md: {problem}")
    print(f"{len(rows)} threats, {len(found)} problems")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
