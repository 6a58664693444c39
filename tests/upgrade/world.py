"""The small world in which fixtures of a release are made and read again: homes, observer, controller."""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program_scripts import ROOT, Observer, Simulator, end, fetch, free_port  # noqa: E402

TRAFFICMAP = str(ROOT / "build/src/controller/ome-trafficmap")
HOME_PORT = "47001"  # stands for the port of the homes in the files that are kept
HOMES = ("worker-a", "worker-b", "worker-c")
PATIENCE = 60

CONFIGURATION = {
    "endpoint": {"globalGateway": "gateways/public", "globalHostTemplate": "{{.Name}}.{{.Namespace}}.example.test",
                 "backendPort": 80},
    "routing": {
        "enabled": True,
        "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16, "maxResponseBytes": 65536,
                     "minPeriod": "1s", "maxSamples": 100},
        "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
                  "gateStatuses": [404, 500, 502, 503, 504], "period": "1s", "timeout": "900ms",
                  "failureThreshold": 2, "successThreshold": 3, "allFailedPolicy": "PreserveTraffic"},
        "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
                     "period": "1s", "timeout": "900ms", "maxAge": "1h"},
        "publisher": {"resyncInterval": "1m"}}}

# What each service is there to show.
SERVICES = {
    "chat": "",                                                          # published, with a ceiling
    "drained": 'ome.io/traffic-drain: \'{"maint":{"cluster":"worker-a","reason":"planned maintenance"}}\'',
    "silent": "",                                                        # its homes give no reports
}


def eventually(condition, what, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return
        time.sleep(0.1)
    raise RuntimeError(f"it did not come: {what}")


def manifest(name, annotation, port):
    lines = ["apiVersion: ome.io/v1beta1", "kind: InferenceService", "metadata:", f"  name: {name}",
             *(["  annotations:", f"    {annotation}"] if annotation else []),
             "spec:", "  placement: {policy: ClusterAffinity, mode: Split}", "status:", "  placement:",
             "    phase: Placed", "    candidates:"]
    for home in HOMES:
        path = f"{home}-{name}" if name == "silent" else home
        lines += [f"    - cluster: {home}", "      phase: Admitted",
                  f"      endpoint: http://localhost:{port}/h/{path}", "      admittedReplicas: 2",
                  "      readyReplicas: 2"]
    return "\n".join(lines) + "\n"


def start_homes(binary):
    """worker-b has one replica to give; worker-c fails its probes; reports of `silent` do not come."""
    names = [*HOMES, *(f"{home}-silent" for home in HOMES)]
    sim = Simulator(binary, *(word for name in names for word in ("--home", name)))
    sim.set("worker-a", {"poll": {"report": 3}})
    sim.set("worker-b", {"poll": {"report": 1}})
    sim.set("worker-c", {"poll": {"report": 2}, "probe": {"status": 503}})
    sim.set("*-silent", {"poll": {"status": 500}})
    return sim


def start_observer(binary, *flags):
    return Observer(binary, "--log-level", "error", *flags, file=False)


class Controller:
    """`ome-trafficmap run` over a folder."""

    def __init__(self, binary, store, config, observer_address, *flags):
        self.port = free_port()
        self.log_path = pathlib.Path(store).parent / f"controller-{self.port}.log"
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [binary, "run", "--store", f"dir:{store}", "--config", str(config), "--observer", observer_address,
                 "--listen", f"127.0.0.1:{self.port}", *flags], stdout=log, stderr=log)
        eventually(self.ready, "the controller is ready")

    def ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the controller has ended: {self.log()}")
        try:
            return fetch(f"http://127.0.0.1:{self.port}/readyz").startswith("ok")
        except OSError:
            return False

    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def explain(self, service):
        return json.loads(fetch(f"http://127.0.0.1:{self.port}/v1/maps/demo/{service}/explain"))

    def stop(self):
        return end(self.process)


def files_below(folder):
    """{name: text} of what the controller writes of maps and routes."""
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8")
            for part in ("trafficmaps", "routes") for path in sorted((folder / part).rglob("*.yaml"))}


def replace_in(folder, old, new):
    for base, _, names in os.walk(folder):
        for name in names:
            path = pathlib.Path(base, name)
            text = path.read_text(encoding="utf-8")
            if old in text:
                path.write_text(text.replace(old, new), encoding="utf-8")
