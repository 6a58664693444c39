"""D: names and addresses."""
import socket
import time

from programs import free_port, free_range
from stage import TRANSPORT, service


def zone(stage, base=None):
    """Homes with their scripted name server; the flags that make an observer ask it."""
    homes = stage.start_homes("--dns", str(free_port(socket.SOCK_DGRAM)), base=base)
    return homes, ("--dns-servers", f"127.0.0.1:{homes.ports['dns']}")


def slow_names(stage):
    """F28 a stuck name delays its own home only"""
    homes, flags = zone(stage)
    stuck = {f"{kind}-{index}": homes.at("ok", host=f"{kind}.{index}.test")
             for index in range(10) for kind in ("silent", "slow5")}
    good = {f"ok-{index}": homes.at("ok", host=f"ok.{index}.test") for index in range(5)}
    observer, watcher = stage.observe([service("stuck", stuck, probe={}),
                                       service("good", good, probe={}, capacity={})], *flags)
    watcher.wait_results([*stuck, *good], 8, 15)
    for name in stuck:
        stage.expect_probe(watcher, name, "Failing", TRANSPORT)
    for name in good:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    stage.expect_rhythm(watcher, good)
    stage.show("messages", {name: watcher.home(name).messages() for name in ("silent-0", "slow5-0")})
    stage.check("attempts of stuck names end in time", watcher.oldest <= 1.8,
                f"oldest {watcher.oldest:.2f} s")


def name_outage(stage):
    """F29 a name that goes and comes back"""
    homes, flags = zone(stage, base=free_range())
    endpoints = {"gone": homes.at("ok", host="gone8.a.test")}
    _, watcher = stage.observe([service("gone", endpoints, probe={})], *flags)
    gated = watcher.wait(lambda: any(probe["gated"] for probe in watcher.home("gone").probes), 45)
    stage.check("gated when the name is gone", gated, watcher.home("gone").messages())
    failures = [probe["consecutiveFailures"] for probe in watcher.home("gone").probes]
    stage.check("gated after three failures", 3 in failures, failures)
    homes.stop()
    homes.start()  # the zone counts from the beginning
    lifted = watcher.wait(lambda: not watcher.home("gone").probes[-1]["gated"], 6)
    stage.check("lifted after two passes", lifted, watcher.home("gone").results())


CASES = {"F28": slow_names}
LATER = {"F29": name_outage}
