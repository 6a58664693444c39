"""The programs of a field case: the misbehaving homes and one observer, on loopback only."""
import json
import os
import pathlib
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request


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


class Homes:
    """The script of misbehaving homes, given by path, with the ports that it chose."""

    def __init__(self, script, *arguments, base=None):
        where = ["--base", str(base)] if base else ["--ephemeral"]
        self.command = [sys.executable, script, "--print-json", *where, *arguments]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL)
        table = json.loads(self.process.stdout.readline())
        self.ports, self.ca = table["ports"], table["ca"]

    def stop(self):
        self.process.kill()
        self.process.wait()

    def at(self, case, listener="http", host="127.0.0.1", scheme="http"):
        """An endpoint that behaves as `case` says."""
        return f"{scheme}://{host}:{self.ports[listener]}/c/{case}"

    def raw(self, listener, host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.ports[listener]}/c/ok"

    def tls(self, listener, case="ok", host="localhost"):
        return self.at(case, listener, host, "https")

    def sequence(self, name, steps, cycle=False):
        """An endpoint that takes one step a request; the last one repeats, or all of them do."""
        body = json.dumps({"steps": steps, "cycle": cycle}).encode()
        self.control(f"/seq/{name}", body)
        return f"http://127.0.0.1:{self.ports['http']}/seq/{name}"

    def control(self, path, body=None):
        return json.loads(fetch(f"http://127.0.0.1:{self.ports['control']}{path}", body))

    def log(self, kind=None, **wanted):
        return [event for event in self.control("/log")
                if kind in (None, event["kind"]) and
                all(event.get(key) == value for key, value in wanted.items())]


class Observer:
    """One `ome-observer serve` with a services file that starts empty."""

    def __init__(self, binary, *flags, environment=None, descriptors=None):
        self.folder = tempfile.TemporaryDirectory(prefix="ome-field-")
        self.file = pathlib.Path(self.folder.name, "services.json")
        self.file.write_text("[]")
        self.log_path = pathlib.Path(self.folder.name, "log")
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        command = [binary, "serve", "--services", str(self.file), "--allow-loopback",
                   "--listen", f"127.0.0.1:{self.port}", *flags]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
                 ) if descriptors else None
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=limit,
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

    def alive(self):
        return self.process.poll() is None

    def log(self):
        return self.log_path.read_text(errors="replace")

    def declare(self, services):
        self.file.write_text(json.dumps(services))
        self.process.send_signal(signal.SIGHUP)

    def services(self):
        return json.loads(fetch(self.address + "/v1/services"))["services"]

    def status(self):
        return json.loads(fetch(self.address + "/v1/status"))

    def metrics(self):
        return fetch(self.address + "/metrics")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")")[-1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        seconds = end(self.process)
        self.folder.cleanup()
        return seconds
