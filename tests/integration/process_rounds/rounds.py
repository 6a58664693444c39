#!/usr/bin/env python3
"""Rounds of trouble for real processes, judged afterwards.

Usage: rounds.py [--rounds N] [--seed N] [--keep]

Observer and controller run over a folder while homes flap. Each round kills, stops, restarts or cuts
off something, or feeds it garbage. Every version of every map that was written is kept and judged
(`judge`, of tests/model). Programs come from OME_OBSERVER, OME_TRAFFICMAP, OME_JUDGE and
OME_KEEP_VERSIONS_LIB. The seed is printed; exit 1: a promise was broken, or the maps did not settle.
"""
import argparse
import glob
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import homes as world_homes
from homes import now_ms

SERVICES = ["s0", "s1", "s2", "s3"]
CLUSTERS = ["worker-a", "worker-b"]
PROBE = {"settings": "1", "failureThreshold": 2, "successThreshold": 2}
CAPACITY = {"settings": "1", "quorum": 2, "maxAge": 8000}
CONFIG = {"routing": {
    "enabled": True,
    "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": 16,
                 "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
    "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
              "gateStatuses": [404, 500, 502, 503, 504], "period": "1s", "timeout": "900ms",
              "failureThreshold": 2, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"},
    "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 3,
                 "quorum": 2, "period": "1s", "timeout": "900ms", "maxAge": "8s"},
    "publisher": {"resyncInterval": "1m"}}}
# How long something may stand still, and what a map may rest on is that old.
STILL = 6
LAG = 1000 * (STILL + 5)


class Trace:
    def __init__(self, path):
        self.file = open(path, "w", buffering=1)
        self.lock = threading.Lock()
        self.lines = []

    def add(self, kind, t=None, **members):
        with self.lock:
            self.lines.append({"t": now_ms() if t is None else t, "kind": kind, **members})

    def write(self, versions):
        lines = sorted(self.lines + versions, key=lambda line: line["t"])
        self.file.write(json.dumps({"lag": LAG}) + "\n")
        for line in lines:
            self.file.write(json.dumps(line) + "\n")
        self.file.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Program:
    """One of ours, restarted as often as wanted. What it says goes to a file."""

    def __init__(self, command, log, environment=None):
        self.command, self.log = command, log
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.environment)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Service:
    def __init__(self, name, run):
        self.name, self.run = name, run
        self.ready = {cluster: 4 for cluster in CLUSTERS}
        self.admitted = {cluster: 4 for cluster in CLUSTERS}
        self.drains = {}
        self.broken = None  # a malformed drain, or a policy that is refused
        self.version = 1
        self.write()

    def manifest(self):
        annotations = {}
        if self.drains:
            annotations["ome.io/traffic-drain"] = json.dumps(
                {i: {"cluster": c, "reason": "round"} for i, c in self.drains.items()})
        if self.broken == "drain":
            annotations["ome.io/traffic-drain"] = "{"
        routing = {}
        if self.broken == "policy":
            routing = {"capacityFactors": {"worker-a": "0"}}
        return {
            "apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
            "metadata": {"name": self.name, "namespace": "demo", "uid": "uid-" + self.name,
                         "generation": self.version, "annotations": annotations},
            "spec": {"placement": {"policy": "ClusterAffinity", "mode": "Split"},
                     "routing": routing},
            "status": {"placement": {"phase": "Placed", "candidates": [
                {"cluster": c, "phase": "Admitted", "endpoint": self.run.homes.endpoint(self.name, c),
                 "admittedReplicas": self.admitted[c], "readyReplicas": self.ready[c]}
                for c in CLUSTERS]}}}

    def facts(self):
        return {"routed": True, "valid": self.broken is None, "uid": "uid-" + self.name,
                "homes": {c: {"endpoint": self.run.homes.endpoint(self.name, c),
                              "admitted": self.admitted[c], "ready": self.ready[c]}
                          for c in CLUSTERS},
                "drains": dict(self.drains), "probe": PROBE, "capacity": CAPACITY}

    def write(self):
        self.version += 1
        self.run.trace.add("facts", key="demo/" + self.name, facts=self.facts())
        self.put(json.dumps(self.manifest()))

    def put(self, text):
        place = self.run.path("store/inferenceservices/demo")
        os.makedirs(place, exist_ok=True)
        aside = os.path.join(place, ".aside")
        with open(aside, "w") as file:
            file.write(text)
        os.rename(aside, os.path.join(place, self.name + ".yaml"))


