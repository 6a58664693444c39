"""What is measured: built, started on its core, and ended by its process id."""
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

from . import machine

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from program_scripts import Observer, Simulator, fetch, free_port  # noqa: E402

TARGETS = ["src/observer/ome-observer", "src/controller/ome-trafficmap", "tools/homesim/ome-homesim"]
SETUP = ["--wrap-mode=nofallback", "-Dtests=false", "-Doptimization=2", "-Db_ndebug=true"]
BUILD_LIMIT = 3600
OLDEST_GO = 22   # 1.22
BLACKBOX = "prometheus-blackbox-exporter"


class Missing(Exception):
    """A peer that is not on this machine: what is compared with it is left out, by name."""


def _step(name, command):
    """A step of the build, which shows itself how far it is."""
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr, timeout=BUILD_LIMIT)
    if done.returncode != 0:
        raise RuntimeError(f"{name} failed")


def build(folder, more, say):
    """The optimised programs in `folder`, configured on the first run, with `more` options then."""
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.setdefault("CCACHE_NOHASHDIR", "1")
    os.environ.setdefault("NINJA_STATUS", "[%f/%t, %es] ")
    if not (folder / "build.ninja").exists():
        say(f"configuring {folder} ({' '.join([*SETUP, *more])})")
        _step("meson", ["meson", "setup", str(folder), *SETUP, *more])
    say(f"building in {folder}")
    _step("the build", ["ninja", "-C", str(folder), *TARGETS])


def build_go_observer(folder, say):
    """The Go observer, or None where no Go is that can build it."""
    go = shutil.which("go")
    said = _first_line(["go", "env", "GOVERSION"]) or "no Go"
    version = re.fullmatch(r"go1\.(\d+).*", said)
    if version is None or int(version[1]) < OLDEST_GO:
        say(f"{said} here, and Go 1.{OLDEST_GO} is needed: rows are measured without the Go observer")
        return None
    say("building the Go observer")
    made = folder / "goobserver"
    done = subprocess.run([go, "build", "-o", str(made), "."], cwd=ROOT / "tests/bench/peers/goobserver",
                          capture_output=True, text=True, timeout=BUILD_LIMIT,
                          env={**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod -trimpath"})
    if done.returncode != 0:
        raise RuntimeError(f"go build failed:\n{done.stderr[-2000:]}")
    return made


def _first_line(command):
    path = shutil.which(command[0])
    if not path:
        return None
    done = subprocess.run([path, *command[1:]], capture_output=True, text=True, timeout=20)
    lines = (done.stdout + done.stderr).strip().splitlines() or ["unknown"]
    return re.sub(r",? (Copyright|\(Library|\(branch|- http).*", "", lines[0])


def build_options(folder):
    """Those of a build folder that speed depends on, as they would be typed."""
    known = json.loads((folder / "meson-info/intro-buildoptions.json").read_text())
    values = {option["name"]: str(option["value"]).lower() for option in known}
    return " ".join(f"-D{name}={values[name]}" for name in ("optimization", "b_ndebug", "b_lto"))


def versions(folder):
    """{program: its own words, None where it is missing}"""
    source = _first_line(["git", "-C", str(ROOT), "describe", "--always", "--dirty"])
    return {
        "ome-observer": f"{_first_line([str(folder / TARGETS[0]), '--version'])} (commit {source}; "
                        f"{build_options(folder)})",
        "wrk": _first_line(["wrk", "-v"]),
        "h2load": _first_line(["h2load", "--version"]),
        "haproxy": _first_line(["haproxy", "-v"]),
        BLACKBOX: _first_line([BLACKBOX, "--version"]),
        "go": _first_line(["go", "version"]),
        "openssl": _first_line(["openssl", "version"]),
    }


def need(program):
    path = shutil.which(program)
    if not path:
        raise Missing(f"{program} is not installed (tools/setup bench)")
    return path


def answers(port):
    """Whether an HTTP server is there already."""
    try:
        return bool(fetch(f"http://127.0.0.1:{port}/"))
    except OSError:
        return False


class Programs:
    """Starts what a row needs and ends all of it with the row."""

    def __init__(self, folder, go_observer, launcher):
        self.observer_path = str(folder / TARGETS[0])
        self.trafficmap_path = str(folder / TARGETS[1])
        self.homesim_path = str(folder / TARGETS[2])
        self.go_path = go_observer
        self.launcher = launcher
        self.living = {}

    def on_client_core(self):
        return machine.pinned(machine.CLIENT_CORE, self.launcher)

    def on_server_core(self):
        return machine.pinned(machine.SERVER_CORE, self.launcher)

    def pids(self):
        return [process.pid for process in self.living.values() if process.poll() is None]

    @contextlib.contextmanager
    def _lives(self, made):
        self.living[id(made)] = made.process
        try:
            yield made
        finally:
            made.stop()
            del self.living[id(made)]

    def homes(self, *arguments, launcher=None):
        """A context with the simulator, on the server's core."""
        return self._lives(Simulator(self.homesim_path, *map(str, arguments),
                                     launcher=self.on_server_core() if launcher is None else launcher))

    def observer(self, *flags, reactors=1, slots=64, launcher=None):
        """A context with an observer that takes declarations over the API, on the client's core."""
        return self._lives(Observer(
            self.observer_path, "--reactors", str(reactors), "--max-concurrent-requests", str(slots),
            "--min-period", "1ms", "--declaration-ttl", "0s", "--log-level", "error",
            *map(str, flags), file=False, launcher=self.on_client_core() if launcher is None else launcher))

    def peer(self, command):
        """A context with any other program that runs until it is told to end."""
        return self._lives(_Peer(command))

    def go(self, *arguments, limit):
        """The Go observer to its end: its figures."""
        if self.go_path is None:
            raise Missing(f"the Go observer needs Go 1.{OLDEST_GO} or later")
        return machine.run_to_end([*self.on_client_core(), str(self.go_path), *map(str, arguments)], limit,
                                  {"GOMAXPROCS": "1"}).output

    def load(self, program, *arguments, limit, core=machine.CLIENT_CORE):
        """wrk or h2load to its end."""
        return machine.run_to_end([*machine.pinned(core, self.launcher), need(program),
                                   *map(str, arguments)], limit)


class _Peer:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def raise_descriptor_limit():
    """For everything that is started from here."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
