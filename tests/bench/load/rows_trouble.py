"""Row 8: half of the homes stall until their timeout."""
import json
import time

from . import figures, fleet, observation, programs
from .results import OURS

HOMES = 10000
PER_SERVICE = 10
PERIOD, TIMEOUT = 1, 0.5
MANY_SLOTS = 4096        # half of the homes times timeout / period are 2,500
FEW_SLOTS = 1024
RECONCILERS = 8


def _requests(sim):
    """How often the homes were asked: the first 1,000, in order."""
    homes = json.loads(programs.fetch(sim.said["control"] + "/homes"))["homes"]
    return [home["poll"]["requests"] for home in homes]


def _stall(sim):
    for digit in "02468":
        sim.set(f"home-*{digit}", {"poll": {"stall": "before-head"}})


def shares(before, after, seconds):
    """Achieved / wanted attempts of each home."""
    return [(late - early) / (seconds / PERIOD) for early, late in zip(before, after)]


def by_service(of_homes):
    return [sum(of_homes[first:first + PER_SERVICE]) / PER_SERVICE
            for first in range(0, len(of_homes), PER_SERVICE)]


def _told(of_homes):
    healthy = of_homes[1::2]
    return {"healthyAchievedMean": sum(healthy) / len(healthy), "healthyAchievedLeast": min(healthy),
            "jainOfServices": figures.jain(by_service(of_homes))}


def _observed(bench, sim, declared, slots, window):
    """The start is out of the percentiles of the last 20 s when the window ends."""
    with bench.programs.observer(slots=slots) as observer:
        fleet.declare(observer, declared)
        time.sleep(bench.seconds(8, 11))
        begun, before = time.monotonic(), _requests(sim)
        measured = observation.Window(observer)
        time.sleep(window)
        made = measured.close()
        seconds, after = time.monotonic() - begun, _requests(sim)
        told = _told(shares(before, after, seconds))
        for figure in ("failed", "failedPercent", "connects"):   # half of all fail, as they should
            made.pop(figure)
        return {**made, **told, **observation.recent_lateness(observer)}


def _reconciled(bench, urls, window):
    """Figures of the homes come from the Go observer's own counts."""
    homes = fleet.write_lines(bench.folder / "homes", urls)
    text = bench.programs.go("-mode", "reconcile", "-homes", homes, "-per-service", PER_SERVICE, "-workers",
                             RECONCILERS, "-period", f"{PERIOD}s", "-timeout", f"{int(1000 * TIMEOUT)}ms",
                             "-warm-up", "4s", "-duration", f"{window}s", "-per-home", limit=90)
    made = observation.go_figures(text)
    made.pop("failed")
    told = json.loads(text.splitlines()[-1])
    return {**made, **_told(shares([0] * HOMES, told["perHome"], told["seconds"]))}


def half_stalls(bench, row):
    window = bench.seconds(15, 10)
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        endpoints = fleet.plain(HOMES, sim.ports()[0])
        _stall(sim)
        declared = fleet.services(endpoints, PER_SERVICE, capacity=fleet.capacity(
            f"{PERIOD}s", f"{int(1000 * TIMEOUT)}ms"))
        few = f"{OURS}, {FEW_SLOTS} slots"
        bench.interleave(row, [
            (OURS, lambda: _observed(bench, sim, declared, MANY_SLOTS, window)),
            (few, lambda: _observed(bench, sim, declared, FEW_SLOTS, window)),
            ("reconcile loop, 8 workers (Go)",
             lambda: _reconciled(bench, [one + "/capacity" for one in endpoints], window))],
            bench.options.runs)
    row.most("enough slots: lateness p99, ms", row.median(OURS, "latenessP99"), 2)
    row.most("enough slots: lateness max, ms", row.median(OURS, "latenessMax"), 20)
    row.least("enough slots: achieved / wanted of the worst healthy home",
              row.median(OURS, "healthyAchievedLeast"), 0.9)
    row.most("reconcile loop: achieved / wanted of healthy homes, mean (the reference stalls)",
             row.median("reconcile loop, 8 workers (Go)", "healthyAchievedMean"), 0.5)
    row.least("too few slots: Jain index of services", row.median(few, "jainOfServices"), 0.95)
    row.notes.append(f"{HOMES} homes at {PERIOD} s, every second one never answers, timeout {TIMEOUT} s; "
                     f"{MANY_SLOTS} slots are enough, {FEW_SLOTS} are not; attempts are counted at the first "
                     "1,000 homes")
