"""The command line of tools/loadtest."""
import argparse
import os
import pathlib
import shlex
import signal
import sys
import tempfile
import time

from . import bench, machine, programs, report, results
from .rows import ROWS

ABOUT = """Measures the observer and the controller beside their peers, on this machine.

Builds the programs (build-bench/) and the Go observer, starts homes on core 0 and what is measured on
core 1, and prints a Markdown table. A peer that is not installed is left out by name (tools/setup bench
installs all but Go). Timings are told and never judged: the exit code is 0 when everything was measured,
1 when something did not work at all, 2 for wrong arguments."""

EXAMPLES = """Examples:
  tools/loadtest --list
  tools/loadtest --row 1 --quick                     # does it work here? half a minute
  tools/loadtest --row 1 --row 3 --pairs 9
  tools/loadtest --all --output new.json --markdown new.md
  tools/loadtest --row 1 --output new.json           # the other rows of new.json stay
  tools/loadtest --row 1 --compare old.json          # ratios new / old
  tools/loadtest --show new.json --compare old.json  # the same, without measuring
  tools/loadtest --show new.json --markdown docs/performance.md   # its figures, between the marks
  tools/loadtest --row 1 --build-dir build-lto --setup=-Db_lto=true    # do other options of the build help?
  tools/loadtest --row 6 --minutes 10                # drift over a longer time
  tools/loadtest --row 1 --launcher 'chrt --rr 5'    # on a busy machine: goes before everything else
"""


WHERE_TO = ("--output", "--markdown", "--compare")


def _count(least):
    def read(text):
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"({text}) must be a whole number from {least}")
        return number
    return read


