"""The programs at work, and a Prometheus that scrapes them: two services with a home that is gated, one over TLS
and one whose clock is an hour ahead, and a third service whose drain cannot be read."""
import json
import pathlib
import re
import subprocess
import tempfile
import urllib.parse

import kit
from program_scripts import Observer, Simulator, end, fetch, free_port

STARTING = 503
PROBE = {"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503], "period": "1s",
         "timeout": "500ms", "failureThreshold": 2, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2, "period": "1s",
            "timeout": "500ms", "maxAge": "30s"}
CONFIGURATION = {
    "endpoint": {"globalGateway": "gateway-system/global", "backendPort": 443,
                 "globalHostTemplate": "{{ .Name }}.{{ .Namespace }}.global.example.com"},
    "routing": {"enabled": True, "probe": PROBE, "capacity": CAPACITY, "publisher": {"resyncInterval": "1m"},
                "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16, "maxResponseBytes": 65536,
                             "minPeriod": "1s", "maxSamples": 100}}}


def service(name, homes, annotations=None):
    return {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
            "metadata": {"name": name, "namespace": "chat", "annotations": annotations or {}},
            "spec": {"placement": {"policy": "ClusterAffinity", "mode": "All", "clusterAffinity": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": list(homes)}]}]}},
            "status": {"placement": {"phase": "Placed", "candidates": [
                {"cluster": cluster, "phase": "Admitted", "endpoint": endpoint, "admittedReplicas": 2,
                 "readyReplicas": 2}
                for cluster, endpoint in homes.items()]}}}


class Programs:
    """Simulator, observer and controller; `metrics()` is what both answer."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ome-kit-")
        self.parts = []
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def path(self, *names):
        return pathlib.Path(self.folder.name, *names)

    def start(self):
        authority = self.path("ca.pem")
        self.homes = Simulator(kit.homesim(), "--home", "worker-a", "--home", "worker-b", "--home", "worker-c",
                               "--port", "0", "--control", "0", "--tls-port", "0", "--ca-file", str(authority))
        self.parts.append(self.homes.stop)
        self.homes.set("worker-b", {"probe": {"status": 503}})
        self.homes.set("worker-c", {"poll": {"skew": "1h"}})
        self.observer = Observer(kit.observer(), "--metrics-per-home", "--record", str(self.path("record.ndjson")),
                                 "--ca-file", str(authority), file=False)
        self.parts.append(self.observer.stop)
        self.start_controller()

    def endpoint(self, home):
        return f"http://127.0.0.1:{self.homes.ports()[0]}/h/{home}"

    def secured(self, home):
        """Of the simulator's ports with TLS the first has a good certificate."""
        return f"https://localhost:{self.homes.ports('tls')[0]}/h/{home}"

    def declare(self, made):
        folder = self.path("store", "inferenceservices", "chat")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / (made["metadata"]["name"] + ".json")).write_text(json.dumps(made))

    def start_controller(self):
        self.declare(service("qwen", {"worker-a": self.endpoint("worker-a"), "worker-b": self.endpoint("worker-b")}))
        self.declare(service("llama", {"worker-a": self.secured("worker-a"), "worker-c": self.endpoint("worker-c")}))
        self.declare(service("broken", {"worker-a": self.endpoint("worker-a")}, {"ome.io/traffic-drain": "no JSON"}))
        self.path("config.json").write_text(json.dumps(CONFIGURATION))
        self.port = free_port()
        with open(self.path("controller.log"), "w", encoding="utf-8") as log:
            process = subprocess.Popen([kit.trafficmap(), "run", f"--store=dir:{self.path('store')}",
                                        f"--config={self.path('config.json')}", f"--observer={self.observer.address}",
                                        f"--listen=127.0.0.1:{self.port}"], stdout=log, stderr=log)
        self.parts.append(lambda: end(process))

    def metrics(self):
        return {"ome-observer": self.observer.metrics(),
                "ome-trafficmap": fetch(f"http://127.0.0.1:{self.port}/metrics")}

    def settled(self):
        """every kind of trouble is in the metrics"""
        try:
            text = "\n".join(self.metrics().values())
        except OSError:
            return False
        return all(re.search(pattern, text, re.MULTILINE) for pattern in (
            r"^ome_observer_gated_homes [1-9]", r"^ome_observer_home_ceiling{", r"^ome_trafficmap_frozen{",
            r"^ome_observer_home_certificate_expiry", r"^ome_trafficmap_capacity_fallback_homes{[^}]*llama[^}]*} 1",
            r'^ome_trafficmap_publications{reason="InvalidPlan"} 2', r"^ome_trafficmap_publication_fallback{",
            r"^ome_observer_home_clock_skew_seconds{"))

    def stop(self):
        for stop in reversed(self.parts):
            stop()
        self.folder.cleanup()


class Prometheus:
    """Scrapes these programs every second, by the configuration that is shipped, with its rules. They
    wait a second where they would wait minutes."""

    def __init__(self, targets):
        self.folder = tempfile.TemporaryDirectory(prefix="ome-prometheus-")
        self.port = free_port()
        shipped = (kit.DEPLOY / "prometheus/prometheus.yaml").read_text()
        for default, port in targets.items():
            shipped = shipped.replace(f"127.0.0.1:{default}", f"127.0.0.1:{port}")
        # As the Prometheus operator labels what it finds: with the namespace of the pods.
        shipped = re.sub(r"( +)- (targets: .*)", r"\1- \2\n\1  labels: {namespace: ome-observer}", shipped)
        self.write("prometheus.yaml", re.sub(r"_interval: 30s", "_interval: 1s", shipped))
        rules = (kit.DEPLOY / "prometheus/rules.yaml").read_text()
        self.write("rules.yaml", re.sub(r"for: \d+[mh]", "for: 1s", rules))
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [kit.tool("prometheus"), f"--config.file={self.path('prometheus.yaml')}",
                 f"--storage.tsdb.path={self.path('data')}", f"--web.listen-address=127.0.0.1:{self.port}",
                 "--log.level=warn"], stdout=log, stderr=log)

    def path(self, name):
        return pathlib.Path(self.folder.name, name)

    def write(self, name, text):
        self.path(name).write_text(text)

    def ask(self, path, **parameters):
        """The data of an answer; None while there is none."""
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        try:
            answer = json.loads(fetch(f"http://127.0.0.1:{self.port}/api/v1/{path}{query}"))
        except OSError as trouble:
            if self.process.poll() is not None:
                raise AssertionError(f"Prometheus has ended: {self.path('log').read_text()[-2000:]}") from trouble
            if getattr(trouble, "code", STARTING) == STARTING:
                return None
            raise AssertionError(f"{path}{query}: {trouble.read().decode()}") from trouble
        return answer["data"]

    def firing(self):
        found = (self.ask("alerts") or {}).get("alerts", [])
        return {alert["labels"]["alertname"]: alert for alert in found if alert["state"] == "firing"}

    def stop(self):
        end(self.process)
        self.folder.cleanup()
