"""Files of operators that explode, repeat themselves, never end or are no files."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from checking import wait
from homes import declared
from program_scripts import Observer
from smuggling import CONFIG, Controller, manifest

MOST_SECONDS = 60  # tenths of a second on a machine at rest
MOST_MEGABYTES = 400

ALIASES = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12))
MERGES = "m0: &m0 {a: 1, b: 2}\n" + "".join(
    f"m{level}: &m{level}\n  <<: [{','.join([f'*m{level - 1}'] * 9)}]\n  k{level}: *m{level - 1}\n"
    for level in range(1, 12))
BOMBS = {
    "aliases.yaml": ALIASES + "routing: *a11\n",
    "merges.yaml": MERGES + "routing: *m11\n",
    "self.yaml": "routing: &a [*a]\n",
    "depth-flow.yaml": "routing: " + "[" * 200_000,
    "depth-maps.yaml": "routing: " + "{a: " * 100_000,
    "depth-blocks.yaml": "".join(f"{' ' * level}a:\n" for level in range(3000)),
    "depth-dashes.yaml": "- " * 50_000 + "x\n",
    "depth.json": '{"routing":' * 200_000,
    "depth-lists.json": '{"routing":' + "[" * 1_000_000,
    "wide.json": '{"routing":{' + ",".join(f'"m{index}":1' for index in range(200_000)) + "}",
    "long-name.json": '{"' + "n" * 4_000_000 + '":1',
    "long-number.json": '{"routing":{"observer":{"maxSamples":' + "9" * 1_000_000 + "}}}",
    "exponent.json": '{"routing":{"enabled":true,"observer":{"maxSamples":1e400}}}',
    "too-large.json": '{"routing":{"enabled":true,"observer":{"maxSamples":99999999999999999999}}}',
    "negative.json": '{"routing":{"enabled":true,"observer":{"maxConcurrentRequests":-1}}}',
    "fraction.json": '{"routing":{"enabled":true,"observer":{"maxSamples":1.5}}}',
    "twice.json": '{"routing":{"enabled":true},"routing":{"enabled":false}}',
    "twice-deep.json": '{"routing":{"observer":{"maxSamples":1,"maxSamples":2}}}',
    "twice.yaml": "routing: {enabled: true}\nrouting: {enabled: false}\n",
    "escapes.yaml": 'routing: "\\e[31m\\u202e\n',
    "controls.yaml": "routing: \x1b[31m: x: [\n",
    "nul.json": '{"routing":\0{}}',
    "binary.yaml": "\x7fELF" + "\0" * 5000,
    "tag.yaml": "routing: !!python/object/apply:os.system ['touch /tmp/owned']\n",
    "huge-duration.json": '{"routing":{"enabled":true,"observer":{"minPeriod":"99999999999999999h"}}}',
}


def measured(command, folder, patience=90):
    """(exit code, seconds, megabytes at most, output); a negative code: it had to be ended."""
    begun = time.monotonic()
    with open(pathlib.Path(folder, "said"), "w+b") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
                                   preexec_fn=lambda: resource.setrlimit(
                                       resource.RLIMIT_CPU, (patience, patience)))
        done = 0
        while not done and time.monotonic() < begun + patience:  # not poll(): it drops the usage
            time.sleep(0.01)
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if not done:
            os.kill(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        said.seek(0)
        return process.returncode, seconds, usage.ru_maxrss / 1024, said.read()


def write_bombs(folder):
    paths = []
    for name, text in BOMBS.items():
        path = pathlib.Path(folder, name)
        path.write_bytes(text.encode("latin-1"))
        paths.append(path)
    pathlib.Path(folder, "folder.yaml").mkdir()
    os.mkfifo(pathlib.Path(folder, "pipe.yaml"))
    with open(pathlib.Path(folder, "sparse.yaml"), "wb") as file:
        file.truncate(1 << 40)
    return [*paths, *(pathlib.Path(folder, name) for name in ("folder.yaml", "pipe.yaml", "sparse.yaml"))]


def check_one(case, what, path, measure):
    code, seconds, megabytes, said = measure
    case.check(f"{what} refuses {path.name}", code in (1, 78), (code, said[-300:]))
    # What breaks a rule of a setting is told with where the setting comes from.
    named = path.name.encode() in said or b"configuration file" in said
    case.check(f"{what} names {path.name}", named, said[:300])
    case.check(f"{what} takes {path.name} in bounded time", seconds < MOST_SECONDS, seconds)
    case.check(f"{what} takes {path.name} in bounded memory",
               case.options.sanitized or megabytes < MOST_MEGABYTES, megabytes)
    case.check(f"{what} says little of {path.name}", len(said) < 100_000, len(said))
    case.check_text(f"what {what} says of {path.name}", said)


def files_that_explode(case):
    """Configurations and manifests: aliases, depth, size, numbers, names given twice, no files"""
    observer, controller = case.options.observer, case.options.trafficmap
    slowest, largest = (0.0, ""), (0.0, "")
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder, "store")
        store.mkdir()
        for path in write_bombs(folder):
            for what, command in (
                    ("ome-observer check", [observer, "check", path]),
                    ("ome-observer serve --config",
                     [observer, "serve", "--listen", "127.0.0.1:0", "--config", path]),
                    ("ome-observer serve --services",
                     [observer, "serve", "--listen", "127.0.0.1:0", "--services", path]),
                    ("ome-trafficmap check", [controller, "check", path]),
                    ("ome-trafficmap run --config",
                     [controller, "run", "--store", f"dir:{store}", "--listen", "127.0.0.1:0",
                      "--config", path])):
                measure = measured(command, folder)
                check_one(case, what, path, measure)
                slowest = max(slowest, (measure[1], f"{what} {path.name}"))
                largest = max(largest, (measure[2], f"{what} {path.name}"))
        case.check("no tag does anything", not pathlib.Path("/tmp/owned").exists())
    case.show(f"{len(BOMBS) + 3} files x 5 commands; slowest {slowest[0]:.1f} s ({slowest[1]}), "
              f"largest {largest[0]:.0f} MB ({largest[1]})")


def reloads(case):
    """A services file that explodes at a reload: the last good one stays"""
    observer = Observer(case.options.observer)
    try:
        observer.declare([declared("kept", {"c": "http://127.0.0.1:1"}, probe={"period": "60s"})])
        case.check("the good file counts", wait(lambda: len(observer.services()) == 1))
        for name, text in BOMBS.items():
            lines = len(observer.log().splitlines())
            observer.file.write_bytes(text.encode("latin-1"))
            observer.process.send_signal(signal.SIGHUP)
            case.check(f"{name} is told", wait(lambda: len(observer.log().splitlines()) > lines))
        case.check("the last good state stays", [service["name"] for service in observer.services()] ==
                   ["kept"], observer.services())
        resident = observer.resident() / 1024 / 1024
        case.check("memory is bounded", case.options.sanitized or resident < MOST_MEGABYTES, resident)
        text = case.check_text("the log", observer.log())
        case.check("the log names the file", "services.json" in text)
        case.show(f"{len(BOMBS)} reloads, RSS {resident:.0f} MB, log {len(text) // 1024} KiB")
    finally:
        observer.stop()


def folders(case):
    """Manifests that explode in the controller's folder: each is told, the last good state stays"""
    with tempfile.TemporaryDirectory() as folder:
        observer = Observer(case.options.observer, file=False)
        controller = Controller(case.options, folder, observer, {"kept": {"c": "http://127.0.0.1:1"}})
        try:
            case.check("the service has its map", wait(lambda: len(controller.maps()) == 1))
            place = controller.store / "inferenceservices/hostile"
            good = json.dumps(manifest("kept", {"c": "http://127.0.0.1:1"}))
            for index, (name, text) in enumerate(BOMBS.items()):
                place.joinpath(f"b{index}-{name}").write_bytes(text.encode("latin-1"))
            for index, text in enumerate((ALIASES, "{" * 100_000, good[:-10], good + good, "\0")):
                (place / ".aside").write_text(text)
                (place / ".aside").rename(place / "kept.yaml")

                def told():
                    return "kept.yaml" in controller.log_path.read_text(errors="replace")
                case.check(f"version {index} of kept.yaml is told", wait(told))
            case.check("all files are told", wait(lambda: all(
                f"b{index}-{name}" in controller.log_path.read_text(errors="replace")
                for index, name in enumerate(BOMBS))), controller.log_path.read_text()[-500:])
            case.check("the map stays", len(controller.maps()) == 1, controller.maps())
            pages = int(pathlib.Path(f"/proc/{controller.process.pid}/statm").read_text().split()[1])
            megabytes = pages * resource.getpagesize() / 1024 / 1024
            case.check("memory is bounded", case.options.sanitized or megabytes < MOST_MEGABYTES,
                       megabytes)
            text = controller.log_path.read_bytes()
            case.check_text("the controller's log", text)
            case.check_json("events", (controller.store / "events.ndjson").read_bytes(), lines=True)
            case.show(f"RSS {megabytes:.0f} MB, log {len(text) // 1024} KiB")
        finally:
            controller.stop()
            observer.stop()


def reloaded_configuration(case):
    """A configuration that explodes at a reload: the limits in force stay"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "config.json")
        path.write_text(json.dumps(CONFIG))
        observer = Observer(case.options.observer, "--config", str(path))
        try:
            before = observer.status()["limits"]
            for text in BOMBS.values():
                lines = len(observer.log().splitlines())
                path.write_bytes(text.encode("latin-1"))
                observer.process.send_signal(signal.SIGHUP)
                case.check("it is told", wait(lambda: len(observer.log().splitlines()) > lines))
            case.check("limits stay", observer.status()["limits"] == before, observer.status()["limits"])
            case.check_text("the log", observer.log())
        finally:
            observer.stop()




CASES = [files_that_explode, reloads, reloaded_configuration, folders]
