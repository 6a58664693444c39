"""One observer over a measured window: what it did, and what that cost."""
import json
import time

from . import figures, fleet, machine, peer_output

LATENESS = "ome_observer_schedule_lateness_seconds"
PATIENCE = 40


class Window:
    """From its making to `close`: attempts, CPU time, failures."""

    def __init__(self, observer):
        self.observer = observer
        self.before = self._scrape()
        self.cpu = machine.cpu_seconds(observer.process.pid)
        self.begun = time.monotonic()

    def _scrape(self):
        return peer_output.prometheus(self.observer.metrics())

    def close(self):
        """The figures of the window. The scrapes stand outside of the CPU time."""
        cpu = machine.cpu_seconds(self.observer.process.pid) - self.cpu
        seconds = time.monotonic() - self.begun
        after = self._scrape()

        def more(name, **labels):
            return (peer_output.total(after, name, **labels)
                    - peer_output.total(self.before, name, **labels))

        attempts = more("ome_observer_attempts_total")
        self.late = [peer_output.buckets(values, LATENESS) for values in (self.before, after)]
        good = sum(more("ome_observer_attempts_total", result=result) for result in ("accepted", "passing"))
        failed = attempts - good + more("ome_observer_attempts_without_result_total")
        return {
            "cpuMicroseconds": 1e6 * cpu / attempts if attempts else None,
            "perSecond": attempts / seconds,
            "busyPercent": 100 * cpu / seconds,
            "failed": failed,
            "failedPercent": 100 * failed / attempts if attempts else None,
            "connects": more("ome_observer_connects_total"),
        }

    def lateness(self, share):
        """After `close`: the bound in milliseconds below which that share of the window's attempts were."""
        bound = figures.quantile_of_buckets(*self.late, share)
        return None if bound is None else 1000 * bound


def recent_lateness(observer):
    """In milliseconds, over the last 10 to 20 s."""
    late = observer.status()["lateness"]
    return {f"lateness{name[0].upper()}{name[1:]}": 1000 * late[f"{name}Seconds"]
            for name in ("p50", "p99", "p999", "max")}


def wait_until(what, condition, patience=PATIENCE, pause=0.1):
    """RuntimeError when it does not become true; else the seconds that it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > patience:
            raise RuntimeError(f"waited {patience} s for {what}")
        time.sleep(pause)
    return time.monotonic() - begun


def all_have_ceilings(observer):
    status = observer.status()
    return status["homes"] > 0 and status["fallback"] == 0


def busy(patience=5):
    """A condition for periods of a few milliseconds: nearly all homes have ceilings, or it has been
    asked for long enough. On a busy machine such periods cut many attempts off; the row tells of them."""
    ends = time.monotonic() + patience

    def condition(observer):
        status = observer.status()
        return (status["homes"] > 0 and status["fallback"] <= status["homes"] // 100
                or time.monotonic() > ends)
    return condition


def measure(observer, declared, warm_up, seconds, settled=all_have_ceilings):
    """Declares, waits for the first results and `warm_up` seconds more, measures for `seconds`."""
    fleet.declare(observer, declared)
    if "probe" in declared[0] and "capacity" not in declared[0]:
        settled = all_probed
    wait_until("the first results of all homes", lambda: settled(observer))
    time.sleep(warm_up)
    window = Window(observer)
    time.sleep(seconds)
    made = window.close()
    if made["perSecond"] <= 0:
        raise RuntimeError("the observer made no attempt")
    made["withoutCeiling"] = observer.status()["fallback"]
    return made


def all_probed(observer):
    """As many probes as homes have ended: without capacity polls nothing tells of each home cheaply."""
    values = peer_output.prometheus(observer.metrics())
    ended = peer_output.total(values, "ome_observer_attempts_total", kind="probe")
    return ended >= values["ome_observer_homes"] > 0


def go_figures(text):
    """What the Go observer printed, in the words of Window."""
    told = json.loads(text.splitlines()[-1])
    cpu = told["user"] + told["system"]
    made = {"cpuMicroseconds": 1e6 * cpu / told["attempts"] if told["attempts"] else None,
            "perSecond": told["attempts"] / told["seconds"],
            "busyPercent": 100 * cpu / told["seconds"], "failed": told["failed"],
            "rssMiB": told["resident"] / (1 << 20)}
    for name, value in (told.get("lateness") or {}).items():
        made[f"lateness{name[0].upper()}{name[1:]}"] = value
    return made
