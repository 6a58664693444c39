"""A Kubernetes API server as its administrator: requests, and every version of some kinds."""
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import threading
import time

GATEWAY = "gateway.networking.k8s.io/v1"
KINDS = {  # the plural of each: apiVersion, kind
    "services": ("v1", "Service"),
    "namespaces": ("v1", "Namespace"),
    "endpointslices": ("discovery.k8s.io/v1", "EndpointSlice"),
    "httproutes": (GATEWAY, "HTTPRoute"),
    "gateways": (GATEWAY, "Gateway"),
    "backendtlspolicies": (GATEWAY, "BackendTLSPolicy"),
    "referencegrants": ("gateway.networking.k8s.io/v1beta1", "ReferenceGrant"),
    "inferenceservices": ("ome.io/v1beta1", "InferenceService"),
    "trafficmaps": ("ome.io/v1beta1", "TrafficMap"),
    "leases": ("coordination.k8s.io/v1", "Lease"),
}


ROOT = pathlib.Path(__file__).resolve().parents[3]


def program(variable, built):
    return os.environ.get(variable, str(ROOT / "build" / built))


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text[:300]}")
        self.status = status


class Servers:
    """`serve_kube`: runs until its standard input ends."""

    def __init__(self):
        wish = os.environ.get("OME_KUBE")
        if wish == "off":
            self.skip("left out: OME_KUBE=off")
        self.process = subprocess.Popen([program("OME_SERVE_KUBE", "tests/kube/serve_kube")],
                                        text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            code = self.process.wait()
            if code == 77 and wish != "required":
                self.skip("no Kubernetes servers: run tools/kube-tools, or set KUBEBUILDER_ASSETS")
            raise SystemExit(f"the servers did not start: {line!r}, exit code {code}")
        self.said = json.loads(line)

    @staticmethod
    def skip(why):
        print("skipped:", why)
        raise SystemExit(77)

    def file(self, name):
        return os.path.join(self.said["folder"], name)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def path_of(plural, ns="", name="", part=""):
    version = KINDS[plural][0]
    group = "/api/v1" if version == "v1" else "/apis/" + version
    place = f"/namespaces/{ns}" if ns and plural != "namespaces" else ""
    return f"{group}{place}/{plural}" + (f"/{name}" if name else "") + (f"/{part}" if part else "")


class Api:
    def __init__(self, servers):
        self.port, self.token = servers.said["port"], servers.said["token"]
        self.trust = ssl.create_default_context(cafile=servers.file("ca.crt"))

    def connect(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout,
                                           context=self.trust)

    def headers(self, content="application/json"):
        return {"Authorization": "Bearer " + self.token, "Content-Type": content}

    def ask(self, method, path, body=None, content="application/json"):
        for _ in range(60):
            status, text = self.try_once(method, path, body, content)
            if status != 429:
                break
            time.sleep(1)  # as the server asks for, which is still starting
        if status >= 300:
            raise Refused(status, text)
        return json.loads(text)

    def try_once(self, method, path, body, content):
        connection = self.connect()
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               self.headers(content))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def get(self, plural, ns, name):
        try:
            return self.ask("GET", path_of(plural, ns, name))
        except Refused as refused:
            if refused.status == 404:
                return None
            raise

    def list(self, plural, ns=""):
        return self.ask("GET", path_of(plural, ns))

    def create(self, plural, ns, body):
        version, kind = KINDS[plural]
        return self.ask("POST", path_of(plural, ns), {"apiVersion": version, "kind": kind, **body})

    def patch(self, plural, ns, name, body, part=""):
        return self.ask("PATCH", path_of(plural, ns, name, part), body,
                        "application/merge-patch+json")

    def delete(self, plural, ns, name, cascade="Background"):
        try:
            self.ask("DELETE", path_of(plural, ns, name), {"propagationPolicy": cascade})
        except Refused as refused:
            if refused.status != 404:
                raise


class Watch(threading.Thread):
    """Every version of one kind in all namespaces, from the moment it is made."""

    def __init__(self, api, plural):
        super().__init__(daemon=True)
        self.api, self.plural = api, plural
        listed = api.list(plural)
        self.version = listed["metadata"]["resourceVersion"]
        self.lock = threading.Lock()
        self.events = [("ADDED", {"kind": KINDS[plural][1], **one}) for one in listed["items"]]
        self.present = {key_of(one): one for _, one in self.events}
        self.broken = None
        self.start()

    def run(self):
        while self.broken is None:
            try:
                self.follow()
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)

    def follow(self):
        connection = self.api.connect(timeout=300)
        connection.request("GET", f"{path_of(self.plural)}?watch=1&allowWatchBookmarks=true"
                           f"&resourceVersion={self.version}", headers=self.api.headers())
        answer = connection.getresponse()
        while line := answer.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                self.broken = f"watch of {self.plural}: {event['object']}"
                return
            self.take(event["type"], event["object"])

    def take(self, what, thing):
        with self.lock:
            self.version = thing["metadata"]["resourceVersion"]
            if what == "BOOKMARK":
                return
            self.events.append((what, thing))
            if what == "DELETED":
                self.present.pop(key_of(thing), None)
            else:
                self.present[key_of(thing)] = thing

    def things(self):
        """What is there, as far as was heard."""
        with self.lock:
            return dict(self.present)

    def is_current(self):
        """Whether all that is there was heard of."""
        if self.broken is not None:
            raise SystemExit(self.broken)
        there = {key_of(one): version_of(one) for one in self.api.list(self.plural)["items"]}
        return there == {key: version_of(one) for key, one in self.things().items()}

    def taken(self, horizon):
        with self.lock:
            taken = [event for event in self.events if version_of(event[1]) <= horizon]
            self.events = [event for event in self.events if version_of(event[1]) > horizon]
            return taken


def key_of(thing):
    return thing["metadata"].get("namespace", ""), thing["metadata"]["name"]


def version_of(thing):
    return int(thing["metadata"]["resourceVersion"])
