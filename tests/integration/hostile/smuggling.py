"""Homes that want their words in logs, metrics, documents and terminals."""
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import time

from checking import wait
from homes import CAPACITY, PROBE, answer, declared, readings, report
from program_scripts import Observer, end, fetch, free_port
from scripted_peer import Peers

MARK = b"SMUGGLED"
TEXTS = {
    "escape": b"\x1b[31m" + MARK + b"\x1b[0m",
    "title": b"\x1b]0;" + MARK + b"\x07",
    "bell": MARK + b"\x07\x08\x08\x08",
    "nul": MARK + b"\x00after",
    "c1": b"\x9b31m" + MARK,
    "c1-utf8": b"\xc2\x9b31m" + MARK,
    "bidi": b"\xe2\x80\xae" + MARK + b"\xe2\x81\xa6",
    "line-separator": MARK + b"\xe2\x80\xa8" + MARK,
    "invalid": b"\xff\xfe\xc3\x28" + MARK,
    "surrogate": b"\xed\xa0\x80" + MARK,
    "quotes": b'"' + MARK + b"'\\\"\\u0000\\",
    "json": b'"}],"' + MARK + b'":[{"',
    "label": b'"} 1\\nome_forged{a="' + MARK,
    "line": MARK + b"\r\x0b\x0c\x85",
    "yaml": b"': &x *x !!python/object:" + MARK + b" # \t",
    "format": b"%s%n{}{0}${jndi:" + MARK + b"}",
    "markup": b"<script>" + MARK + b"</script>",
    "long": MARK + b"A\xe2\x80\xae" * 16384,
}


def json_string(text):
    return text.decode("latin-1").join('""').replace("\\", "\\\\").encode("latin-1")


PLACES = {
    "reason": lambda text: b"HTTP/1.1 503 " + text + b"\r\nContent-Length: 0\r\n\r\n",
    "status-line": lambda text: b"HTTP/1.1 " + text + b"\r\n\r\n",
    "no-http": lambda text: text + b"\r\n\r\n",
    "header-name": lambda text: b"HTTP/1.1 200 OK\r\n" + text + b": x\r\n\r\n",
    "header-line": lambda text: b"HTTP/1.1 200 OK\r\nX\r\n " + text + b"\r\n\r\n",
    "header-value": lambda text: b"HTTP/1.1 200 OK\r\nServer: " + text +
    b"\r\nContent-Length: 0\r\n\r\n",
    "encoding": lambda text: b"HTTP/1.1 200 OK\r\nContent-Encoding: " + text +
    b"\r\nContent-Length: 0\r\n\r\n",
    "coding": lambda text: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + text + b"\r\n\r\n",
    "length": lambda text: b"HTTP/1.1 200 OK\r\nContent-Length: " + text + b"\r\n\r\n",
    "chunk": lambda text: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text + b"\r\n",
    "body": lambda text: answer(text),
    "member": lambda text: answer(b"{" + json_string(text) + b":1," + report()[1:]),
    "count": lambda text: answer(b'{"servable":' + json_string(text) + b"}"),
    "raw-count": lambda text: answer(b'{"servable":' + text + b"}"),
    "stamp": lambda text: answer(b'{"servable":1,"observedAt":' + json_string(text) + b"}"),
}
CONFIG = {"routing": {
    "enabled": True,
    "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 64,
                 "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
    "probe": {**PROBE, "period": "3s", "timeout": "2s"},
    "capacity": {**CAPACITY, "period": "3s", "timeout": "2s"},
    "publisher": {"resyncInterval": "1m"}}}


def endpoints(peers):
    """{service: {cluster: endpoint}}: a service for each place, a home for each text."""
    def serve(data):
        async def one(wire):
            await wire.read_head()
            await wire.write(data)
        return one
    return {place: {name: f"http://127.0.0.1:{peers.listen(serve(make(text)))}"
                    for name, text in TEXTS.items()} for place, make in PLACES.items()}


def manifest(name, homes):
    return {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
            "metadata": {"name": name, "namespace": "hostile", "uid": "uid-" + name, "generation": 1},
            "spec": {"placement": {"policy": "ClusterAffinity", "mode": "Split"}, "routing": {}},
            "status": {"placement": {"phase": "Placed", "candidates": [
                {"cluster": cluster, "phase": "Admitted", "endpoint": endpoint,
                 "admittedReplicas": 2, "readyReplicas": 2} for cluster, endpoint in homes.items()]}}}


