"""Where the services of a soak and their maps are kept: a folder, or an API server that restarts."""
import json
import pathlib
import re
import threading
import time

from kube_scripts import GROUP, ApiError

NAMESPACE = "soak"
PATIENCE = 120  # seconds until a write has reached an API server
AWAY = 3        # seconds for which it is not there


class FolderStore:
    """`drain_patience`: seconds until a drain is in the map, on a machine that has other work."""

    drain_patience = 20

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.services = self.folder / "inferenceservices" / NAMESPACE
        self.services.mkdir(parents=True)

    def controller_flags(self):
        return [f"--store=dir:{self.folder}"]

    def write(self, name, manifest):
        aside = self.services / f".{name}"
        aside.write_text(json.dumps(manifest))
        aside.rename(self.services / f"{name}.json")

    def remove(self, name):
        (self.services / f"{name}.json").unlink(missing_ok=True)

    def entries(self, name):
        """Of the map as it stands, by cluster; None: there is none now."""
        try:
            return entries_of((self.folder / "trafficmaps" / NAMESPACE / f"{name}.yaml").read_text())
        except OSError:
            return None

    def stop(self):
        pass


def entries_of(text):
    """The entries of a map's file by cluster, with their whole numbers by last name."""
    entries = {}
    for part in re.split(r"\n  - ", text.partition("\n  entries:")[2])[1:]:
        part = re.split(r"\n {0,2}\w", "    " + part)[0]
        cluster = re.search(r"^    cluster: (\S+)", part, re.M)
        if cluster:
            entry = entries[cluster.group(1)] = {
                name: int(value) for name, value in re.findall(r"^\s+(\w+): (-?\d+)$", part, re.M)}
            if "drainRefs" in part:
                entry["drainRefs"] = True
    return entries


class KubeStore:
    """On real servers (kube_scripts.KubeServers), whose API server is away for a moment every `every`
    seconds."""

    drain_patience = 60

    def __init__(self, servers, every):
        self.servers, self.every, self.restarts = servers, every, 0
        servers.install()
        servers.kubectl("create", "namespace", NAMESPACE)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.restart_now_and_then, daemon=True)
        self.thread.start()

    def restart_now_and_then(self):
        while not self.ended.wait(self.every):
            self.servers.tell("stop-api")
            self.ended.wait(AWAY)
            self.servers.tell("start-api")
            self.restarts += 1

    def controller_flags(self):
        return ["--store=kube", "--namespaces=" + NAMESPACE, "--kubeconfig=" + self.servers.kubeconfig,
                "--lease-namespace=ome-observer", "--identity=soak"]

    def path(self, name):
        return f"{GROUP}/namespaces/{NAMESPACE}/inferenceservices/{name}"

    def insist(self, request):
        """A request that changes nothing when it is made twice, until it was answered."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return request()
            except (OSError, ApiError) as trouble:
                hopeless = isinstance(trouble, ApiError) and trouble.status not in (404, 409, 429, 500, 503)
                if hopeless or time.monotonic() > until:
                    raise OSError(str(trouble)) from trouble
                time.sleep(0.2)

    def write(self, name, manifest):
        drain = manifest["metadata"]["annotations"].get("ome.io/traffic-drain")
        body = {"metadata": {"annotations": {"ome.io/traffic-drain": drain}}, "spec": manifest["spec"]}
        self.insist(lambda: self.merge_or_make(name, body))
        self.insist(lambda: self.servers.merge(self.path(name) + "/status", {"status": manifest["status"]}))

    def merge_or_make(self, name, body):
        try:
            self.servers.merge(self.path(name), body)
        except ApiError as refusal:
            if refusal.status != 404:
                raise
            annotations = {key: text for key, text in body["metadata"]["annotations"].items() if text}
            self.servers.send("POST", self.path(name).rpartition("/")[0], {
                "apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
                "metadata": {"name": name, "annotations": annotations}, "spec": body["spec"]})

    def remove(self, name):
        def request():
            try:
                self.servers.send("DELETE", self.path(name))
            except ApiError as refusal:
                if refusal.status != 404:
                    raise
        self.insist(request)

    def entries(self, name):
        try:
            map_ = self.servers.send("GET", f"{GROUP}/namespaces/{NAMESPACE}/trafficmaps/{name}")
        except (OSError, ApiError):
            return None
        if not map_["spec"].get("entries"):
            return None  # made for a service that is not placed yet
        return {entry["cluster"]: entry | entry.get("capacity", {}) for entry in map_["spec"]["entries"]}

    def stop(self):
        self.ended.set()
        self.thread.join(120)
        self.servers.stop()
