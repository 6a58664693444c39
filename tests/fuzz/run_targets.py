#!/usr/bin/env python3
"""Runs built fuzzers and tells executions, coverage and findings; tools/fuzz builds them first.

Usage: tests/fuzz/run_targets.py [--build DIR] [--seconds N] [--jobs N] [--json FILE] TARGET...

  --build DIR  where the fuzzers are built (build-fuzz)
  --seconds N  for each target (60)
  --jobs N     at once (1)
  --json FILE  the table as a list

Coverage: edges of the program that were reached (`cov` of libFuzzer), and features, which also count how
often. The exit code is 1 when a target has a finding or did not run.

Example: tests/fuzz/run_targets.py --seconds 120 drain history
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests/fuzz/corpus"
STATUS = re.compile(r"^#(\d+)\s.*?\bcov: (\d+) ft: (\d+)", re.MULTILINE)
DONE = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
PROPERTY = re.compile(r"^(?:does not hold: .*|SUMMARY: .*|==\d+== ERROR: .*)$", re.MULTILINE)


def fuzz(target, options):
    """One target, to its end; what it says is in DIR/logs/TARGET.log."""
    build = options.build
    corpus, findings, logs = build / "corpus" / target, build / "findings" / target, build / "logs"
    for folder in (corpus, findings, logs):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    command = [build / "tests/fuzz" / f"fuzz_{target}", f"-max_total_time={options.seconds}", "-max_len=4096",
               "-timeout=25", "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={findings}/",
               corpus, KEPT / target]
    begun = time.monotonic()
    with open(logs / f"{target}.log", "w+", encoding="utf-8", errors="replace") as log:
        try:
            code = subprocess.run(command, stdout=log, stderr=log, timeout=options.seconds + 300,
                                  check=False).returncode
        except (subprocess.TimeoutExpired, OSError) as problem:
            log.write(f"{problem}\n")
            code = -1
        log.seek(0)
        said = log.read()
    statuses, done = STATUS.findall(said), DONE.search(said)
    # What was merely slow is no finding: a busy machine makes anything slow.
    new = sorted(str(path) for path in set(findings.iterdir()) - before if not path.name.startswith("slow-unit-"))
    told = PROPERTY.search(said)
    return {"target": target, "seconds": round(time.monotonic() - begun), "code": code,
            "executions": int(done[1]) if done else int(statuses[-1][0]) if statuses else 0,
            "edges": int(statuses[-1][1]) if statuses else 0,
            "features": int(statuses[-1][2]) if statuses else 0,
            "corpus": len(list(corpus.iterdir())), "findings": new,
            "told": told[0] if told and code != 0 else ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-fuzz")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    row = "{:<12} {:>8} {:>12} {:>8} {:>9} {:>8} {:>9}  {}"
    print(row.format("target", "seconds", "executions", "edges", "features", "corpus", "findings", ""), flush=True)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(fuzz, target, options) for target in options.targets]
        for one in concurrent.futures.as_completed(running):
            result = one.result()
            results.append(result)
            print(row.format(result["target"], result["seconds"], result["executions"], result["edges"],
                             result["features"], result["corpus"], len(result["findings"]), result["told"]),
                  flush=True)
    if options.json:
        options.json.write_text(json.dumps(sorted(results, key=lambda one: one["target"]), indent=1) + "\n")
    wrong = [one for one in results if one["code"] != 0]
    print(f"{len(results)} targets, {sum(one['executions'] for one in results)} executions, {len(wrong)} with a finding")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