class Controller:
    """`ome-trafficmap run` over a folder, beside an observer."""

    def __init__(self, options, folder, observer, services):
        self.store = pathlib.Path(folder, "store")
        place = self.store / "inferenceservices/hostile"
        place.mkdir(parents=True)
        for name, homes in services.items():
            (place / f"{name}.yaml").write_text(json.dumps(manifest(name, homes)))
        config = pathlib.Path(folder, "config.json")
        config.write_text(json.dumps(CONFIG))
        self.log_path = pathlib.Path(folder, "controller.log")
        self.address = f"http://127.0.0.1:{(port := free_port())}"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(self.command(options, self.store, config, observer, port),
                                            stdout=log, stderr=log)

    def command(self, options, store, config, observer, port):
        return [options.trafficmap, "run", "--store", f"dir:{store}", "--config", str(config),
                "--observer", observer.address, "--listen", f"127.0.0.1:{port}"]

    def maps(self):
        return sorted((self.store / "trafficmaps").rglob("*.yaml"))

    def stop(self):
        return end(self.process)


def run(command, **environment):
    """What a program prints, standard error behind it."""
    done = subprocess.run(command, capture_output=True, timeout=60, check=False,
                          env={**os.environ, **environment})
    return done.stdout + done.stderr


def all_tried(observer, services):
    now = readings(observer)
    return all((home := now.get((service, cluster), {})).get("probe", {}).get("lastProbeTime") and
               home["capacity"]["fallbackReason"] != "no capacity report yet"
               for service, homes in services.items() for cluster in homes)


def check_observer(case, observer, services):
    address = observer.address
    for path in ("/v1/services", "/v1/status"):
        case.check_json(path, fetch(address + path))
    for service in services:
        where = f"/v1/services/hostile/{service}"
        case.check_json(where, fetch(address + where))
        case.check_json(where + "/history", fetch(address + where + "/history"))
    case.check_json("/v1/watch", fetch(address + "/v1/watch?timeoutSeconds=2"), lines=True)
    case.check_text("/status", fetch(address + "/status"))
    check_metrics(case, "/metrics", fetch(address + "/metrics"))
    program = case.options.observer
    case.check_text("status", run([program, "status", "--url", address, "--wide"]))
    case.check_text("status, watched", run(["timeout", "3", program, "status", "--url", address,
                                            "--watch", "--interval", "1s"]).replace(b"\x1b[H", b"")
                    .replace(b"\x1b[J", b"").replace(b"\x1b[K", b""))
    case.check_json("status --output json", run([program, "status", "--url", address, "-o", "json"]))
    check_bundle(case, run([program, "bundle", "--url", address, "-o", "-"]))


def check_metrics(case, where, text):
    case.check_text(where, text)
    case.check(f"{where} has no family of a home's", "\nome_forged" not in text)


