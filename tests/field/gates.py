"""F: the gate, and changes of policy."""
import time

from stage import service


def follow(stage, watcher, cluster, steps, wanted, cycles=1):
    """Compares `gated` after each attempt with what it should be."""
    watcher.wait_results([cluster], len(steps) * cycles, len(steps) * cycles + 5)
    gated = [probe["gated"] for probe in watcher.home(cluster).probes][:len(wanted)]
    stage.check(f"{cluster}: the gate follows", gated == wanted, gated)


def any_failure_counts(stage):
    """F40 statuses, transport and timeouts count the same"""
    homes = stage.start_homes()
    steps = ["status;code=404", "hang", "ok", "status;code=503", "rst", "status;code=500", "ok", "ok"]
    endpoint = homes.sequence("mixed", steps)
    _, watcher = stage.observe([service("mixed", {"mixed": endpoint}, probe={})])
    follow(stage, watcher, "mixed", steps, [False] * 5 + [True] * 2 + [False])


def automaton(results, failures_to_gate=3, passes_to_lift=2):
    gated, failures, passes, seen = False, 0, 0, []
    for passing in results:
        failures = 0 if passing else failures + 1
        passes = passes + 1 if passing and gated else 0
        if failures >= failures_to_gate:
            gated = True
        if passes >= passes_to_lift:
            gated, passes = False, 0
        seen.append(gated)
    return seen


def every_cycle(stage):
    """F41 counters work the third time as the first"""
    homes = stage.start_homes()
    letters = "PPPPFFPFFFPFPP"
    steps = ["ok" if letter == "P" else "status;code=503" for letter in letters]
    endpoint = homes.sequence("cycle", steps, cycle=True)
    cycles = 3 if stage.options.long else 2
    _, watcher = stage.observe([service("cycle", {"cycle": endpoint}, probe={})])
    follow(stage, watcher, "cycle", steps, automaton([c == "P" for c in letters * cycles]), cycles)


def old_policy_ends(stage):
    """F44 a changed policy replaces the old one at once"""
    homes = stage.start_homes()
    endpoints = {"gated": homes.at("status;code=503"), "hanging": homes.at("hang")}
    polled = {"gated": homes.at("status;code=503"), "hanging": homes.at("ok")}
    observer, watcher = stage.observe([service("old", endpoints, probe={"path": "/old"}),
                                       service("polled", {"polled": polled["hanging"]}, capacity={})])
    watcher.wait_results(endpoints, 3, 8)
    stage.check("gated before the change", watcher.home("gated").probes[-1]["gated"])
    time.sleep(0.7)  # so that an attempt hangs while the policy changes
    changed = time.time()
    observer.declare([service("old", {"gated": endpoints["gated"], "hanging": homes.at("ok")},
                              probe={"path": "/new"}),
                      service("polled", {"polled": polled["hanging"]}, capacity={"path": "/other"})])
    watcher.wait(lambda: any(e["target"].endswith("/new") for e in homes.log("request")), 3)
    fresh = watcher.wait(lambda: watcher.home("gated").probes[-1]["consecutiveFailures"] == 1, 1.5)
    first = watcher.home("gated").probes[-1]
    stage.check("the gate is open and counts start over", fresh and not first["gated"], first)
    time.sleep(2)
    late = [event["wall"] - changed for event in homes.log("request")
            if event["target"].endswith("/old") and event["wall"] > changed + 1]
    stage.check("the old path is silent after one period", not late, late)
    after = [probe["result"] for probe in watcher.home("hanging").probes
             if probe["policyDigest"] == first["policyDigest"]]
    stage.check("a late result of the old policy is dropped", set(after) == {"Passing"}, after)


LATER = {"F40": any_failure_counts, "F41": every_cycle, "F44": old_policy_ends}
