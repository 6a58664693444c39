#!/usr/bin/env python3
"""Rounds of taking away what was published, on a real API server, with a controller that is killed.

Usage: rounds.py [--rounds N] [--seed N] [--keep]

Each round publishes some services and takes them away in one of the ways there are, while the
controller is killed or paused at its writes, or they are refused, or their answers lost. Every
version of all that is ours is judged (checker.py). Programs come from OME_SERVE_KUBE and
OME_TRAFFICMAP, else from build/. The seed is printed. Exit 1: a promise was broken, or a round did
not come to its end; 77: no Kubernetes servers.
"""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time

from api import Api, Refused, Servers, Watch
from checker import FINALIZER, Checker, backends_of, labels_of
from faults import TEARDOWNS, Faults
from proxy import Proxy
from world import HOLD, Controller, Foreign, Installation, Services

WATCHED = ("namespaces", "services", "endpointslices", "httproutes", "backendtlspolicies",
           "referencegrants", "trafficmaps")
OURS = WATCHED[1:-1]
PATIENCE = 180


class Unfinished(Exception):
    pass


def published(held):
    """`True Published`, of the present generation."""
    for condition in held.get("status", {}).get("conditions", []):
        if (condition["type"] == "Published"
                and condition.get("observedGeneration") == held["metadata"]["generation"]):
            return f"{condition['status']} {condition['reason']}"
    return ""