def check_bundle(case, data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = archive.getmembers()
        for member in members:
            file = archive.extractfile(member)
            if file is not None:
                content = file.read()
                (case.check_json if member.name.endswith(".json") else case.check_text)(
                    f"the bundle's {member.name}", content)
    case.check("the bundle holds something", len(members) > 3, [one.name for one in members])


def check_controller(case, controller, services):
    for path in controller.maps():
        case.check_text(path.name, path.read_bytes())
    events = controller.store / "events.ndjson"
    if events.exists():
        case.check_json("events", events.read_bytes(), lines=True)
    case.check_json("the controller's status", fetch(controller.address + "/v1/status"))
    case.check_text("the controller's /status", fetch(controller.address + "/status"))
    check_metrics(case, "the controller's metrics", fetch(controller.address + "/metrics"))
    case.check_text("the controller's log", controller.log_path.read_bytes())
    plugin, store = case.options.kubectl, ["--store", f"dir:{controller.store}"]
    for service in services:
        where = f"{controller.address}/v1/maps/hostile/{service}/explain"
        case.check_text("explain", fetch(where))
        case.check_json("explain, JSON", fetch(where + "?output=json"))
        case.check_text("why", run([plugin, "traffic", "why", service, "-n", "hostile", *store]))
        case.check_text("placement endpoint", run(
            [plugin, "placement", "endpoint", service, "-n", "hostile", *store]))
    case.check_text("get", run([plugin, "get", "tm", "-A", "-o", "wide", *store]))
    case.check_json("get -o json", run([plugin, "get", "tm", "-A", "-o", "json", *store]))
    case.check_text("get -o yaml", run([plugin, "get", "tm", "-A", "-o", "yaml", *store]))
    case.check_text("top", run(["timeout", "3", plugin, "traffic", "top", "-A", *store]))


BIDI, RED = "\u202eSMUGGLED\u2066", "\x1b[31mSMUGGLED"


def written_text(case):
    """The same in what others write: names of clusters, drains, phases, endpoints"""
    document = manifest("written", {"c" + BIDI: "http://127.0.0.1:1", "d": "http://127.0.0.1:2",
                                    "e": f"http://127.0.0.1:1/{BIDI}", "f": "http://h/" + RED})
    drains = {"x": {"cluster": "d", "reason": RED + BIDI}}
    document["metadata"]["annotations"] = {"ome.io/traffic-drain": json.dumps(drains),
                                           "ome.io/" + BIDI: RED}
    refused = manifest("refused", {"d": "http://127.0.0.1:2"})
    refused["metadata"]["annotations"] = {"ome.io/traffic-drain": json.dumps(
        {"id" + BIDI: {"cluster": "d" + RED, "reason": RED, BIDI: 1}})}
    malformed = manifest("malformed", {"d": "http://127.0.0.1:2"})
    malformed["metadata"]["annotations"] = {"ome.io/traffic-drain": "{" + RED + BIDI}
    malformed["status"]["placement"]["phase"] = RED + BIDI
    malformed["spec"]["placement"]["mode"] = BIDI
    with tempfile.TemporaryDirectory() as folder:
        observer = Observer(case.options.observer, file=False)
        controller = Controller(case.options, folder, observer, {})
        try:
            place = controller.store / "inferenceservices/hostile"
            for name, one in (("written", document), ("malformed", malformed),
                              ("refused", refused)):
                place.joinpath("." + name).write_text(json.dumps(one))
                place.joinpath("." + name).rename(place / f"{name}.yaml")
            case.check("there is a map", wait(lambda: controller.maps()),
                       controller.log_path.read_text())
            time.sleep(1)
            store = ["--store", f"dir:{controller.store}", "-n", "hostile"]
            for words in (["traffic", "why", "written"], ["traffic", "why", "malformed"],
                          ["traffic", "why", "refused"], ["placement", "endpoint", "written"],
                          ["placement", "endpoint", "malformed"],
                          ["get", "tm"], ["get", "tm", "-o", "wide"]):
                case.check_text(" ".join(words), run([case.options.kubectl, *words, *store]))
            for path in ("/status", "/v1/maps/hostile/written/explain"):
                case.check_text(path, fetch(controller.address + path))
            check_metrics(case, "metrics", fetch(controller.address + "/metrics"))
            case.check_text("status", run([case.options.observer, "status", "--url", observer.address]))
            case.check_text("the controller's log", controller.log_path.read_bytes())
            case.check_text("the observer's log", observer.log())
        finally:
            controller.stop()
            observer.stop()


def smuggled_text(case):
    """Controls, escapes, quotes, bidi, invalid UTF-8, 64 KB phrases in each place of an answer"""
    with Peers() as peers, tempfile.TemporaryDirectory() as folder:
        services = endpoints(peers)
        flags = ("--metrics-per-home", "--log-level", "debug", "--max-concurrent-requests", "64")
        watched = Observer(case.options.observer, *flags, file=False)
        second = Observer(case.options.observer, *flags, "--log-format", "json", file=False)
        controller = None
        try:
            second.put_all([declared(name, homes, probe={"period": "3s"}, capacity={"period": "3s"})
                            for name, homes in services.items()])
            controller = Controller(case.options, folder, watched, services)
            case.check("every home was tried", wait(lambda: all_tried(watched, services) and
                                                    all_tried(second, services), 60))
            case.check("every service has its map", wait(
                lambda: len(controller.maps()) == len(services) and b"fallbackReason" in
                controller.maps()[0].read_bytes(), 30), len(controller.maps()))
            time.sleep(4)  # gates close
            check_observer(case, watched, services)
            check_controller(case, controller, services)
            text, lines = watched.log(), second.log_path.read_bytes()
        finally:
            if controller is not None:
                controller.stop()
            watched.stop()
            second.stop()
        case.check_text("the log", text)
        case.check_json("the log in JSON", lines, lines=True)
        case.check("what is checked is what they said", text.count("SMUGGLED") > len(PLACES))
        case.check("nobody forges a line", not [line for line in text.splitlines()
                                                if line.startswith("SMUGGLED")])
        case.check("no line is long", max(map(len, text.splitlines())) < 4096)
        case.show(f"{len(PLACES)} places x {len(TEXTS)} texts, {len(text.splitlines())} log lines")


CASES = [smuggled_text, written_text]
