"""Rows about the observer's API: 9 (a start) and 10 (readers beside the attempts)."""
import http.client
import select
import socket
import threading
import time

from . import figures, fleet, machine, observation
from .results import OURS

HOMES = 10000
SLOTS = 64
READERS = 10
READ_PERIOD = "10s"   # 10,000 homes whose report is another one each time: 1,000 changes a second


class Asker(threading.Thread):
    """Asks for one page again and again, and keeps the milliseconds that each took."""

    def __init__(self, port, path, pause=0.02):
        super().__init__(daemon=True)
        self.port, self.path, self.pause = port, path, pause
        self.took, self.stopped, self.failures = [], threading.Event(), 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while not self.stopped.wait(self.pause):
            begun = time.monotonic()
            try:
                connection.request("GET", self.path)
                good = connection.getresponse()
                good.read()
                self.failures += good.status != 200
            except OSError:
                self.failures += 1
                connection.close()
            self.took.append(1000 * (time.monotonic() - begun))

    def end(self):
        self.stopped.set()
        self.join(35)
        return self.took


# --- 9: a start -----------------------------------------------------------------------------------


def start(bench, row):
    def ours():
        with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
            declared = fleet.services(fleet.plain(HOMES, sim.ports()[0]),
                                      capacity=fleet.capacity("10s", "3s", quorum=1),
                                      probe=fleet.probe("10s", "3s"))
            with bench.programs.observer(slots=SLOTS) as observer:
                return _start_of(observer, sim, declared)
    bench.interleave(row, [(OURS, ours)], bench.options.runs)
    row.most("first result of every home, s", row.median(OURS, "firstResultsSeconds"), 10)
    row.most("requests at once, as the homes saw them", row.median(OURS, "inFlightHighWater"), SLOTS)
    row.most("GET /v1/status meanwhile, p99 in ms", row.median(OURS, "apiP99"), 50)
    row.notes.append("10,000 homes in 1,000 services, polled and probed, declared with one PUT of /v1/services; "
                     "a first result is a poll and a probe of each home")


def _start_of(observer, sim, declared):
    asker = Asker(observer.port, "/v1/status")
    asker.start()
    begun, cpu = time.monotonic(), machine.cpu_seconds(observer.process.pid)
    fleet.declare(observer, declared)
    declaring = time.monotonic() - begun
    observation.wait_until("a request to every home", lambda: _all_asked(sim), pause=0.05)
    observation.wait_until("a result of every home", lambda: observation.all_have_ceilings(observer), pause=0.05)
    seconds = time.monotonic() - begun
    took = asker.end()
    return {"firstResultsSeconds": seconds, "declaringSeconds": declaring,
            "cpuSeconds": machine.cpu_seconds(observer.process.pid) - cpu,
            "inFlightHighWater": sim.stats()["inFlightHighWater"], "apiP50": figures.percentile(took, 0.5),
            "apiP99": figures.percentile(took, 0.99), "apiMax": max(took), "apiFailures": asker.failures,
            "rssMiB": observer.resident() / (1 << 20)}


def _all_asked(sim):
    stats = sim.stats()
    return not stats["poll"]["homesWithoutRequests"] and not stats["probe"]["homesWithoutRequests"]


# --- 10: readers ----------------------------------------------------------------------------------


class Watches(threading.Thread):
    """Open watches of which the last one reads nothing; counts the bytes that came."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.made = [self._open(port) for _ in range(count)]
        self.bytes, self.lines, self.stopped = 0, 0, False

    @staticmethod
    def _open(port):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        made.connect(("127.0.0.1", port))
        made.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return made

    def run(self):
        reading = self.made[:-1]
        while not self.stopped and reading:
            for one in select.select(reading, [], [], 0.2)[0]:
                piece = one.recv(1 << 18)
                self.bytes += len(piece)
                self.lines += piece.count(b"\n")
                if not piece:
                    reading.remove(one)

    def end(self):
        self.stopped = True
        self.join(10)
        for one in self.made:
            one.close()


def readers(bench, row):
    settle, window = bench.seconds(12, 11), bench.seconds(16, 8)
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        sim.set("*", {"poll": {"report": [1, 2], "cycle": True}})
        declared = fleet.services(fleet.plain(HOMES, sim.ports()[0]),
                                  capacity=fleet.capacity(READ_PERIOD, "500ms", samples=1, quorum=1))

        def alone():
            with bench.programs.observer(slots=SLOTS) as observer:
                made = observation.measure(observer, declared, settle, window)
                return {**made, **observation.recent_lateness(observer)}

        def beside():
            with bench.programs.observer(slots=SLOTS) as observer:
                return _read_beside(observer, declared, settle, window)

        bench.interleave(row, [("nobody reads", alone), (OURS, beside)], bench.options.runs)
    row.most("GET /v1/services with 10,000 homes, median ms", row.median(OURS, "listMs"), 100)
    row.most("GET /metrics, median ms", row.median(OURS, "scrapeMs"), 100)
    both = [row.median(name, "latenessP999") for name in (OURS, "nobody reads")]
    row.most("lateness p99.9 beyond that without readers, ms",
             both[0] - both[1] if None not in both else None, 5)
    row.most("memory that the watches add in the second half, MiB", row.median(OURS, "grownMiB"), 16)
    row.notes.append(f"10,000 homes change their report with every poll, {READ_PERIOD}; {READERS} watches of "
                     "which one reads nothing; a list and a scrape each second, timed in this script, which "
                     "shares a core with the homes")


def _read_beside(observer, declared, settle, window):
    fleet.declare(observer, declared)
    observation.wait_until("the first polls", lambda: observation.all_have_ceilings(observer))
    watches = Watches(observer.port, READERS)
    watches.start()
    askers = [Asker(observer.port, path, 1) for path in ("/v1/services", "/metrics")]
    for asker in askers:
        asker.start()
    time.sleep(settle)
    changes = _changes(observer)
    measured = observation.Window(observer)
    time.sleep(window / 2)
    half = observer.resident()
    time.sleep(window / 2)
    made = measured.close()
    made.update(observation.recent_lateness(observer))
    made["changesPerSecond"] = (_changes(observer) - changes) / window
    made["grownMiB"] = (observer.resident() - half) / (1 << 20)
    made["rssMiB"] = observer.resident() / (1 << 20)
    made["listMs"], made["scrapeMs"] = (figures.median(asker.end()) for asker in askers)
    made["askersFailed"] = sum(asker.failures for asker in askers)
    watches.end()
    made["watchedLines"] = watches.lines
    return made


def _changes(observer):
    values = observation.peer_output.prometheus(observer.metrics())
    return observation.peer_output.total(values, "ome_observer_reading_changes_total")
