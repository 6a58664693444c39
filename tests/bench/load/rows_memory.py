"""Row 5: memory of an idle home, everything included."""
import contextlib
import time

from . import fleet, machine, observation
from .results import OURS

MANY = 10000
FEW = 100      # more than slots, so that what a slot needs is not taken for a home's
HISTORY = 10   # attempts of a kind that a home remembers; all are there before memory is looked at
BASE_MIB = 20


def _settled_memory(bench, declared, attempts, flags):
    """{"rss", "pss"} in bytes once the homes have made that many attempts, in the mean."""
    with bench.programs.observer(*flags) as observer:
        fleet.declare(observer, declared)
        wanted = attempts * sum(len(service["homes"]) for service in declared)
        observation.wait_until("full histories", lambda: _ended(observer) >= wanted, patience=150, pause=0.5)
        time.sleep(0.5)
        return machine.memory(observer.process.pid)


def _ended(observer):
    values = observation.peer_output.prometheus(observer.metrics())
    return observation.peer_output.total(values, "ome_observer_attempts_total")


def _per_home(bench, make, flags, period=("1s", "900ms")):
    """`make(count, period, timeout)`: declarations of so many homes. Few are through sooner."""
    few = _settled_memory(bench, make(FEW, "100ms", "90ms"), HISTORY + 2, flags)
    many = _settled_memory(bench, make(MANY, *period), HISTORY + 2, flags)
    return {"bytesPerHome": (many["rss"] - few["rss"]) / (MANY - FEW), "rssMiB": many["rss"] / (1 << 20),
            "pssMiB": many["pss"] / (1 << 20), "baseMiB": few["rss"] / (1 << 20)}


@contextlib.contextmanager
def _tls(bench):
    """Endpoints of homes with certificates, and the flags to trust them."""
    ca_file = bench.folder / "ca.pem"
    with bench.programs.homes("--homes", MANY, "--tls-port", 0, "--ca-file", ca_file) as sim:
        yield fleet.below_paths(MANY, f"https://127.0.0.1:{sim.ports('tls')[0]}"), ["--ca-file", ca_file]


def idle_homes(bench, row):
    with bench.programs.homes("--homes", MANY, "--by-address") as sim, _tls(bench) as (secure, trust):
        endpoints = fleet.plain(MANY, sim.ports()[0])
        keep = ["--connection-max-age", "10m"]

        def polled(where):
            return lambda count, *rhythm: fleet.services(where[:count], capacity=fleet.capacity(*rhythm))

        def probed(count, *rhythm):
            return fleet.services(endpoints[:count], probe=fleet.probe(*rhythm))

        # 10,000 handshakes take longer than a second.
        kinds = [
            ("http, kept alive", lambda: _per_home(bench, polled(endpoints), keep)),
            ("https, kept alive", lambda: _per_home(bench, polled(secure), [*keep, *trust], ("1500ms", "1400ms"))),
            ("without connection", lambda: _per_home(bench, probed, [])),
        ]
        bench.interleave(row, kinds, bench.options.runs)
    for name, limit in (("http, kept alive", 3000), ("https, kept alive", 34000), ("without connection", 2000)):
        row.most(f"bytes of a home: {name}", row.median(name, "bytesPerHome"), limit)
    row.most(f"memory with {FEW} homes, MiB", row.median("http, kept alive", "baseMiB"), BASE_MIB)
    row.notes.append("row 12 has the memory with 100,000 homes; of those only as many connections are kept "
                     f"as descriptors allow. {OURS} alone: a Go observer's memory is in row 6")