def parser():
    made = argparse.ArgumentParser("tools/loadtest", description=ABOUT, epilog=EXAMPLES,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    what = made.add_argument_group("what is done (one of these)")
    what.add_argument("--row", action="append", choices=list(ROWS), metavar="ROW",
                      help="this row; may be repeated")
    what.add_argument("--all", action="store_true", help="all rows; at most about 25 minutes")
    what.add_argument("--list", action="store_true", help="name the rows")
    what.add_argument("--show", metavar="FILE.json", help="measure nothing, show this")
    how = made.add_argument_group("how")
    how.add_argument("--pairs", type=_count(1), default=None, help="alternating pairs of rows 1 to 4 (5)")
    how.add_argument("--runs", type=_count(1), default=None, help="interleaved runs of other rows (3)")
    how.add_argument("--quick", action="store_true", help="shorter, for trying: one run, short windows")
    how.add_argument("--minutes", type=_count(1), default=0, help="length of row 6 (25 seconds)")
    how.add_argument("--noise", type=float, default=6, help="%% of the machine that others may use (6)")
    how.add_argument("--repeats", type=_count(0), default=None,
                     help="how many noisy runs of a row are made again (one for three runs)")
    how.add_argument("--limit", type=_count(1), default=40,
                     help="minutes after which no further row or round begins (40)")
    how.add_argument("--launcher", default="", help="words before every program, as 'chrt --rr 5'")
    how.add_argument("--build-dir", default=str(programs.ROOT / "build-bench"), metavar="FOLDER",
                     help="where to build (build-bench)")
    how.add_argument("--setup", default="", metavar="OPTIONS",
                     help="more options of meson setup for a new build folder, as -Db_lto=true")
    how.add_argument("--programs", metavar="FOLDER", help="measure those of this build, as they are")
    out = made.add_argument_group("where to")
    out.add_argument("--output", metavar="FILE.json", help="rows that are in it and not measured now stay")
    out.add_argument("--markdown", metavar="FILE.md", help="written between the marks, if it has them")
    out.add_argument("--compare", metavar="BASELINE.json", help="print ratios new / old, row by row")
    return made


def read(arguments):
    """The options; ends with 2 for what cannot be meant."""
    made = parser()
    options = made.parse_args(arguments)
    wanted = [bool(options.row), options.all, options.list, bool(options.show)]
    if sum(wanted) != 1:
        made.error("one of --row, --all, --list and --show must be given")
    if options.show and options.output:
        made.error("--output goes with --row or --all: --show measures nothing")
    options.pairs = options.pairs or (1 if options.quick else 5)
    options.runs = options.runs or (1 if options.quick else 3)
    if options.repeats is None:
        options.repeats = 0 if options.quick else options.runs
    return options


def measure(options, say):
    """The document."""
    names = list(ROWS) if options.all else sorted(set(options.row), key=list(ROWS).index)
    folder = pathlib.Path(options.programs or options.build_dir).resolve()
    if not options.programs:
        programs.build(folder, shlex.split(options.setup), say)
    with tempfile.TemporaryDirectory(prefix="ome-loadtest-") as scratch:
        scratch = pathlib.Path(scratch)
        go = programs.build_go_observer(scratch, say)
        started = programs.Programs(folder, go, shlex.split(options.launcher))
        versions = programs.versions(folder)
        for name, text in versions.items():
            say(text or f"no {name}")
        rows, failed = [], []
        around = bench.Bench(options, started, scratch, say)
        for name in names:
            if around.over():
                say(f"row {name} is left out: the time is over")
                failed.append(name)
                continue
            row = measure_row(around, name)
            rows.append(row)
            failed += [name] if row.notes and row.notes[-1].startswith("failed:") else []
    return {"format": report.FORMAT, "measured": results.now(), "machine": machine.describe(),
            "versions": versions, "rows": rows}, failed


def own_command(arguments):
    """How this was called, without where results go to."""
    said, skip = ["tools/loadtest"], False
    for word in arguments:
        if not skip and word.split("=", 1)[0] not in WHERE_TO:
            said.append(word)
        skip = word in WHERE_TO
    return shlex.join(said)


def measure_row(around, name):
    """One row; what goes wrong in it is told and does not end the others."""
    work, function = ROWS[name]
    row = results.Row(name, work, measured=results.now(), command=own_command(sys.argv[1:]))
    begun = time.monotonic()
    try:
        function(around, row)
    except programs.Missing as problem:
        row.notes.append(f"skipped: {problem}")
    except (RuntimeError, OSError, ValueError) as problem:
        row.notes.append(f"failed: {problem}")
        around.say(f"row {name} failed: {problem}")
    row.seconds = round(time.monotonic() - begun, 1)
    return row


def write(options, document):
    if options.output:
        output = pathlib.Path(options.output)
        if output.exists():
            document = report.merged(document, report.load(output), list(ROWS))
        output.write_text(report.to_json(document))
    if options.markdown:
        report.write_markdown(options.markdown, report.to_markdown(document))


def main():
    options = read(sys.argv[1:])
    if options.list:
        for name, (work, _) in ROWS.items():
            print(f"{name:>3}  {work}")
        return 0
    try:
        baseline = report.load(options.compare) if options.compare else None
        shown = report.load(options.show) if options.show else None
        if options.output and os.path.exists(options.output):
            report.load(options.output)
    except (OSError, ValueError) as problem:
        print(f"tools/loadtest: {problem}", file=sys.stderr)
        return 2
    failed = []
    document = shown
    if document is None:
        reason = machine.unfit()
        if reason:
            print(f"tools/loadtest: nothing can be measured here: {reason}", file=sys.stderr)
            return 1
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))   # ends what was started here, too
        programs.raise_descriptor_limit()
        try:
            document, failed = measure(options, bench.Progress(sys.stderr))
        except KeyboardInterrupt:
            return 1
        except (RuntimeError, OSError) as problem:
            print(f"tools/loadtest: {problem}", file=sys.stderr)
            return 1
    write(options, document)
    print("\n".join(report.compare(document, baseline)) if baseline else report.to_markdown(document))
    return 1 if failed else 0
