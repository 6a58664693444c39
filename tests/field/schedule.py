"""E: resources and scheduling."""
import signal
import time

from programs import fetch
from stage import service


def starts_of(homes):
    """{home: times of its requests} as the homes saw them."""
    times = {}
    for event in homes.log("request"):
        times.setdefault(event["listener"], []).append(event["t"])
    return times


def descriptors_stay(stage):
    """F33 no descriptor leaks with failures, reloads or a low limit"""
    homes = stage.start_homes()
    failing = {case: homes.at(case) for case in (
        "hang", "rst", "fin", "cut-headers", "binary", "stall-body", "hdr-endless", "only-1xx")}
    failing |= {name: homes.raw(name) for name in ("tcp-refused", "tcp-rst", "tcp-silent")}
    failing |= {name: homes.tls(name) for name in ("tls-stall", "tls-expired", "tls-alert")}
    failing |= {"nx": "http://no-such-name.invalid/"}
    services = [service("failing", failing, probe={}, capacity={})]
    observer, watcher = stage.observe(services)
    levels = []
    for turn in range(40 if stage.options.long else 10):
        time.sleep(1)
        levels.append(observer.descriptors())
        observer.declare(services if turn % 2 else [
            service("failing", failing, probe={"path": f"/turn-{turn}"})])
    time.sleep(2)
    stage.check("descriptors stay bounded by the budget", max(levels) - min(levels) <= 40, levels)
    low, low_watcher = stage.observe(
        [service("many", {f"many-{index}": homes.at("delay;d=0.1") for index in range(100)},
                 probe={"period": "2s"})], descriptors=64)
    time.sleep(6)
    stage.check("the API answers at the limit of descriptors", fetch(low.address + "/livez") is not None)
    stage.check("all homes are probed all the same", all(
        set(low_watcher.home(f"many-{index}").results()) == {"Passing"} for index in range(100)),
        [low_watcher.home(f"many-{index}").results() for index in range(3)])


def spread(stage):
    """F35 not everything at once, never more than the budget, no drift"""
    homes = stage.start_homes("--homes", "100")
    endpoints = {f"home-{index}": homes.at("delay;d=0.2", f"home-{index}") for index in range(100)}
    begun = time.monotonic()
    _, watcher = stage.observe([service("fleet", endpoints, probe={"period": "2s"})])
    tried = watcher.wait_results(endpoints, 1, 5)
    stage.check("every home is tried within one period", tried and time.monotonic() - begun < 3.5,
                f"{time.monotonic() - begun:.2f} s")
    time.sleep(20 if not stage.options.long else 80)
    stats = homes.control("/stats")
    # The homes count a request until a moment after its answer has arrived.
    stage.check("never more than 16 requests at once", stats["max_inflight"] <= 16 + 2,
                stats["max_inflight"])
    stage.show("in flight", stats["max_inflight"])
    times = starts_of(homes)
    late = sorted(t for starts in times.values() for t in starts[2:])
    fullest = max((sum(1 for t in late if at <= t < at + 0.1) for at in late), default=0)
    stage.check("no 100 ms hold more than 25 of 100", 0 < fullest <= 25, fullest)
    # From the third on: at the second, the budget is still busy with the first attempt of all.
    off = sorted(abs(t - starts[2] - k * 2.0) for starts in times.values()
                 for k, t in enumerate(starts[2:]))
    # Where more than 16 are due within 200 ms the budget makes some wait, so a few are later.
    stage.check("9 of 10 attempts are within 100 ms of their deadline",
                off and off[len(off) * 9 // 10] <= 0.1, f"{off[len(off) * 9 // 10] * 1000:.0f} ms")
    ends = sorted(starts[-1] - starts[2] - (len(starts) - 3) * 2.0 for starts in times.values())
    drift = abs(ends[len(ends) // 2])
    stage.check("no drift", drift <= 0.02, f"{drift * 1000:.1f} ms")
    stage.show("fullest 100 ms", fullest)
    stage.show("off by at most", f"{off[-1] * 1000:.0f}ms")
    stage.show("drift", f"{drift * 1000:.1f}ms")


def no_overlap(stage):
    """F37 no overlap, no burst after a pause"""
    homes = stage.start_homes()
    endpoints = {f"home-{index}": homes.at(f"delay;d=0.45;i={index}") for index in range(10)}
    one = {"alone": homes.at("slow-headers;gap=0.007")}
    observer, watcher = stage.observe([service("slow", endpoints, probe={}),
                                       service("alone", one, probe={})])
    watcher.wait_results([*endpoints, *one], 3, 8)
    cases = homes.control("/stats")["cases"]
    stage.check("one attempt at a time", cases["slow-headers"]["max_inflight"] == 1,
                cases["slow-headers"])
    observer.process.send_signal(signal.SIGSTOP)
    time.sleep(60 if stage.options.long else 6)
    resumed = time.time()
    observer.process.send_signal(signal.SIGCONT)
    time.sleep(1)
    burst = [event["target"] for event in homes.log("request") if event["wall"] >= resumed]
    # A missed attempt is made up for at once, and the rhythm goes on where it was, which puts one
    # more into a second that is a whole period.
    most = max(burst.count(target) for target in burst)
    stage.check("one attempt at once and one on its rhythm", most <= 2, most)
    stage.check("the budget holds", homes.control("/stats")["max_inflight"] <= 16)
    watcher.wait_results([*endpoints], len(watcher.home("home-0").probes) + 2, 5)
    wrong = {name: watcher.home(name).messages() for name in endpoints
             if set(watcher.home(name).results()) != {"Passing"}}
    stage.check("the pause is no failure", not wrong, wrong)
    stage.show("burst", len(burst))


LATER = {"F33": descriptors_stay, "F35": spread, "F37": no_overlap}
