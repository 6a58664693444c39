"""What the cases share: homes, an observer, a controller, and who asks them all the time."""
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
for folder in ("support", "soak"):
    sys.path.insert(0, str(TESTS / folder))
from controller_program import Controller  # noqa: E402
from program_scripts import Observer, Simulator, fetch  # noqa: E402

PATIENCE = 60
# Within a second, five times over: the machine may have other work.
SOON = 5
PROBE = {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
         "gateStatuses": [500, 502, 503, 504], "period": "1s", "timeout": "500ms",
         "failureThreshold": 3, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
            "period": "1s", "timeout": "500ms", "maxAge": "20s"}
CONFIGURATION = {"routing": {
    "enabled": True,
    "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 64, "maxResponseBytes": 65536,
                 "minPeriod": "1s", "maxSamples": 100},
    "probe": PROBE, "capacity": CAPACITY, "publisher": {"resyncInterval": "1m"}}}


class Skipped(Exception):
    """Why a case cannot be played here."""


class Broken(Exception):
    """What is not as it must be."""


def demand(holds, what):
    if not holds:
        raise Broken(what)


def wait_until(holds, what, patience=PATIENCE):
    """Seconds until it held; for what cannot be asked just now, it does not hold."""
    begun = time.monotonic()
    while time.monotonic() - begun < patience:
        with contextlib.suppress(OSError, ValueError, KeyError):
            if holds():
                return time.monotonic() - begun
        time.sleep(0.1)
    raise Broken(f"not within {patience} s: {what}")


def metric(text, series):
    """The value of a series, all labels summed up; a series with labels may be told by its beginning."""
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith((series + " ", series + "{")) or
               ("{" in series and line.startswith(series)))


