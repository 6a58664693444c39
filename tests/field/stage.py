"""One case: its programs, its declarations, its checks, and the three rules of every case."""
import re
import time

from observing import Watcher
from programs import Homes, Observer

PROBE = {"path": "/health", "method": "GET", "acceptStatuses": [200],
         "gateStatuses": [404, 500, 502, 503, 504], "period": "1s", "timeout": "500ms",
         "failureThreshold": 3, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
            "period": "1s", "timeout": "500ms", "maxAge": "4s"}
TRANSPORT = "transport error: "
UNREACHABLE = "capacity endpoint unreachable: "

MEGABYTE = 1024 * 1024
LONGEST_MESSAGE = 1024 + 64  # a detail of an error and the words before it


def service(name, homes, probe=None, capacity=None):
    """One declaration: `homes` is {cluster: endpoint}; `probe` and `capacity` say what differs from
    the default policy, and None leaves that observation off."""
    made = {"namespace": "field", "name": name, "ownerUID": name,
            "homes": [{"cluster": cluster, "endpoint": endpoint}
                      for cluster, endpoint in homes.items()]}
    if probe is not None:
        made["probe"] = {**PROBE, **probe}
    if capacity is not None:
        made["capacity"] = {**CAPACITY, **capacity}
    return made


def unfit(message):
    """What keeps a message from being shown to people, or nothing."""
    if len(message.encode()) > LONGEST_MESSAGE:
        return f"a message has {len(message.encode())} bytes"
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in message):
        return f"a message holds control characters: {message!r}"
    return None


class Stage:
    """What a case acts on. Use as a context: at its end the common rules are checked."""

    def __init__(self, options):
        self.options = options
        self.checks = []
        self.shown = {}
        self.running_homes = []
        self.running = []
        self.homes = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.check(f"the case ran: {error!r}", False)
        for observer, watcher, before in self.running:
            if error is None:
                self.common_rules(observer, watcher, before)
            watcher.stop()
            seconds = observer.stop()
            self.check("SIGTERM ends it within 2 s", seconds is not None and seconds < 2)
        for homes in self.running_homes:
            homes.stop()
        return isinstance(error, Exception)

    def start_homes(self, *arguments, base=None):
        self.homes = Homes(self.options.homes_script, *arguments, base=base)
        self.running_homes.append(self.homes)
        return self.homes

    def observe(self, services, *flags, descriptors=None, environment=None):
        observer = Observer(self.options.observer, *flags, descriptors=descriptors,
                            environment=environment)
        watcher = Watcher(observer)
        time.sleep(0.3)
        before = observer.descriptors(), observer.resident()
        self.running.append((observer, watcher, before))
        observer.declare(services)
        return observer, watcher

    def check(self, rule, good, figure=None):
        self.checks.append((rule, bool(good), figure))
        return bool(good)

    def show(self, what, figure):
        """A figure for the table that decides nothing."""
        self.shown[what] = figure

    def expect_probe(self, watcher, cluster, result, message="", exact=False):
        history = watcher.home(cluster)
        seen = history.messages()
        fits = all(text == message if exact else text.startswith(message) for text in seen)
        self.check(f"{cluster}: {result} {message}".rstrip(),
                   history.probes and set(history.results()) == {result} and fits,
                   f"{len(history.probes)}x {sorted(set(history.results()))} {seen}")

    def expect_reason(self, watcher, cluster, reason, exact=False):
        history = watcher.home(cluster)
        seen = history.reasons()
        fits = seen and all(text == reason if exact else text.startswith(reason) for text in seen)
        self.check(f"{cluster}: no ceiling, {reason}", fits and not history.ceilings(),
                   f"{seen} ceilings {history.ceilings()}")

    def expect_ceiling(self, watcher, cluster, ceiling):
        history = watcher.home(cluster)
        self.check(f"{cluster}: ceiling {ceiling}",
                   history.ceilings() == [ceiling] and not history.reasons(),
                   f"ceilings {history.ceilings()} {history.reasons()}")

    def expect_rhythm(self, watcher, clusters, period=1.0, slack=0.2):
        gaps = [gap for name in clusters for gap in watcher.home(name).gaps()]
        worst = max((abs(gap - period) for gap in gaps), default=99)
        self.check(f"healthy homes keep their period within {slack * 1000:.0f} ms",
                   gaps and worst <= slack, f"{len(gaps)} gaps, off by at most {worst * 1000:.0f} ms")

    # The process neither exits nor stops, and what it used comes back.
    def common_rules(self, observer, watcher, before):
        self.check("the process is alive", observer.alive())
        texts = [text for history in watcher.homes.values()
                 for text in history.messages() + history.reasons()]
        faults = sorted({fault for fault in map(unfit, texts) if fault})
        self.check("every message is fit to show", not faults, faults or None)
        observer.declare([])
        descriptors, resident = before

        def grown():
            return (observer.descriptors() - descriptors,
                    (observer.resident() - resident) / MEGABYTE)
        watcher.wait(lambda: not observer.services() and abs(grown()[0]) <= 5, 5)
        files, memory = grown()
        self.check("descriptors return", abs(files) <= 5, f"{files:+d}")
        self.check("memory returns", memory <= 10, f"{memory:+.1f} MB")
        stalls = re.search(r'without_result_total\{reason="stalled"\} (\d+)', observer.metrics())
        if stalls and int(stalls[1]):
            self.show("attempts given up since this machine was too busy", stalls[1])
        self.show("fds", f"{files:+d}")
        self.show("rss", f"{memory:+.1f}MB")
        self.show("peak rss", f"+{(watcher.most_resident - resident) / MEGABYTE:.0f}MB")
