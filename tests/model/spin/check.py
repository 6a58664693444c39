#!/usr/bin/env python3
"""Checks the models of this folder with Spin, and that each breaks when it is broken on purpose.

Usage: tests/model/spin/check.py [--long] [--only MODEL] [--json FILE]

  --long        also the largest claims, which take minutes and 2 GB (otherwise they are bounded smaller)
  --only MODEL  election, handover or declaration (all)
  --json FILE   the results, as a list

Needs `spin` and `gcc`; without them it says so and ends with 77, which a test suite takes for skipped.
Exit code 1: a property does not hold, or a mutation went unnoticed; 2: the command line is wrong.

Example: tests/model/spin/check.py --only handover
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 1200  # seconds for one claim

# (model, claim of LTL or None for the assertions, definitions, whether it is for --long only)
HOLDS = [
    ("election", None, [], True),
    ("handover", None, ["TROUBLES=4"], False),
    ("handover", None, ["TROUBLES=6"], True),
    ("handover", "corrected", ["TROUBLES=3"], False),
    ("handover", "corrected", ["TROUBLES=5"], True),
    ("declaration", None, ["TROUBLES=5"], False),
    ("declaration", "declared_again", ["TROUBLES=4"], False),
    ("declaration", "forgotten", ["TROUBLES=4"], False),
]
BREAKS = [
    ("election", None, ["M_SHORT_WAIT"]),
    ("election", None, ["M_CLOCK_STOPS"]),
    ("election", None, ["M_COUNT_FROM_ANSWER"]),
    ("election", None, ["M_RELEASE_WHILE_LEADING"]),
    ("election", None, ["M_LONG_REQUEST"]),
    ("handover", None, ["TROUBLES=3", "M_KEEP_CACHE"]),
    ("handover", None, ["TROUBLES=3", "M_KEEP_HISTORY"]),
    ("handover", None, ["TROUBLES=3", "M_NO_STORED_GATE"]),
    ("handover", None, ["TROUBLES=3", "M_MALFORMED_UNDRAINS"]),
    ("handover", None, ["TROUBLES=3", "M_NO_RESTORE"]),
    ("handover", None, ["TROUBLES=3", "M_NO_VERSION"]),
    ("handover", "corrected", ["TROUBLES=3", "M_NO_LOOK"]),
    ("declaration", None, ["TROUBLES=3", "M_WATCH_HOLDS_NOTHING"]),
    ("declaration", None, ["TROUBLES=3", "M_NO_RESTORE"]),
    ("declaration", "declared_again", ["TROUBLES=3", "M_TELLS_ONCE"]),
    ("declaration", "declared_again", ["TROUBLES=3", "M_DEAF"]),
    ("declaration", "forgotten", ["TROUBLES=3", "M_NEVER_LAPSES"]),
]


def run(command, folder, timeout=PATIENCE):
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout, check=False)
    return made.returncode, made.stdout + made.stderr


def build(model, claim, definitions, folder):
    code, said = run(["spin", "-a", *(f"-D{one}" for one in definitions), str(HERE / f"{model}.pml")], folder)
    if code != 0 or not (folder / "pan.c").exists():
        raise RuntimeError(f"spin does not take {model}.pml: {said}")
    # Breadth first has the shortest counterexamples; cycles need depth first, with weak fairness.
    flags = ["-DNFAIR=4"] if claim else ["-DSAFETY", "-DBFS", "-DNOCLAIM"]
    code, said = run(["gcc", "-O1", "-w", *flags, "-o", "pan", "pan.c"], folder)
    if code != 0:
        raise RuntimeError(f"gcc does not take pan.c of {model}.pml: {said}")


def check(model, claim, definitions):
    """{"states", "depth", "errors", "told", "seconds"} of one exhaustive search."""
    with tempfile.TemporaryDirectory(prefix="ome-spin-") as made:
        folder = pathlib.Path(made)
        build(model, claim, definitions, folder)
        begun = time.monotonic()
        # A world at rest is no deadlock: -E.
        arguments = ["-a", "-f", "-m3000000", "-N", claim] if claim else ["-E"]
        _, said = run(["./pan", *arguments], folder)
        counts = re.search(r"depth reached (\d+), errors: (\d+)", said)
        states = re.search(r"^\s*(\d+) states, stored", said, re.MULTILINE)
        if not counts or not states or "search depth too small" in said or "out of memory" in said:
            raise RuntimeError(f"the search of {model} did not end: {said[-2000:]}")
        told = re.search(r"^pan:\d+: (.*)$", said, re.MULTILINE)
        return {"model": model, "claim": claim or "assertions", "definitions": definitions,
                "states": int(states[1]), "depth": int(counts[1]), "errors": int(counts[2]),
                "told": told[1] if told else "", "seconds": round(time.monotonic() - begun, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", choices=("election", "handover", "declaration"))
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    missing = [name for name in ("spin", "gcc") if not shutil.which(name)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed (tools/setup installs them)")
        return 77
    wanted = [(model, claim, definitions, False) for model, claim, definitions, only_long in HOLDS
              if options.long or not only_long]
    wanted += [(model, claim, definitions, True) for model, claim, definitions in BREAKS]
    wanted = [one for one in wanted if options.only in (None, one[0])]
    results, wrong = [], 0
    for model, claim, definitions, must_break in wanted:
        try:
            result = check(model, claim, definitions)
        except (RuntimeError, subprocess.TimeoutExpired) as problem:
            print(f"FAILED  {model} {' '.join(definitions)}: {problem}", flush=True)
            wrong += 1
            continue
        fine = (result["errors"] > 0) == must_break
        wrong += not fine
        results.append({**result, "must_break": must_break})
        print(f"{'ok' if fine else 'FAILED':6}  {model:11} {result['claim']:14} {' '.join(definitions):34} "
              f"{result['states']:>9} states, depth {result['depth']:>4}, {result['seconds']:>6} s  "
              f"{'broken as it must be' if must_break and fine else 'holds' if fine else result['told']}",
              flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + os.linesep)
    print(f"{len(wanted)} searches, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
