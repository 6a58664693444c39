"""The script of misbehaving homes, and what a field case starts beside it, on loopback only."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

# Cases take all their programs from here.
from program_scripts import Observer, fetch, free_port, free_range  # noqa: E402, F401


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
