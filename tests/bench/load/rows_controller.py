"""Row 11: the controller. Its start with many services is tests/bench/controller's."""
import argparse
import importlib.machinery
import importlib.util
import json
import shlex
import sys
import time

from . import machine, peer_output, programs

RENDERED = 10000
HOMES_OF_A_SERVICE = 4
PORTS = 16
RENDER, START = "render", "start with the file store"


def _bench_script():
    """tests/bench/controller as a module."""
    loader = importlib.machinery.SourceFileLoader("controller_bench",
                                                  str(programs.ROOT / "tests/bench/controller"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    made = importlib.util.module_from_spec(spec)
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(made)
    finally:
        sys.dont_write_bytecode = keep
    return made


def reading(number):
    """What the observer answers of one service whose homes are all well."""
    homes = [{"cluster": f"worker-{home}",
              "endpoint": f"http://127.0.0.1:7490/h/home-{number * HOMES_OF_A_SERVICE + home}",
              "capacity": {"ceiling": 1 + (number + home) % 9, "fallbackReason": "",
                           "validUntil": "2100-01-01T00:00:00Z"},
              "probe": {"result": "Passing", "message": "HTTP 200", "gated": False, "conclusive": True,
                        "consecutiveFailures": 0, "consecutivePasses": 0,
                        "lastProbeTime": "2026-01-01T00:00:00Z"}}
             for home in range(HOMES_OF_A_SERVICE)]
    return {"namespace": "bench", "name": f"s{number}", "suspended": False, "homes": homes}


def _write_input(bench, script, options, count):
    """Arguments of render for so many services."""
    folder = bench.folder
    items = [script.manifest(number, HOMES_OF_A_SERVICE, [7490] * PORTS) for number in range(count)]
    files = {"isvc": {"apiVersion": "v1", "kind": "List", "items": items},
             "readings": {"services": [reading(number) for number in range(count)]},
             "config": script.config(options, True)}
    for name, document in files.items():
        (folder / f"{name}-{count}.json").write_text(json.dumps(document))
    return [word for name in files for word in (f"--{name}", folder / f"{name}-{count}.json")]


def _render(bench, arguments):
    """CPU seconds, its own start included, and what it printed."""
    command = [*bench.programs.on_client_core(), bench.programs.trafficmap_path, "render",
               *map(str, arguments), "-o", "json", "--now", "2026-06-01T00:00:00Z"]
    return machine.run_to_end(command, 120)


def _rendered(bench, few, many):
    def run():
        begun, ended = _render(bench, few), _render(bench, many)
        made = json.loads(ended.output[ended.output.index("{"):])
        if len(made["items"]) != RENDERED:
            raise RuntimeError(f"render made {len(made['items'])} of {RENDERED} maps")
        cpu = ended.cpu - begun.cpu
        return {"cpuMicroseconds": 1e6 * cpu / RENDERED, "perSecond": RENDERED / cpu}
    return run


def _started(options, script, count):
    def run():
        fleet = script.Fleet(options, count)
        try:
            made = {"settledSeconds": fleet.settle(120)}
            for name, process in (("controller", fleet.controller), ("observer", fleet.observer.process)):
                made[f"{name}Cpu"], made[f"{name}MiB"] = fleet.cost(process)
            before, cpu = fleet.metrics(), fleet.cost(fleet.controller)[0]
            made["cpuMicrosecondsInAPass"] = 1e6 * _turns(before) / max(before["ome_trafficmap_passes_total"], 1)
            time.sleep(10)
            passes = fleet.metrics()["ome_trafficmap_passes_total"] - before["ome_trafficmap_passes_total"]
            made["passesPerSecond"] = passes / 10
            made["busyPercent"] = 100 * (fleet.cost(fleet.controller)[0] - cpu) / 10
            return made
        finally:
            fleet.stop()
    return run


def _turns(values):
    return peer_output.total(values, "ome_trafficmap_turn_seconds_sum")


def controller(bench, row):
    script = _bench_script()
    script.OBSERVER, script.HOMESIM = bench.programs.observer_path, bench.programs.homesim_path
    script.TRAFFICMAP = bench.programs.trafficmap_path
    options = argparse.Namespace(homes=HOMES_OF_A_SERVICE, period="10s",
                                 launcher=shlex.join(bench.programs.launcher))
    few, many = (_write_input(bench, script, options, count) for count in (1, RENDERED))
    count = bench.seconds(10000, 1000)
    bench.interleave(row, [(RENDER, _rendered(bench, few, many)), (START, _started(options, script, count))],
                     bench.options.runs)
    row.least("services rendered in a second of CPU", row.median(RENDER, "perSecond"), 10000)
    row.most("a pass, us (turn_seconds / passes_total)", row.median(START, "cpuMicrosecondsInAPass"), 100)
    row.most(f"{count:,} services settled, s", row.median(START, "settledSeconds"), 10)
    row.notes.append(f"{HOMES_OF_A_SERVICE} homes a service; render: JSON in, JSON out, all of its CPU but that "
                     "of one service; the start: folder store, observer, 40,000 polls and probes and the homes "
                     "on the same two cores. A pass is told by the clock, and is longer on a busy machine")
