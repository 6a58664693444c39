"""Rows with a rhythm: as many attempts as are due, and no more. 2b, 6, and 12."""
import datetime
import json
import re
import socket
import time

from . import figures, fleet, machine, observation, peer_output, programs
from .results import OURS

SLOTS = 64
HOMES = 10000
DRIFT_SAMPLE = 50


def _observer(bench, declared, settle, window, flags=()):
    """One observer from its start: figures of the window, lateness and memory at its end."""
    with bench.programs.observer(*flags, slots=SLOTS) as observer:
        made = observation.measure(observer, declared, settle, window)
        made.update(observation.recent_lateness(observer))
        made["rssMiB"] = observer.resident() / (1 << 20)
        return made


# --- 2b: the duty of HAProxy's checks -------------------------------------------------------------


def haproxy_configuration(count, port, control):
    """`count` servers that are asked every second, at addresses of their own."""
    servers = "".join(f"    server s{index} {fleet.address(index)}:{port} check inter 1s\n"
                      for index in range(count))
    return (f"global\n    nbthread 1\n    maxconn 1000\n    stats socket {control}\n    spread-checks 50\n"
            "defaults\n    mode http\n    timeout connect 500ms\n    timeout client 1s\n"
            "    timeout server 1s\n    timeout check 500ms\n"
            "backend homes\n    option httpchk\n    http-check send meth GET uri /v1/models ver HTTP/1.1 "
            f"hdr Host home\n    http-check expect status 200\n{servers}")


def _ask_haproxy(path, question):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(path))
        connection.sendall(question.encode() + b"\n")
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    return answer.decode()


def _haproxy(bench, sim, settle, window):
    def run():
        haproxy = programs.need("haproxy")
        control = bench.folder / "haproxy.sock"
        path = bench.folder / "haproxy.cfg"
        path.write_text(haproxy_configuration(HOMES, sim.ports()[0], control))
        with bench.programs.peer([*bench.programs.on_client_core(), haproxy, "-f", str(path)]) as peer:
            observation.wait_until("HAProxy", control.exists)
            time.sleep(settle)
            up = peer_output.haproxy_servers(_ask_haproxy(control, "show stat"))
            made = _counted(sim, peer.process.pid, window)
            made["withoutResult"] = HOMES - up.get("UP", 0)
            return made
    return run


def _counted(sim, pid, window):
    """What a process costs for each request that the homes see."""
    before, cpu, begun = sim.stats()["probe"]["requests"], machine.cpu_seconds(pid), time.monotonic()
    time.sleep(window)
    spent = machine.cpu_seconds(pid) - cpu
    seconds = time.monotonic() - begun
    requests = sim.stats()["probe"]["requests"] - before
    if not requests:
        raise RuntimeError("no request came to the homes")
    return {"cpuMicroseconds": 1e6 * spent / requests, "perSecond": requests / seconds,
            "busyPercent": 100 * spent / seconds, "rssMiB": machine.memory(pid)["rss"] / (1 << 20)}


BLACKBOX_MODULES = """modules:
  http_2xx:
    prober: http
    timeout: 500ms
    http: {method: GET, follow_redirects: false, preferred_ip_protocol: ip4}
"""


