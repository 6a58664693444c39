"""Two networks, a wire between them, homes and name servers on one side, an observer on the other."""
import contextlib
import dataclasses
import pathlib
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "soak"))
from program_scripts import Observer, Simulator  # noqa: E402
from reading_checker import Checker, Truth  # noqa: E402
from watch_reader import WatchReader  # noqa: E402

from names import Names  # noqa: E402
from namespaces import Namespace  # noqa: E402
from scenes import PORT  # noqa: E402
from wire import PARTITION, Wire, open_tun  # noqa: E402

OBSERVER_SIDE = ("10.77.0.1/16", "fd77::1/64")
FIRST_NAMES, SECOND_NAMES = "10.77.0.53", "10.77.0.54"
FORGED = "10.77.3.1"
PERIOD, TIMEOUT = 2.0, 1.5
PROBE = {"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503],
         "period": "2s", "timeout": "1500ms", "failureThreshold": 3, "successThreshold": 2,
         "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
            "period": "2s", "timeout": "1500ms", "maxAge": "10s"}
REPORT = 3


@dataclasses.dataclass
class Home:
    """`second`: the address of the gateway that a name moves to."""

    scene: object
    number: int

    @property
    def v4(self):
        return f"10.77.1.{self.number}"

    @property
    def second(self):
        return f"10.77.2.{self.number}"

    @property
    def v6(self):
        return f"fd77::1:{self.number}"

    @property
    def domain(self):
        return f"{self.scene.name}.test"

    def endpoint(self):
        host = self.domain if self.scene.named else self.v4
        return f"http://{host}:{PORT}/h/{self.scene.name}"

    def addresses(self):
        """Of its name: both families where one of them is to lead nowhere."""
        return [self.v4, self.v6] if self.scene.dead_families else [self.v4]


def relay(listener, port):
    """Connections of the other family, to a simulator that knows the first alone."""

    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for pair in ((client, server), (server, client)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


class Stage:
    def __init__(self, binaries, scenes, seed):
        self.homes = [Home(scene, number + 1) for number, scene in enumerate(scenes)]
        self.folder = tempfile.TemporaryDirectory(prefix="ome-netns-")
        self.undo = contextlib.ExitStack()
        self.undo.callback(self.folder.cleanup)
        try:
            self.build(binaries, seed)
        except BaseException:
            self.stop()
            raise

    def build(self, binaries, seed):
        self.near, self.far = Namespace(), Namespace()
        addresses = [f"{FIRST_NAMES}/16", f"{SECOND_NAMES}/16"]
        for home in self.homes:
            addresses += [f"{home.v4}/16", f"{home.second}/16", f"{home.v6}/64"]
        self.wire = Wire(open_tun(self.near, "near", OBSERVER_SIDE),
                         open_tun(self.far, "far", addresses), seed)
        self.undo.callback(self.wire.stop)
        self.wire.forbidden = FORGED
        self.near.enter()
        with self.far.inside():
            self.start_homes(binaries.homesim)
        self.resolv_conf = pathlib.Path(self.folder.name, "resolv.conf")
        self.begin_calm()
        self.truth = Truth(lambda endpoint: REPORT)
        self.truth.policy(PROBE, CAPACITY)
        self.observer = Observer(
            binaries.observer, "--resolv-conf", str(self.resolv_conf), "--connection-max-age", "6s",
            "--max-concurrent-requests", "64", "--declaration-ttl", "1h",  # nobody renews here
            file=False)
        self.undo.callback(self.observer.stop)
        self.checker = Checker(self.truth, time.time())
        self.reader = WatchReader(self.observer.port, self.checker)
        self.undo.callback(self.reader.ended.set)
        threading.Thread(target=self.reader.run, daemon=True).start()
        for home in self.homes:
            self.observer.put({
                "namespace": "netns", "name": home.scene.name, "ownerUID": "uid", "probe": PROBE,
                "capacity": CAPACITY, "homes": [{"cluster": "home", "endpoint": home.endpoint()}]})

    def start_homes(self, homesim):
        words = [word for home in self.homes for word in ("--home", home.scene.name)]
        self.sim = Simulator(homesim, *words, "--address", "0.0.0.0", "--port", str(PORT))
        self.undo.callback(self.sim.stop)
        for home in self.homes:
            self.sim.set(home.scene.name, home.scene.behaviour or {"poll": {"report": REPORT}})
        self.first = Names(FIRST_NAMES, FORGED)
        self.second = Names(SECOND_NAMES, FORGED)
        for home in self.homes:
            if home.scene.dead_families:
                listener = socket.create_server((home.v6, PORT), family=socket.AF_INET6)
                threading.Thread(target=relay, args=(listener, PORT), daemon=True).start()

    def name_servers(self, address):
        new = self.resolv_conf.with_name("new")
        new.write_text(f"nameserver {address}\n")
        new.rename(self.resolv_conf)

    def begin_calm(self):
        """As at the start."""
        self.heal()
        self.name_servers(FIRST_NAMES)
        for home in self.homes:
            for server in (self.first, self.second):
                server.table[home.domain] = home.addresses()

    def heal(self):
        """All but the families that have never led anywhere: were they healed for a moment, a connection
        would be kept there, and its end would be a trouble of its own."""
        self.wire.heal({home.v6 if family == "v6" else home.v4: PARTITION
                        for home in self.homes for family in home.scene.dead_families})

    def begin_trouble(self):
        for home in self.homes:
            scene = home.scene
            if scene.fault:
                self.wire.put(home.v4, scene.fault)
            if scene.way:
                self.first.ways[home.domain] = scene.way
            if scene.moves == "resolver":
                self.first.table.pop(home.domain)
            if scene.moves.startswith("gateway"):
                self.first.table[home.domain] = self.second.table[home.domain] = [home.second]
            if scene.moves == "gateway":
                self.wire.put(home.v4, PARTITION)

    def end_trouble(self):
        """All of it but what only the new resolv.conf can mend, and the gateways that have moved."""
        self.heal()
        for home in self.homes:
            if home.scene.moves == "gateway":
                self.wire.put(home.v4, PARTITION)
        self.first.ways.clear()
        self.name_servers(SECOND_NAMES)

    def readings(self):
        return {service["name"]: service["homes"][0] for service in self.observer.services()
                if service["homes"]}

    def connections(self, address):
        """How many are open to this address, in the homes' network."""
        with self.far.inside():
            text = pathlib.Path("/proc/thread-self/net/tcp").read_text()
        local = socket.inet_aton(address)[::-1].hex().upper() + f":{PORT:04X}"
        return sum(1 for line in text.splitlines()[1:]
                   if line.split()[1] == local and line.split()[3] == "01")

    def stop(self):
        self.undo.close()
