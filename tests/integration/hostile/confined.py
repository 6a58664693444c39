"""Programs with hardly any right: no root, nothing to write, no capability, few system calls."""
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from checking import Skipped, wait
from homes import answer, declared, readings, report
from program_scripts import Observer
from scripted_names import Names
from scripted_peer import Peers, make_certificate, server_context
from smuggling import Controller

NOBODY = "65534"
HERE = pathlib.Path(__file__).parent
# A root that nothing can be written to but one small folder, as a container's emptyDir is.
CONFINE = """set -e
mount --make-rprivate /
mount -t tmpfs -o mode=0777,size=16m tmpfs "$1"
cp -r "$1.seed/." "$1"
chmod -R a+rwX "$1"
mount -o remount,bind,ro /
shift
exec setpriv --reuid %s --regid %s --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
""" % (NOBODY, NOBODY)


def confinement(folder):
    """The words before a command; `folder` is what can be written to, filled from FOLDER.seed."""
    for program in ("unshare", "setpriv"):
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")
    pathlib.Path(str(folder) + ".seed").mkdir(exist_ok=True)
    words = ["unshare", "--mount", "sh", "-c", CONFINE, "sh", str(folder)]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise Skipped(f"namespaces cannot be made here: {tried.stderr.strip()[:100]}")
    return words


def check_confined(case, what, pid):
    said = pathlib.Path(f"/proc/{pid}/status").read_text()
    for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"):
        case.check(f"{what} has no capability ({name})",
                   int(re.search(rf"{name}:\s+(\w+)", said)[1], 16) == 0, said)
    case.check(f"{what} is nobody", re.search(r"Uid:\s+(\d+)", said)[1] == NOBODY, said)
    case.check(f"{what} gains no privileges", "NoNewPrivs:\t1" in said, said)
    mounts = pathlib.Path(f"/proc/{pid}/mountinfo").read_text()
    root = [line for line in mounts.splitlines() if line.split()[4] == "/"]
    case.check(f"{what} has a read-only root", root and all(",ro" in "," + line.split()[5]
                                                            for line in root), root)


def least_privilege(case):
    """Not root, a root file system that is read-only, no capabilities, no new privileges"""
    with Peers() as peers, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        writable = pathlib.Path(folder, "data")
        writable.mkdir()
        words = confinement(writable)

        async def serve(wire):
            await wire.read_head()
            await wire.write(answer(report()))
        port = peers.listen(serve)
        home = f"http://127.0.0.1:{port}"
        observer = Observer(case.options.observer, file=False, launcher=words)
        controller = None
        try:
            check_confined(case, "ome-observer", observer.process.pid)
            controller = ConfinedController(case.options, writable, observer, {"c": home}, words)
            case.check("a gate and a ceiling come about", wait(lambda: readings(observer).get(
                ("kept", "c"), {}).get("capacity", {}).get("ceiling") == 4 and readings(observer)[
                    "kept", "c"]["probe"]["result"] == "Passing", 60), controller.log_path.read_text())
            check_confined(case, "ome-trafficmap", controller.process.pid)
            where = pathlib.Path(f"/proc/{controller.process.pid}/root{writable}/store/trafficmaps")
            case.check("a map is written", wait(lambda: list(where.rglob("*.yaml"))),
                       controller.log_path.read_text())
        finally:
            if controller is not None:
                case.check("ome-trafficmap ends when told", controller.stop() is not None)
            case.check("ome-observer ends when told", observer.stop() is not None)


class ConfinedController(Controller):
    """One that writes into a folder of its own mount namespace."""

    def __init__(self, options, writable, observer, homes, words):
        self.words = words
        super().__init__(options, f"{writable}.seed", observer, {"kept": homes})
        self.log_path = pathlib.Path(f"{writable}.seed", "controller.log")

    def command(self, options, store, config, observer, port):
        def inside(path):
            return str(path).replace(".seed", "")
        return [*self.words, *super().command(options, inside(store), inside(config), observer, port)]


