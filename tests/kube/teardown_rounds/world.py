"""The services of a round, what belongs to others beside them, and the controllers."""
import copy
import json
import os
import shutil
import subprocess

from api import program
from checker import LABEL, SOURCE

HOLD = "example.com/hold"
CLUSTERS = ["worker-a", "worker-b", "worker-c"]
OBSERVER = {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16, "maxResponseBytes": 65536,
            "minPeriod": "1s", "maxSamples": 100}


class Installation:
    """The configuration file of the controllers."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "config.json")
        self.clusters = os.path.join(folder, "clusters")
        self.values = {}

    def connect(self, kubeconfig):
        os.makedirs(self.clusters)
        for cluster in CLUSTERS:
            shutil.copy(kubeconfig, os.path.join(self.clusters, cluster + ".yaml"))

    def put(self, **values):
        """`routing`, `gateway`, `namespace` (of the routes), `service_type`."""
        self.values.update(values)
        self.write()

    def write(self):
        now = self.values
        text = json.dumps({
            "routing": {"enabled": now["routing"], "observer": OBSERVER,
                        "publisher": {"resyncInterval": "1m"}},
            "endpoint": {
                "globalGateway": "gateways/global" if now["gateway"] else "",
                "backendPort": 443 if now["gateway"] else 0,
                "globalHostTemplate": "{{ .Name }}.{{ .Namespace }}.global.example.com",
                "routeNamespace": now["namespace"],
                "gatewayBackend": {
                    "serviceType": now["service_type"],
                    "tls": {"enabled": True, "wellKnownCACertificates": "System"},
                    "endpointSlices": {"enabled": True, "addressRefreshInterval": "30s"},
                } if now["gateway"] else {}}})
        with open(self.path + ".new", "w") as file:
            file.write(text)
        os.rename(self.path + ".new", self.path)


class Controller:
    """`run --store kube` in the role of deploy/examples, through the proxy."""

    def __init__(self, kubeconfig, installation, log, identity):
        self.log = log
        # It ends with us, however that happens.
        command = ["setpriv", "--pdeathsig=KILL",
                   program("OME_TRAFFICMAP", "src/controller/ome-trafficmap"), "run",
                   "--store=kube", "--kubeconfig=" + kubeconfig,
                   "--lease-namespace=ome-observer", "--identity=" + identity,
                   "--lease-duration=4s", "--renew-deadline=3s", "--retry-period=300ms",
                   "--config=" + installation.path, "--config-interval=200ms",
                   "--workload-kubeconfigs=" + installation.clusters,
                   "--observer=http://127.0.0.1:1", "--listen=127.0.0.1:0"]
        with open(log, "ab") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out,
                                            stdin=subprocess.DEVNULL)

    def alive(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Services:
    """InferenceServices of one namespace, each with two or three homes."""

    def __init__(self, api, ns, count, rng):
        self.api, self.ns, self.rng = api, ns, rng
        self.homes = {f"s{i}": CLUSTERS[:rng.choice([2, 3])] for i in range(count)}

    def create(self, held):
        """`held`: by the finalizer of the placement controller, for a name."""
        for name in self.homes:
            hold = ["ome.io/placement"] if name in held else []
            self.api.create("inferenceservices", self.ns, {
                "metadata": {"name": name, "finalizers": hold},
                "spec": {"placement": {"policy": "ClusterAffinity", "mode": "All"}}})
            self.place(name)

    def place(self, name):
        candidates = [{"cluster": cluster, "phase": "Admitted", "admittedReplicas": 2,
                       "readyReplicas": 2, "endpoint": f"http://{self.host(name, cluster)}"}
                      for cluster in self.homes[name]]
        self.api.patch("inferenceservices", self.ns, name, {"status": {"placement": {
            "phase": "Placed", "candidates": candidates}}}, "status")

    def host(self, name, cluster):
        return f"{name}.{self.ns}.{cluster}.example.com"

    def lose_home(self, name):
        self.homes[name] = self.homes[name][1:]
        self.place(name)

    def switch(self, on):
        for name in self.homes:
            self.api.patch("inferenceservices", self.ns, name,
                           {"spec": {"routing": {"enabled": on}}})

    def let_go(self, name):
        self.api.patch("inferenceservices", self.ns, name, {"metadata": {"finalizers": None}})


class Foreign:
    """Objects of others: they stay as they are."""

    def __init__(self, api, checker):
        self.api, self.checker = api, checker
        self.made = []

    def create(self, plural, ns, body, status=None):
        made = self.api.create(plural, ns, body)
        if status:
            made = self.api.patch(plural, ns, made["metadata"]["name"], {"status": status},
                                  "status")
        self.checker.foreign.add(made["metadata"]["uid"])
        self.made.append((plural, ns, made))

    def workload(self, services):
        """What the homes' clusters say of where they are: for these tests it is the same server."""
        ns = services.ns
        self.create("gateways", ns, {"metadata": {"name": "edge"}, "spec": {
            "gatewayClassName": "test",
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]}},
            {"addresses": [{"type": "IPAddress", "value": "203.0.113.10"},
                           {"type": "IPAddress", "value": "2001:db8::10"}]})
        for name in services.homes:
            self.create("httproutes", ns, {"metadata": {"name": name}, "spec": {
                "parentRefs": [{"name": "edge"}],
                "hostnames": [services.host(name, cluster) for cluster in CLUSTERS]}})

    def neighbours(self, ns):
        """Like ours, and not ours; some with part of our labels."""
        name, service = "of-others", {"ports": [{"port": 80}]}
        half = {LABEL: "placement-endpoint", SOURCE: "of-nobody", SOURCE + "-namespace": ns}
        self.create("services", ns, {"metadata": {"name": name}, "spec": service})
        self.create("services", ns, {"metadata": {"name": "half", "labels": half}, "spec": service})
        self.create("httproutes", ns, {"metadata": {"name": name}, "spec": {
            "parentRefs": [{"name": "global", "namespace": "gateways"}],
            "hostnames": [f"others.{ns}.example.com"],
            "rules": [{"backendRefs": [{"name": name, "port": 80}]}]}})
        self.create("endpointslices", ns, {
            "metadata": {"name": name, "labels": {"kubernetes.io/service-name": name}},
            "addressType": "IPv4", "endpoints": [{"addresses": ["203.0.113.99"]}]})
        self.create("backendtlspolicies", ns, {"metadata": {"name": name}, "spec": {
            "targetRefs": [{"group": "", "kind": "Service", "name": name}],
            "validation": {"wellKnownCACertificates": "System", "hostname": "others.example.com"}}})
        self.create("referencegrants", ns, {"metadata": {"name": name}, "spec": {
            "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": ns}],
            "to": [{"group": "", "kind": "Service"}]}})
        self.create("trafficmaps", ns, {"metadata": {"name": name},
                                        "spec": {"service": name, "mode": "All"}})

    def changed(self, gone):
        """Those that are not as they were; all of the namespaces in `gone` had to go."""
        changed = []
        for plural, ns, before in self.made:
            if ns in gone:
                continue
            now = self.api.get(plural, ns, before["metadata"]["name"])
            if now is None or self.essence(now) != self.essence(before):
                changed.append(f"{before['kind']} {ns}/{before['metadata']['name']}")
        return changed

    @staticmethod
    def essence(thing):
        kept = copy.deepcopy({name: value for name, value in thing.items() if name != "status"})
        kept["metadata"].pop("managedFields", None)
        if thing["kind"] == "TrafficMap":  # the publisher says of it that it is nobody's
            kept["metadata"].pop("resourceVersion", None)
        return kept