class Run:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="ome-rounds-")
        os.makedirs(self.path("store"))
        os.makedirs(self.path("versions"))
        self.trace = Trace(self.path("trace"))
        self.homes = world_homes.Homes(self.trace)
        for service in SERVICES:
            for cluster in CLUSTERS:
                self.homes.behaviour[service, cluster] = (200, 4)
        with open(self.path("config.json"), "w") as file:
            json.dump(CONFIG, file)
        port = free_port()
        self.proxy = world_homes.Proxy(port)
        self.observer = Program(
            [os.environ["OME_OBSERVER"], "serve", "--listen", f"127.0.0.1:{port}",
             "--allow-loopback", "--config", self.path("config.json")], self.path("observer.log"))
        self.api = free_port()
        self.controller = Program(
            [os.environ["OME_TRAFFICMAP"], "run", "--store", "dir:" + self.path("store"),
             "--config", self.path("config.json"), "--observer", f"http://127.0.0.1:{self.proxy.port}",
             "--listen", f"127.0.0.1:{self.api}"], self.path("controller.log"),
            {"LD_PRELOAD": os.environ["OME_KEEP_VERSIONS_LIB"],
             "ASAN_OPTIONS": "verify_asan_link_order=0",
             "OME_KEEP_VERSIONS": self.path("versions")})
        self.silent = False
        self.quiet("silent")
        self.services = {name: Service(name, self) for name in SERVICES}

    def path(self, name):
        return os.path.join(self.folder, name)

    def quiet(self, kind):
        if (kind == "silent") != self.silent:
            self.silent = kind == "silent"
            self.trace.add(kind)

    def flap(self):
        self.homes.flip(self.rng, self.rng.choice(SERVICES), self.rng.choice(CLUSTERS))

    def wait(self, seconds):
        """Homes flap, placement moves."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.flap()
            if self.rng.random() < 0.2:
                self.placement()
            time.sleep(self.rng.uniform(0.1, 0.5))

    # What may happen in a round.

    def kill_observer(self):
        self.quiet("silent")
        self.observer.kill()
        self.wait(self.rng.uniform(0, 4))
        self.observer.start()
        self.quiet("heard")

    def kill_controller(self):
        self.quiet("silent")
        self.controller.kill()
        self.wait(self.rng.uniform(0, 4))
        self.controller.start()
        self.trace.add("restarted")
        self.quiet("heard")

    def kill_both(self):
        self.quiet("silent")
        self.observer.kill()
        self.controller.kill()
        self.wait(self.rng.uniform(0, 2))
        self.controller.start()
        self.trace.add("restarted")
        self.wait(self.rng.uniform(0, 2))
        self.observer.start()
        self.quiet("heard")

    def stop(self, program):
        program.signal(signal.SIGSTOP)
        self.wait(self.rng.uniform(0.5, STILL))
        program.signal(signal.SIGCONT)

    def stop_observer(self):
        self.quiet("silent")
        self.stop(self.observer)
        self.quiet("heard")

    def stop_controller(self):
        self.stop(self.controller)

    def hang(self):
        self.quiet("silent")
        self.proxy.mode = "hang"
        self.wait(self.rng.uniform(0.5, 8))
        self.proxy.mode = "pass"
        self.quiet("heard")

    def garble(self):
        self.proxy.mode = "garbage"
        self.wait(self.rng.uniform(0.5, 3))
        self.proxy.mode = "pass"

    def cut(self):
        self.proxy.cut()

    def drain(self):
        service = self.services[self.rng.choice(SERVICES)]
        drain = "drain-" + str(self.rng.randrange(2))
        if service.drains.pop(drain, None) is None:
            service.drains[drain] = self.rng.choice(CLUSTERS)
        service.write()

    def break_service(self):
        service = self.services[self.rng.choice(SERVICES)]
        service.broken = self.rng.choice(["drain", "policy"])
        service.write()
        self.wait(self.rng.uniform(0.5, 3))
        service.broken = None
        service.write()

    def garbage_manifest(self):
        """Cannot be read: the last one stays in force, so the facts do not change."""
        service = self.services[self.rng.choice(SERVICES)]
        text = json.dumps(service.manifest())
        service.put(self.rng.choice([text[:len(text) // 2], "", "\x00\xff", "a: [", text.replace(
            '"spec"', '"spec": 7, "old"'), text + " " * (3 << 20)]))
        self.wait(self.rng.uniform(0.5, 2))
        service.write()

    def placement(self):
        service = self.services[self.rng.choice(SERVICES)]
        cluster = self.rng.choice(CLUSTERS)
        if self.rng.random() < 0.5:
            service.ready[cluster] = self.rng.randrange(5)
        else:
            service.admitted[cluster] = self.rng.randrange(5)
        if service.broken is None:
            service.write()

    ROUNDS = [kill_observer, kill_controller, kill_both, stop_observer, stop_controller, hang, garble,
              cut, drain, drain, break_service, garbage_manifest]

    def settle(self):
        """In peace, every map must follow the facts within a while."""
        for service in self.services.values():
            service.broken, service.drains = None, {}
            service.ready = service.admitted = {cluster: 4 for cluster in CLUSTERS}
            service.write()
            for cluster in CLUSTERS:
                self.homes.behaviour[service.name, cluster] = (200, 3)
        end = time.monotonic() + 180
        left = list(SERVICES)
        while left and time.monotonic() < end:
            left = [name for name in left if not self.settled(name)]
            time.sleep(0.2)
        return left

    def settled(self, name):
        try:
            with open(self.path(f"store/trafficmaps/demo/{name}.yaml")) as file:
                text = file.read()
        except OSError:
            return False
        return (text.count("reported: 3") == 2 and text.count("weight: 1\n") == 2
                and "gated: true" not in text and "drainRefs" not in text)

    def versions(self):
        found = []
        for file in sorted(glob.glob(self.path("versions/*"))):
            stamp, _, _, name = os.path.basename(file).split("-", 3)
            found.append({"t": int(stamp) // 1000, "kind": "version", "file": file,
                          "key": name.removesuffix(".yaml").replace("+", "/")})
        return found

    def wait_until_ready(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("ome-trafficmap does not get ready")

    def play(self, rounds):
        self.observer.start()
        self.controller.start()
        self.wait_until_ready()
        self.quiet("heard")
        self.wait(3)
        for number in range(rounds):
            what = self.rng.choice(self.ROUNDS)
            print(f"{number + 1}/{rounds} {what.__name__}", flush=True)
            what(self)
            self.wait(1)
        return self.settle()

    def end(self):
        for program in (self.controller, self.observer):
            if program.process is not None:
                program.signal(signal.SIGCONT)
                program.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run")
    arguments = parser.parse_args()
    print("seed", arguments.seed, flush=True)
    run = Run(arguments.seed)
    try:
        unsettled = run.play(arguments.rounds)
    finally:
        run.end()
    run.trace.write(run.versions())
    verdict = subprocess.run([os.environ["OME_JUDGE"], run.path("trace")], check=False)
    if unsettled:
        print("did not settle:", ", ".join(unsettled))
    good = verdict.returncode == 0 and not unsettled
    if good and not arguments.keep:
        shutil.rmtree(run.folder)
    else:
        print("kept", run.folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