def _blackbox(bench, sim, window):
    """Asked by wrk on the homes' core; it makes a probe for each request."""
    def run():
        exporter = programs.need(programs.BLACKBOX)
        path = bench.folder / "blackbox.yml"
        path.write_text(BLACKBOX_MODULES)
        port = programs.free_port()
        command = ["env", "GOMAXPROCS=1", exporter, f"--config.file={path}",
                   f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
        with bench.programs.peer([*bench.programs.on_client_core(), *command]) as peer:
            observation.wait_until("blackbox_exporter", lambda: programs.answers(port))
            before = sim.stats()["probe"]["requests"]
            cpu = machine.cpu_seconds(peer.process.pid)
            target = fleet.by_address(0, sim.ports()[0], "/v1/models")
            told = peer_output.wrk(bench.programs.load(
                "wrk", "-t1", "-c16", f"-d{int(window)}s",
                f"http://127.0.0.1:{port}/probe?module=http_2xx&target={target}", limit=60,
                core=machine.SERVER_CORE).output)
            spent = machine.cpu_seconds(peer.process.pid) - cpu
            requests = sim.stats()["probe"]["requests"] - before
            return {"cpuMicroseconds": 1e6 * spent / requests, "perSecond": requests / told["seconds"],
                    "busyPercent": 100 * spent / told["seconds"], "failed": told["errors"],
                    "rssMiB": machine.memory(peer.process.pid)["rss"] / (1 << 20)}
    return run


def checks(bench, row):
    settle, window = bench.seconds(4, 3), bench.seconds(6, 4)
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        endpoints = fleet.plain(HOMES, sim.ports()[0])
        declared = fleet.services(endpoints, probe=fleet.probe("1s", "500ms"))
        homes = fleet.write_lines(bench.folder / "homes", [one + "/v1/models" for one in endpoints])

        def go():
            return observation.go_figures(bench.programs.go(
                "-mode", "rhythm", "-homes", homes, "-workers", SLOTS, "-fresh", "-probe", "-warm-up",
                f"{settle}s", "-duration", f"{window}s", limit=90))

        bench.interleave(row, [
            ("HAProxy", _haproxy(bench, sim, settle, window)),
            (OURS, lambda: _observer(bench, declared, settle, window)),
            ("Go observer", go),
            (programs.BLACKBOX, _blackbox(bench, sim, bench.seconds(4, 2)))], bench.options.runs)
    row.most("CPU per probe / HAProxy's per check", row.ratio(OURS, "HAProxy"), 1.1)
    row.most("memory / HAProxy's", row.ratio(OURS, "HAProxy", "rssMiB"), 0.5)
    row.notes.append("HAProxy looks at the status line and keeps neither a history nor phases; "
                     "blackbox_exporter also serves the request that asks for a probe, one home")


# --- 6: rhythm ------------------------------------------------------------------------------------


def history(observer, name):
    return json.loads(programs.fetch(f"{observer.address}/v1/services/bench/{name}/history"))


def polls_of(observer, names):
    """{home: times of its last polls, in seconds since 1970}"""
    found = {}
    for name in names:
        for home in history(observer, name)["homes"]:
            texts = [one["time"] for one in home["attempts"] if one["kind"] == "poll"]
            cut = [re.sub(r"\.(\d{1,6})\d*", r".\1", text).replace("Z", "+00:00") for text in texts]
            found[f"{name}/{home['cluster']}"] = [datetime.datetime.fromisoformat(text).timestamp()
                                                  for text in cut]
    return found


def drift(early, late, period):
    """How far the rhythm of a home moved between two looks at its last attempts, in seconds. The
    attempt that was late the least tells where the rhythm is; none may be late by half a period."""
    def place(times):
        return min((at - early[0] + period / 2) % period - period / 2 for at in times)
    return figures.circular_distance(place(late), place(early), period)


def rhythm(bench, row):
    minutes = bench.options.minutes
    settle, window = bench.seconds(12, 11), 60 * minutes or bench.seconds(20, 6)
    with bench.programs.homes("--homes", HOMES, "--by-address") as sim:
        endpoints = fleet.plain(HOMES, sim.ports()[0])
        declared = fleet.services(endpoints, capacity=fleet.capacity("1s", "500ms"))
        homes = fleet.write_lines(bench.folder / "homes", [one + "/capacity" for one in endpoints])

        def ours():
            with bench.programs.observer("--connection-max-age", "1h", slots=SLOTS) as observer:
                return _rhythm_of(observer, declared, settle, window)

        def go():
            return observation.go_figures(bench.programs.go(
                "-mode", "rhythm", "-homes", homes, "-workers", SLOTS, "-warm-up", "5s", "-duration",
                f"{bench.seconds(12, 6)}s", limit=90))

        bench.interleave(row, [(OURS, ours), ("Go observer", go)], 1 if minutes else bench.options.runs)
    row.most("lateness p99, ms", row.median(OURS, "latenessP99"), 2)
    row.most("lateness max, ms", row.median(OURS, "latenessMax"), 20)
    row.most("CPU per poll, us", row.median(OURS, "cpuMicroseconds"), 20)
    row.most("drift of the median home over the window, ms", row.median(OURS, "driftMedianMs"), 1)
    row.notes.append("lateness: percentiles of the last 10 to 20 s of a window, the largest of all of it, and p99 "
                     "of all of it as a histogram's bound; drift: how far the moment of a home's polls moved "
                     "within its period")


def _most_late(observer, seconds):
    """The largest lateness of so many seconds from now: the observer remembers 10 at least."""
    most, ends = 0, time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        time.sleep(min(left, 10))
        most = max(most, observation.recent_lateness(observer)["latenessMax"])
    return most


def _rhythm_of(observer, declared, settle, window):
    names = [one["name"] for one in declared[::max(1, len(declared) // DRIFT_SAMPLE)]][:DRIFT_SAMPLE]
    fleet.declare(observer, declared)
    observation.wait_until("the first polls", lambda: observation.all_have_ceilings(observer))
    time.sleep(settle)
    early = polls_of(observer, names)
    measured = observation.Window(observer)
    most = _most_late(observer, window)
    made = measured.close()
    made.update(observation.recent_lateness(observer))
    made["latenessMax"] = most
    made["latenessWindowP99Bound"] = measured.lateness(0.99)
    made["rssMiB"] = observer.resident() / (1 << 20)
    late = polls_of(observer, names)
    moved = [1000 * drift(early[home], late[home], 1) for home in early]
    made["driftMedianMs"] = figures.median(moved)
    made["driftMostMs"] = max(moved, default=None)
    made["withoutCeiling"] = observer.status()["fallback"]
    return made


# --- 12: growth -----------------------------------------------------------------------------------

SIZES = {"1,000 homes": (1000, "100ms", "90ms"), "10,000 homes": (10000, "1s", "500ms"),
         "100,000 homes": (100000, "10s", "500ms")}
FEW = 100     # more than slots, so that what a slot needs is not taken for a home's
HISTORY = 10  # attempts of a kind that a home remembers


def growth(bench, row):
    """The same rate for all sizes. Connections are fresh: 100,000 could not be kept."""
    largest = SIZES["100,000 homes"][0]
    with bench.programs.homes("--homes", largest, "--by-address") as sim:
        endpoints = fleet.plain(largest, sim.ports()[0])
        base = _growth_run(bench, endpoints[:FEW], "20ms", "19ms", 1, 2)["rssMiB"]
        row.notes.append(f"memory with {FEW} homes and their history: {base:.1f} MiB; bytes are those of each "
                         "home more")
        for name, (count, period, timeout) in SIZES.items():
            seconds = float(period.removesuffix("ms")) / 1000 if period.endswith("ms") else float(period[:-1])
            filled = max(HISTORY * seconds, 3)
            if bench.quick and count == largest:
                filled = 12
                row.notes.append("quick: the histories of 100,000 homes are not full")

            def run(count=count, period=period, timeout=timeout, filled=filled):
                made = _growth_run(bench, endpoints[:count], period, timeout, filled, bench.seconds(6, 4))
                made["bytesPerHome"] = (made["rssMiB"] - base) * (1 << 20) / (count - FEW)
                return made
            bench.interleave(row, [(name, run)], 1 if count == largest else bench.options.runs)
    small, middle, large = SIZES
    for figure, what in (("cpuMicroseconds", "CPU per attempt"), ("bytesPerHome", "memory of a home")):
        for name in (small, large):
            above, below = row.median(name, figure), row.median(middle, figure)
            row.most(f"{what}, {name} / {middle}", above / below if above and below else None, 1.1)
    row.most("memory with 100,000 homes, MiB", row.median(large, "rssMiB"), 300)


def _growth_run(bench, endpoints, period, timeout, settle, window):
    declared = fleet.services(endpoints, probe=fleet.probe(period, timeout))
    return _observer(bench, declared, settle, window)
