"""Programs under test as Python scripts start them: an observer, the simulator; on loopback only."""
import json
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
OBSERVER = str(ROOT / "build/src/observer/ome-observer")
HOMESIM = str(ROOT / "build/tools/homesim/ome-homesim")


def fetch(url, body=None, method=None, timeout=10):
    """The answer's text. Goes straight to loopback whatever the environment says of proxies."""
    request = urllib.request.Request(url, data=body, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=timeout) as answer:
        return answer.read().decode()


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def free_range():
    """The first of many free ports in a row, below those that the kernel hands out itself."""
    while True:
        base = random.randrange(10000, 30000)
        try:
            for port in range(base, base + 40):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return base
        except OSError:
            continue


def end(process, patience=5):
    """Ends a program that was started here; seconds until it was gone, or None if it was killed."""
    begun = time.monotonic()
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None
    return time.monotonic() - begun


class Simulator:
    """`ome-homesim` with what its ready line says."""

    def __init__(self, binary, *arguments, launcher=()):
        self.process = subprocess.Popen([*launcher, binary, *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            raise RuntimeError(f"the simulator did not start: {line!r}")
        self.said = dict(word.split("=", 1) for word in line.split()[1:])

    def ports(self, label="homes"):
        return [int(url.rsplit(":", 1)[1]) for url in self.said[label].split(",")]

    def set(self, homes, behaviour):
        fetch(f"{self.said['control']}/homes/{homes}", json.dumps(behaviour).encode(), "POST")

    def reset(self):
        fetch(f"{self.said['control']}/reset?behaviours=true", b"", "POST")

    def stats(self):
        return json.loads(fetch(self.said["control"] + "/stats"))

    def stop(self):
        return end(self.process)


class Program:
    """What scripts ask of a program that runs: `process`, which logs to `log_path` and serves at `address`."""

    def alive(self):
        return self.process.poll() is None

    def log(self):
        return self.log_path.read_text(errors="replace")

    def metrics(self):
        return fetch(self.address + "/metrics")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def resident(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[-1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Observer(Program):
    """One `ome-observer serve`, with a services file that starts empty unless `file` is False.
    `launcher`: words before the command, as `nice -n -10`. `loopback`: homes may be there. `output`: a
    file or descriptor that it logs to, in place of what log() reads."""

    def __init__(self, binary, *flags, environment=None, descriptors=None, file=True, launcher=(),
                 loopback=True, output=None):
        self.folder = tempfile.TemporaryDirectory(prefix="ome-test-")
        self.file = pathlib.Path(self.folder.name, "services.json")
        self.file.write_text("[]")
        self.log_path = pathlib.Path(self.folder.name, "log")
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        command = [*launcher, binary, "serve", *(["--services", str(self.file)] if file else []),
                   *(["--allow-loopback"] if loopback else []),
                   "--listen", f"127.0.0.1:{self.port}", *flags]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
                 ) if descriptors else None
        with open(self.log_path, "w") as log:
            to = log if output is None else output
            self.process = subprocess.Popen(command, stdout=to, stderr=to, preexec_fn=limit,
                                            env={**os.environ, **(environment or {})})
        self.wait_ready()

    def wait_ready(self):
        for _ in range(200):
            try:
                return fetch(self.address + "/readyz")
            except (urllib.error.URLError, OSError):
                if not self.alive():
                    break
                time.sleep(0.05)
        said = self.log()
        self.stop()
        raise RuntimeError(f"the observer did not start: {said}")

    def declare(self, services):
        self.file.write_text(json.dumps(services))
        self.process.send_signal(signal.SIGHUP)

    def put(self, service):
        """Declares one service over the API."""
        path = f"/v1/services/{service['namespace']}/{service['name']}"
        request = urllib.request.Request(self.address + path, json.dumps(service).encode(),
                                         {"Content-Type": "application/json"}, method="PUT")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30):
            pass

    def put_all(self, services):
        """Declares the whole set, a service a line; the answer."""
        lines = "".join(json.dumps(service) + "\n" for service in services)
        request = urllib.request.Request(self.address + "/v1/services", lines.encode(),
                                         {"Content-Type": "application/x-ndjson"}, method="PUT")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)

    def services(self):
        return json.loads(fetch(self.address + "/v1/services"))["services"]

    def status(self):
        return json.loads(fetch(self.address + "/v1/status"))

    def stop(self):
        seconds = end(self.process)
        self.folder.cleanup()
        return seconds