def behind_filter():
    """The words before a command."""
    words = [sys.executable, str(HERE / "behind_filter"), str(HERE / "system_calls")]
    tried = subprocess.run([*words, "/bin/true"], capture_output=True, text=True, check=False)
    if tried.returncode == 3:
        raise Skipped(tried.stderr.strip())
    return words


def system_calls(case):
    """A seccomp filter narrower than a container's: names, TLS, the API, reloads, the end"""
    case.only_plain()
    words = behind_filter()
    with Peers() as peers, tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder)

        async def serve(wire):
            await wire.start_tls()
            await wire.read_head()
            await wire.write(answer(report()))
        port = peers.listen(serve, server_context(certificate, key))
        names = Names(peers, lambda question, send: send(question.reply(["127.0.0.1"])))
        observer = Observer(case.options.observer, "--ca-file", certificate,
                            "--dns-servers", names.address, file=False, launcher=words)
        controller = None
        try:
            observer.put_all([declared("filtered", {
                "c": f"https://home.faults.test:{port}"}, probe={}, capacity={})])
            case.check("it polls and probes", wait(lambda: readings(observer)["filtered", "c"].get(
                "probe", {}).get("result") == "Passing" and readings(observer)["filtered", "c"][
                    "capacity"].get("ceiling") == 4), observer.log() or readings(observer))
            observer.process.send_signal(signal.SIGHUP)
            case.check("it answers after a reload", "ome_observer" in observer.metrics())
            controller = FilteredController(words, case.options, folder, observer,
                                            {"kept": {"c": "http://127.0.0.1:1"}})
            case.check("the controller writes its map", wait(lambda: len(controller.maps()) == 1),
                       (controller.process.poll(), controller.log_path.read_text()))
            observer.put_all([])
            case.check("both live", observer.alive() and controller.process.poll() is None,
                       (observer.process.poll(), controller.process.poll()))
        finally:
            if controller is not None:
                controller.stop()
                case.check("the controller ends well", controller.process.returncode == 0,
                           controller.process.returncode)
            observer.process.send_signal(signal.SIGTERM)
            observer.process.wait(20)
            case.check("the observer ends well", observer.process.returncode == 0,
                       observer.process.returncode)
            observer.stop()
    ended = subprocess.run([*words, "unshare", "--uts", "true"], check=False)
    case.check("the filter is one", ended.returncode == -signal.SIGSYS, ended.returncode)


class FilteredController(Controller):
    def __init__(self, words, *arguments):
        self.words = words
        super().__init__(*arguments)

    def command(self, *arguments):
        return [*self.words, *super().command(*arguments)]


def sockets(case):
    """A Unix socket is its owner's only, and one that was left behind is replaced"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "api.sock")
        command = [case.options.observer, "serve", "--listen", f"unix:{path}"]

        def start():
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    preexec_fn=lambda: os.umask(0))
        first = start()
        try:
            case.check("it listens", wait(lambda: answers(path)))
            mode = stat.S_IMODE(path.stat().st_mode)
            case.check("the mode is 0600, whatever the umask", mode == 0o600, oct(mode))
            second = start()
            said, _ = second.communicate(timeout=30)
            case.check("a second one leaves it alone", second.returncode != 0 and answers(path), said)
            case.check("and says why", str(path).encode() in said, said)
        finally:
            first.kill()
            first.wait()
        case.check("the socket is left behind", path.exists())
        third = start()
        try:
            case.check("and is replaced", wait(lambda: answers(path)))
        finally:
            third.terminate()
            third.wait(30)
        case.check("a good end removes it", not path.exists())
        path.write_text("a file of somebody")
        fourth = start()
        fourth.communicate(timeout=30)
        case.check("a file of somebody stays", fourth.returncode != 0 and
                   path.read_text() == "a file of somebody")


def answers(path):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.settimeout(5)
            client.connect(str(path))
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return client.recv(100).startswith(b"HTTP/1.1 200")
        except OSError:
            time.sleep(0.05)
            return False


CASES = [least_privilege, system_calls, sockets]
