"""Rows in which the client is saturated: what one attempt costs. 1 to 4, and 7."""
from . import figures, fleet, observation, peer_output
from .results import OURS

HOMES = 1000
SLOTS = 64
TLS_SLOTS = 8   # so few that a handshake beside as many others is through within TLS_POLL_PERIOD

# So short that all homes together want more than a client can do which costs no more than the goal
# allows; the observer is then always behind.
POLL_PERIOD = ("5ms", "4900us")
PROBE_PERIOD = ("25ms", "24ms")
TLS_POLL_PERIOD = ("9ms", "8900us")
HANDSHAKE_PERIOD = ("300ms", "290ms")

# Two reactors take turns on one core, for some milliseconds each: their attempts must not be cut off meanwhile.
SHARED_CORE_HOMES = 8000
SHARED_CORE_PERIOD = ("40ms", "39ms")


def _peer_figures(ended, read):
    told = read(ended.output)
    return {"cpuMicroseconds": 1e6 * ended.cpu / told["requests"],
            "perSecond": told["requests"] / told["seconds"],
            "busyPercent": 100 * ended.cpu / ended.seconds, "failed": told["errors"]}


class Saturated:
    """The subjects of one row, all against the same homes."""

    def __init__(self, bench, url, endpoints, path, period, slots=SLOTS, flags=()):
        self.bench = bench
        self.url = url              # what wrk and h2load ask
        self.endpoints = endpoints  # of the observer
        self.path = path
        self.period = period
        self.slots = slots
        self.flags = flags
        self.window = bench.seconds(4, 2)
        self.warm_up = bench.seconds(1.5, 0.5)
        self.limit = 60

    def declared(self):
        kind = "probe" if self.path == "/v1/models" else "capacity"
        return fleet.services(self.endpoints, **{kind: getattr(fleet, kind)(*self.period)})

    def observer(self, reactors=1):
        def run():
            with self.bench.programs.observer(*self.flags, reactors=reactors, slots=self.slots) as observer:
                return observation.measure(observer, self.declared(), self.warm_up, self.window,
                                           observation.busy())
        return run

    def wrk(self, *arguments):
        def run():
            return _peer_figures(self.bench.programs.load(
                "wrk", "-t1", f"-c{self.slots}", f"-d{int(self.window)}s", *arguments, self.url,
                limit=self.limit), peer_output.wrk)
        return run

    def h2load(self):
        def run():
            return _peer_figures(self.bench.programs.load(
                "h2load", "--h1", "-t1", f"-c{self.slots}", "-D", int(self.window), self.url, limit=self.limit),
                peer_output.h2load)
        return run

    def go(self, *arguments, urls=None):
        def run():
            lines = urls or [endpoint + self.path for endpoint in self.endpoints]
            homes = fleet.write_lines(self.bench.folder / "homes", lines)
            return observation.go_figures(self.bench.programs.go(
                "-homes", homes, "-workers", self.slots, "-timeout", "5s", "-warm-up", f"{self.warm_up}s",
                "-duration", f"{self.window}s", *arguments, limit=self.limit))
        return run


def _right(row):
    """An attempt that was cut off costs something else than one that was not."""
    failed = max((run.figures["failedPercent"] for run in row.runs if run.subject == OURS), default=0)
    if failed > 0.1:
        row.notes.append(f"up to {failed:.1f} % of a run's attempts were cut off by the short period, since "
                         "something held up the observer or the homes for that long")
    without = [run.figures["withoutCeiling"] for run in row.runs
               if run.subject == OURS and "withoutCeiling" in run.figures]
    row.most("homes without a ceiling at the end", figures.median(without), 0)