class Run:
    def __init__(self, seed, servers, folder):
        self.rng, self.folder = random.Random(seed), folder
        self.api = Api(servers)
        self.proxy = Proxy(servers)
        self.watches = {plural: Watch(self.api, plural) for plural in WATCHED}
        self.checker = Checker(list(self.watches.values()))
        self.installation = Installation(folder)
        self.installation.connect(servers.said["admin"])
        self.kubeconfig = self.through_proxy(servers)
        self.faults = Faults(random.Random(seed + 1), {
            "killed before": self.kill, "killed after": self.kill, "paused": self.pause})
        self.proxy.fault = self.faults
        self.controller, self.paused, self.resume_at = None, None, 0
        self.kill_at = None
        self.restarts, self.random_kills, self.pauses, self.held_objects = 0, 0, 0, 0
        self.held = {}

    def through_proxy(self, servers):
        with open(servers.said["controller"]) as file:
            text = file.read()
        path = os.path.join(self.folder, "controller.kubeconfig")
        with open(path, "w") as file:
            file.write(text.replace(f":{servers.said['port']}", f":{self.proxy.port}"))
        return path

    # Of the controllers. The first two are called by the proxy.
    def kill(self):
        self.controller.signal(signal.SIGKILL)
        return False

    def pause(self):
        self.controller.signal(signal.SIGSTOP)
        self.paused, self.resume_at = self.controller, time.monotonic() + self.rng.uniform(4, 7)
        return True

    def start(self):
        self.restarts += 1
        log = os.path.join(self.folder, "controller.log")
        self.controller = Controller(self.kubeconfig, self.installation, log, f"c{self.restarts}")

    def tend(self):
        """What a cluster does with controllers: one that has ended is started again."""
        if self.kill_at is not None and time.monotonic() >= self.kill_at:
            self.kill_at = None
            self.random_kills += 1
            self.kill()
        if self.paused is self.controller:
            self.pauses += 1
            self.start()  # it leads as soon as the lease of the other has lapsed
        elif self.paused and time.monotonic() >= self.resume_at + 1:
            self.paused.kill()
            self.paused = None
            self.faults.again()
        elif self.paused and time.monotonic() >= self.resume_at:
            self.paused.signal(signal.SIGCONT)
        if not self.controller.alive():
            if self.rng.random() < 0.7:  # else its lease is waited for
                self.api.delete("leases", "ome-observer", "ome-trafficmap")
            self.start()
            self.faults.again()
        self.release_held()

    def restart_in_order(self):
        self.controller.signal(signal.SIGTERM)
        self.controller.process.wait(60)

    # Of our objects, when somebody else's finalizer keeps them for a moment.
    def hold_one(self, ns):
        plural = self.rng.choice(["httproutes", "services", "endpointslices", "backendtlspolicies"])
        found = [thing for (place, _), thing in self.watches[plural].things().items()
                 if place == ns and self.checker.ours(thing)]
        if found and self.rng.random() < 0.4:
            name = self.rng.choice(found)["metadata"]["name"]
            self.api.patch(plural, ns, name, {"metadata": {"finalizers": [HOLD]}})
            self.held[(plural, ns, name)] = None
            self.held_objects += 1

    def release_held(self):
        for (plural, ns, name), since in list(self.held.items()):
            thing = self.watches[plural].things().get((ns, name))
            if thing is None:
                del self.held[(plural, ns, name)]
            elif since is None and "deletionTimestamp" in thing["metadata"]:
                self.held[(plural, ns, name)] = time.monotonic()
            elif since is not None and time.monotonic() > since + 1:
                try:
                    self.api.patch(plural, ns, name, {"metadata": {"finalizers": None}})
                except Refused as refused:
                    if refused.status != 404:
                        raise

    def until(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise Unfinished(what)
            self.tend()
            time.sleep(0.02)

    def maps(self, ns):
        return {name: held for (place, name), held in self.watches["trafficmaps"].things().items()
                if place == ns and name != "of-others"}

    def judge(self):
        horizon = int(self.api.list("namespaces")["metadata"]["resourceVersion"])
        self.until("the watches are behind",
                   lambda: all(watch.is_current() for watch in self.watches.values()))
        self.checker.take(horizon)

    def play(self, number, scenario):
        one = Round(self, f"r{number}", scenario)
        one.play()
        self.judge()
        for thing in self.checker.left():
            self.checker.violate(f"round {number}", f"{scenario} left {thing['kind']} "
                                 f"{thing['metadata']['namespace']}/{thing['metadata']['name']}")
        for what in one.foreign.changed(one.gone):
            self.checker.violate(f"round {number}", f"{scenario} changed {what} of others")
        for ns in {one.ns, one.edge} - one.gone:
            self.api.delete("namespaces", "", ns)

    def end(self):
        for controller in (self.controller, self.paused):
            if controller is not None and controller.alive():
                controller.kill()


class Round:
    def __init__(self, run, ns, scenario):
        self.run, self.api, self.rng = run, run.api, run.rng
        self.ns, self.scenario = ns, scenario
        apart = scenario == "namespace of routes deleted" or self.rng.random() < 0.3
        self.edge = ns + "-edge" if apart else ns
        self.services = Services(self.api, ns, self.rng.choice([1, 2]), self.rng)
        self.foreign = Foreign(self.api, run.checker)
        self.gone = set()  # namespaces

    def play(self):
        for ns in {self.ns, self.edge}:
            self.api.create("namespaces", "", {"metadata": {"name": ns}})
        self.foreign.workload(self.services)
        for ns in {self.ns, self.edge}:
            self.foreign.neighbours(ns)
        self.publish()
        self.run.hold_one(self.edge)
        self.run.faults.begin(self.scenario, self.rng.choice([2, 3, 4, 5]))
        if self.rng.random() < 0.3:
            self.run.kill_at = time.monotonic() + self.rng.uniform(0, 2)
        getattr(self, self.scenario.replace(" ", "_"))()
        self.run.faults.end()
        self.run.kill_at = None
        self.run.until("the paused controller", lambda: self.run.paused is None)
        self.clean_up()

    def publish(self):
        self.run.installation.put(routing=True, gateway=True,
                                  namespace=self.edge if self.edge != self.ns else "",
                                  service_type=self.rng.choice(["ExternalName", "Headless"]))
        if self.run.controller is None:
            self.run.start()
        else:  # or else the first routes would be where those of the last round were
            self.run.restart_in_order()
        self.run.faults.begin("publishing", self.rng.choice([0, 0, 1]))
        held = [name for name in self.services.homes if self.rng.random() < 0.3]
        self.services.create(held)
        self.until_published()
        self.run.faults.end()

    def until_published(self):
        def is_published():
            maps = self.run.maps(self.ns)
            return set(maps) == set(self.services.homes) and all(
                published(held) == "True Published"
                and len(held["spec"].get("entries", [])) == len(self.services.homes[name])
                for name, held in maps.items()) and self.objects() == self.expected()
        self.run.until("published", is_published)

    def expected(self):
        """How many of each kind: both families of addresses for each home."""
        homes = sum(len(homes) for homes in self.services.homes.values())
        return {"services": homes, "endpointslices": 2 * homes, "backendtlspolicies": homes,
                "httproutes": len(self.services.homes), "referencegrants": 0}

    def objects(self):
        counts = {}
        for plural in OURS:
            counts[plural] = sum(self.run.checker.ours(thing) and place == self.edge for
                                 (place, _), thing in self.run.watches[plural].things().items())
        return counts

    def until_gone(self):
        self.run.until(f"{self.scenario}: maps are still there",
                       lambda: self.let_go() or not self.run.maps(self.ns))

    def let_go(self):
        """Placement lets a service that is being deleted go when its map is gone."""
        maps = self.run.maps(self.ns)
        for name in self.services.homes:
            found = self.api.get("inferenceservices", self.ns, name) if name not in maps else None
            if found and found["metadata"].get("deletionTimestamp") and "ome.io/placement" in found[
                    "metadata"].get("finalizers", []):
                self.services.let_go(name)

    def undone(self, undo):
        """Now and then it is thought better of."""
        if self.rng.random() < 0.4:
            end = time.monotonic() + self.rng.uniform(0, 2)
            self.run.until("", lambda: time.monotonic() > end)
            undo()
            self.until_published()
            return True
        return False

    # The ways to take away.
    def services_deleted(self):
        for name in self.services.homes:
            self.api.delete("inferenceservices", self.ns, name,
                            self.rng.choice(["Background", "Foreground", "Orphan"]))
        self.until_gone()

    def opted_out(self):
        self.services.switch(False)
        if self.undone(lambda: self.services.switch(True)):
            self.services.switch(False)
        self.until_gone()

    def routing_off(self):
        self.run.installation.put(routing=False)
        if self.undone(lambda: self.run.installation.put(routing=True)):
            self.run.installation.put(routing=False)
        self.until_gone()

    def routing_off_at_a_restart(self):
        self.run.restart_in_order()
        self.routing_off()

    def no_gateway(self):
        self.run.installation.put(gateway=False)
        if self.undone(lambda: self.run.installation.put(gateway=True)):
            self.run.installation.put(gateway=False)
        self.run.until("withdrawn", lambda: not any(self.objects().values()) and all(
            published(held) == "False Withdrawn" for held in self.run.maps(self.ns).values()))

    def a_home_leaves(self):
        for name in self.services.homes:
            self.services.lose_home(name)
        self.until_published()

    def namespace_deleted(self):
        self.delete_namespace(self.ns)

    def namespace_of_routes_deleted(self):
        self.delete_namespace(self.edge)
        if self.rng.random() < 0.5:
            self.api.create("namespaces", "", {"metadata": {"name": self.edge}})
            self.until_published()
        self.services_deleted()

    def delete_namespace(self, ns):
        self.gone.add(ns)
        self.api.delete("namespaces", "", ns)
        self.run.until(f"namespace {ns} is still there", lambda: self.let_go() or (
            "", ns) not in self.run.watches["namespaces"].things())

    def clean_up(self):
        self.run.installation.put(routing=True)
        if self.ns not in self.gone:
            for name in self.services.homes:
                self.api.delete("inferenceservices", self.ns, name)
            self.until_gone()
        self.run.until("objects are still held", lambda: not self.run.held)


def explain(run, unfinished):
    print("did not come to an end:", unfinished)
    for (ns, name), held in run.watches["trafficmaps"].things().items():
        print("TrafficMap", ns, name, held["metadata"].get("deletionTimestamp"), published(held),
              FINALIZER in held["metadata"].get("finalizers", []))
    for thing in run.watches["httproutes"].things().values():
        if run.checker.ours(thing):
            print("HTTPRoute", thing["metadata"]["name"], labels_of(thing), backends_of(thing))


def play(arguments, servers, folder):
    run = Run(arguments.seed, servers, folder)
    good = True
    try:
        order = []
        for number in range(1, arguments.rounds + 1):
            if not order:
                order = run.rng.sample(TEARDOWNS, len(TEARDOWNS))
            scenario = order.pop()
            begun = time.monotonic()
            run.play(number, scenario)
            print(f"{number}/{arguments.rounds} {scenario}: {time.monotonic() - begun:.1f} s, "
                  f"{run.checker.versions} versions, {len(run.checker.violations)} violations",
                  flush=True)
    except Unfinished as unfinished:
        good = False
        explain(run, unfinished)
        run.judge()
    finally:
        run.end()
    report(run, number)
    return good and not run.checker.violations


def report(run, rounds):
    print(f"{'':55}" + " before    after     lost  refused   paused")
    run.faults.report()
    print(f"rounds {rounds}, kills at any moment {run.random_kills}, pauses {run.pauses}, objects "
          f"held by others {run.held_objects}, controllers {run.restarts}")
    print(f"versions {run.checker.versions}, routes that led nowhere while their namespace was "
          f"being deleted {run.checker.by_namespace}, violations {len(run.checker.violations)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--keep", action="store_true", help="keep the controllers' log")
    arguments = parser.parse_args()
    print("seed", arguments.seed, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    servers = Servers()
    folder = tempfile.mkdtemp(prefix="ome-teardown-")
    good = False
    try:
        good = play(arguments, servers, folder)
    finally:
        servers.stop()
        if good and not arguments.keep:
            shutil.rmtree(folder)
        else:
            print("kept", folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
