"""A real Kubernetes API server as Python scripts start it (tests/kube/servers_program.cpp): requests
to it, and its history as etcd has it."""
import base64
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

from program_scripts import ROOT

GROUP = "/apis/ome.io/v1beta1"
PATIENCE = 120
SKIPPED = 77


class ApiError(Exception):
    """The server refused."""

    def __init__(self, status, text):
        super().__init__(f"HTTP {status}: {text[:500]}")
        self.status = status


class KubeServers:
    """etcd, kube-apiserver and two of the controllers, on loopback. They end with this process."""

    def __init__(self):
        if os.environ.get("OME_KUBE") == "off":
            print("left out: OME_KUBE=off")
            sys.exit(SKIPPED)
        program = os.environ.get("OME_KUBE_SERVERS", str(ROOT / "build/tests/kube/kube_servers"))
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            if self.process.wait() == SKIPPED and os.environ.get("OME_KUBE") != "required":
                sys.exit(SKIPPED)
            raise SystemExit("the servers did not start: " + line + self.process.stdout.read())
        where = json.loads(line)
        self.port, self.etcd_port = where["api"], where["etcd"]
        self.folder, self.token = pathlib.Path(where["folder"]), where["token"]
        self.kubeconfig = where["kubeconfig"]
        self.program = where["programs"] + "/kubectl"
        self.lock = threading.Lock()
        self.local = threading.local()
        self.trust = ssl.create_default_context(cafile=self.folder / "ca.crt")

    def tell(self, command):
        with self.lock:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if answer != "ok\n":
            raise SystemExit(f"{command}: {answer}")

    def kubectl(self, *arguments, text=None):
        until = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run([self.program, "--kubeconfig=" + self.kubeconfig, *arguments], input=text,
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            # `kubectl wait` does not wait for a type that was made so lately that it has no conditions.
            if "conditions accessor error: <nil>" not in done.stderr or time.monotonic() > until:
                break
            time.sleep(0.1)
        if done.returncode != 0:
            raise SystemExit(f"kubectl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def install(self):
        """Our types, and the rights that are shipped."""
        manifests = ROOT / "deploy/examples/kubernetes"
        self.kubectl("apply", "-f", str(ROOT / "deploy/crds"), "-f", str(manifests / "00-namespace.yaml"),
                     "-f", str(manifests / "10-rbac.yaml"), "-f", str(manifests / "11-rbac-publisher.yaml"))
        self.kubectl("wait", "--for=condition=Established", "--timeout=120s", "crd/trafficmaps.ome.io",
                     "crd/inferenceservices.ome.io")

    def send(self, method, path, body=None, kind="application/json"):
        """As admin. OSError: there is no server now."""
        text = None if body is None else json.dumps(body)
        kept = getattr(self.local, "connection", None)
        try:
            status, content = self.exchange(method, path, text, kind)
        except OSError:
            # One that was kept may have died since: that says nothing of the server.
            if kept is None:
                raise
            status, content = self.exchange(method, path, text, kind)
        if status >= 300:
            raise ApiError(status, content)
        return json.loads(content) if content.startswith("{") else content

    def exchange(self, method, path, text, kind):
        """Over a connection of this thread's own."""
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.trust)
            self.local.connection = connection
        try:
            connection.request(method, path, text,
                               {"Authorization": "Bearer " + self.token, "Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as trouble:
            connection.close()
            self.local.connection = None
            raise OSError(str(trouble)) from trouble

    def merge(self, path, body):
        return self.send("PATCH", path, body, "application/merge-patch+json")

    def etcd(self, path, document, timeout=20):
        request = urllib.request.Request(f"http://127.0.0.1:{self.etcd_port}/v3/{path}",
                                         json.dumps(document).encode(), {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return opener.open(request, timeout=timeout)

    def revision(self):
        with self.etcd("kv/range", {"key": "AA=="}) as answer:
            return int(json.load(answer)["header"]["revision"])

    def compact(self, revision):
        """Versions before it that are not the present ones are forgotten."""
        self.etcd("kv/compaction", {"revision": str(revision), "physical": True}).close()

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class EtcdWatch:
    """Every version of what stands below a prefix, in order, told to `take(revision, key, value)`, with
    None for a deletion. No API server can come between, and a broken watch goes on where it was.
    `missed`: how many revisions were compacted away before they were seen."""

    def __init__(self, servers, prefix, take):
        self.servers, self.prefix, self.take = servers, prefix, take
        self.next = servers.revision() + 1
        self.missed = 0
        self.ended = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended:
            try:
                self.read()
            except (OSError, ValueError, http.client.HTTPException):
                time.sleep(0.05)

    def read(self):
        end = self.prefix[:-1] + chr(ord(self.prefix[-1]) + 1)
        with self.servers.etcd("watch", {"create_request": {
                "key": encoded(self.prefix), "range_end": encoded(end), "start_revision": str(self.next)}},
                timeout=None) as stream:
            for line in stream:
                result = json.loads(line)["result"]
                if result.get("canceled"):
                    oldest = int(result.get("compact_revision", 0))
                    self.missed += max(0, oldest - self.next)
                    self.next = max(self.next, oldest)
                    return
                for event in result.get("events", []):
                    self.hand_over(event)

    def hand_over(self, event):
        entry = event["kv"]
        revision = int(entry["mod_revision"])
        if revision < self.next - 1:
            return
        value = None if event.get("type") == "DELETE" else base64.b64decode(entry["value"])
        self.take(revision, base64.b64decode(entry["key"]).decode(), value)
        self.next = revision + 1

    def stop(self):
        self.ended = True