def kept_alive(bench, row):
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        port = sim.ports()[0]
        runs = Saturated(bench, fleet.by_address(0, port, "/capacity"), fleet.plain(HOMES, port), "/capacity",
                         POLL_PERIOD)
        bench.interleave(row, [("wrk", runs.wrk()), (OURS, runs.observer()), ("h2load", runs.h2load()),
                               ("Go observer", runs.go())], bench.options.pairs)
    row.most("CPU per poll / wrk's per request", row.ratio(OURS, "wrk"), 1.15)
    row.least("Go observer's CPU per poll / ours", row.ratio("Go observer", OURS), 4)
    _right(row)


def fresh(bench, row):
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        port = sim.ports()[0]
        runs = Saturated(bench, fleet.by_address(0, port, "/v1/models"), fleet.plain(HOMES, port),
                         "/v1/models", PROBE_PERIOD)
        bench.interleave(row, [("wrk", runs.wrk("-H", "Connection: close")), (OURS, runs.observer()),
                               ("Go observer", runs.go("-fresh", "-probe"))], bench.options.pairs)
    row.most("CPU per probe / wrk's per request", row.ratio(OURS, "wrk"), 1.05)
    row.least("Go observer's CPU per probe / ours", row.ratio("Go observer", OURS), 1.7)


def kept_alive_tls(bench, row):
    ca_file = bench.folder / "ca.pem"
    with bench.programs.homes("--homes", HOMES, "--tls-port", 0, "--ca-file", ca_file) as sim:
        port = sim.ports("tls")[0]
        base = f"https://127.0.0.1:{port}"
        runs = Saturated(bench, f"{base}/h/home-0/capacity", fleet.below_paths(HOMES, base), "/capacity",
                         TLS_POLL_PERIOD, TLS_SLOTS,
                         flags=("--ca-file", ca_file, "--connection-max-age", "10m"))
        bench.interleave(row, [
            ("wrk", runs.wrk()), (OURS, runs.observer()),
            ("Go observer", runs.go("-ca", ca_file, "-dial", f"127.0.0.1:{port}",
                                    urls=_named(HOMES, port, "/capacity")))], bench.options.pairs)
    row.most("CPU per poll / wrk's per request", row.ratio(OURS, "wrk"), 1.4)
    row.least("Go observer's CPU per poll / ours", row.ratio("Go observer", OURS), 2.5)
    _right(row)


def _named(count, port, path):
    """Hosts that the certificate names: net/http keeps connections by host, and each home has its own."""
    return [f"https://home-{index}.home.test:{port}/h/home-{index}{path}" for index in range(count)]


def fresh_tls(bench, row):
    ca_file = bench.folder / "ca.pem"
    with bench.programs.homes("--homes", HOMES, "--tls-port", 0, "--ca-file", ca_file) as sim:
        port = sim.ports("tls")[0]
        base = f"https://127.0.0.1:{port}"
        runs = Saturated(bench, f"{base}/h/home-0/v1/models", fleet.below_paths(HOMES, base), "/v1/models",
                         HANDSHAKE_PERIOD, flags=("--ca-file", ca_file))
        bench.interleave(row, [
            ("wrk", runs.wrk("-H", "Connection: close")), (OURS, runs.observer()),
            ("Go observer", runs.go("-fresh", "-probe", "-ca", ca_file, "-dial", f"127.0.0.1:{port}",
                                    urls=_named(HOMES, port, "/v1/models")))], bench.options.pairs)
    row.most("CPU per probe / Go observer's", row.ratio(OURS, "Go observer"), 1)
    row.notes.append("wrk verifies nothing and resumes sessions: no peer, shown for scale")


def reactors(bench, row):
    with bench.programs.homes("--homes", SHARED_CORE_HOMES, "--by-address") as sim:
        port = sim.ports()[0]
        runs = Saturated(bench, "", fleet.plain(SHARED_CORE_HOMES, port), "/capacity", SHARED_CORE_PERIOD)
        bench.interleave(row, [(OURS, runs.observer(1)), ("two reactors", runs.observer(2))],
                         bench.options.runs)
    row.most("CPU per poll of two reactors / of one", row.ratio("two reactors", OURS), 1.08)
    row.notes.append("both on one core, since the homes need the other: what sharing the budget costs")