class Guard:
    """Asks /livez and /metrics of programs all the while: each must answer, and soon."""

    def __init__(self, *addresses):
        self.addresses, self.ended = addresses, threading.Event()
        self.slowest, self.failures, self.asked = 0.0, [], 0

    def __enter__(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def run(self):
        while not self.ended.wait(0.1):
            for address in self.addresses:
                for page in ("/livez", "/metrics"):
                    self.ask(address + page)

    def ask(self, url):
        begun = time.monotonic()
        try:
            fetch(url, timeout=4 * SOON)
        except (OSError, ValueError) as error:
            self.failures.append(f"{url}: {error!r}")
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.asked += 1

    def wait_for(self, checks):
        """Until so many checks have been made."""
        wait_until(lambda: self.asked >= checks, f"{checks} health checks")

    def __exit__(self, kind, *_):
        self.ended.set()
        self.thread.join()
        if kind is None:
            demand(not self.failures, f"{len(self.failures)} of {self.asked} health checks were not "
                                      f"answered: {self.failures[:2]}")
            demand(self.slowest < SOON, f"a health check took {self.slowest:.1f} s")

    def __str__(self):
        return f"{self.asked} health checks, the slowest {1000 * self.slowest:.0f} ms"


class World:
    """Homes and an observer, for one case; `flags` and the rest are those of Observer."""

    def __init__(self, options, homes, *flags, per_service=4, **settings):
        self.options, self.count, self.per_service = options, homes, per_service
        self.stack = contextlib.ExitStack()
        try:
            self.start(*flags, **settings)
        except BaseException:
            self.stack.close()
            raise

    def start(self, *flags, **settings):
        options, homes = self.options, self.count
        self.folder = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="ome-resources-")))
        self.sim = Simulator(options.homesim, "--homes", str(homes), "--ports", "4")
        self.stack.callback(self.sim.stop)
        self.sim.set("*", {"poll": {"report": 3}})
        self.observer = Observer(options.observer, "--max-concurrent-requests", "64", *flags,
                                 file=False, **settings)
        self.stack.callback(self.observer.stop)

    def __enter__(self):
        return self

    def __exit__(self, *about):
        return self.stack.__exit__(*about)

    def services(self):
        ports = self.sim.ports()
        for index in range(self.count // self.per_service):
            homes = [{"cluster": f"c{home}",
                      "endpoint": f"http://127.0.0.1:{ports[home % 4]}/h/home-{home}"}
                     for home in range(index * self.per_service, (index + 1) * self.per_service)]
            yield {"namespace": "r", "name": f"s{index}", "ownerUID": f"uid-{index}", "probe": PROBE,
                   "capacity": CAPACITY, "homes": homes}

    def declare(self):
        answer = self.observer.put_all(list(self.services()))
        demand(not answer["rejected"], answer)

    def well(self):
        status = self.observer.status()
        return status["homes"] == self.count and not status["gated"] + status["fallback"]

    def become_well(self, patience=PATIENCE):
        """Seconds until all homes are well."""
        try:
            return wait_until(self.well, "all homes are well", patience)
        except Broken as late:
            status = self.observer.status()
            said = {name: status[name] for name in ("homes", "gated", "fallback", "waiting", "inFlight")}
            raise Broken(f"{late}: {said}, attempts {status['rates']}") from None

    def begin(self):
        self.declare()
        wait_until(self.well, "all homes are well at first")

    def metric(self, series):
        return metric(self.observer.metrics(), "ome_observer_" + series)

    def attempts(self):
        return self.metric("attempts_total")

    def goes_on(self, patience=PATIENCE):
        """Seconds until homes have been tried again, all of them in number."""
        before = self.attempts()
        return wait_until(lambda: self.attempts() >= before + 2 * self.count, "attempts go on", patience)


def manifest(name, endpoint, ready, version):
    return json.dumps({
        "apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
        "metadata": {"name": name, "namespace": "r", "uid": "uid-" + name, "generation": version},
        "spec": {"placement": {"policy": "ClusterAffinity", "mode": "Split"}},
        "status": {"placement": {"phase": "Placed", "candidates": [
            {"cluster": "worker-a", "phase": "Admitted", "endpoint": endpoint, "admittedReplicas": 4,
             "readyReplicas": ready},
            {"cluster": "worker-b", "phase": "Admitted", "endpoint": endpoint + "-b",
             "admittedReplicas": 4, "readyReplicas": 4}]}}})


class Mapped(World):
    """With a controller over `store`, a folder that the case may limit."""

    SERVICES = 4

    def __init__(self, options, *flags, place=None, output=None, **settings):
        super().__init__(options, 2 * self.SERVICES, *flags, output=output, **settings)
        try:
            self.start_controller(place, output)
        except BaseException:
            self.stack.close()
            raise

    def start_controller(self, place, output):
        options = self.options
        self.place = pathlib.Path(place or self.folder)
        (self.place / "store/inferenceservices/r").mkdir(parents=True, exist_ok=True)
        (self.place / "config.json").write_text(json.dumps(CONFIGURATION))
        self.version = 1
        self.put(ready=4)
        self.controller = Controller(options.trafficmap, self.place, self.observer.address, output=output)
        self.stack.callback(self.controller.stop)
        self.wait_for_maps(4)

    def put(self, ready):
        """All services with so many ready replicas in worker-a. From another file system, so that a
        full one does not hinder it."""
        self.version += 1
        for index in range(self.SERVICES):
            text = manifest(f"s{index}", f"http://127.0.0.1:{self.sim.ports()[0]}/h/home-{2 * index}",
                            ready, self.version)
            path = self.place / f"store/inferenceservices/r/s{index}.json"
            with open(path, "r+" if path.exists() else "w") as file:
                file.write(text)  # in place: of the same length, it takes no room

    def maps(self):
        folder = self.place / "store/trafficmaps/r"
        return {path.name: path.read_text() for path in sorted(folder.glob("*.yaml"))}

    def all_maps_say(self, ready):
        maps = self.maps()
        return len(maps) == self.SERVICES and all(f"ready: {ready}\n" in text for text in maps.values())

    def wait_for_maps(self, ready, patience=PATIENCE):
        return wait_until(lambda: self.all_maps_say(ready), f"maps with ready: {ready}", patience)

    def no_half_map(self):
        for name, text in self.maps().items():
            whole = text.startswith("apiVersion:") and text.endswith("\n") and "entries:" in text
            demand(whole and "weight:" in text, f"half a map: {name}: {text!r}")


@contextlib.contextmanager
def small_disk(size):
    """A file system of its own, so large; it is gone with this process in any case."""
    with tempfile.TemporaryDirectory(prefix="ome-disk-") as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skipped(f"a small file system: {done.stderr.strip()}")
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=False)


def fill(folder):
    """Takes all the room there is; the file to remove."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return filler
