#!/usr/bin/env python3
"""Rounds of trouble for two controllers on a real API server, judged afterwards.

Usage: kube_rounds.py [--rounds N] [--seed N] [--only KIND,...] [--keep]

Two controllers in the shipped role, each with an observer of its own, follow services whose owner
changes them all the time and whose homes flap. Each round does something to the API server, to what lies
between, to the controllers, or to the maps; then everything has to come to what it should be. Every
version of every map, as etcd has it, is kept and judged (`judge`, of tests/model). Programs come from
OME_KUBE_SERVERS, OME_OBSERVER, OME_TRAFFICMAP and OME_JUDGE. The seed is printed; exit 1: a promise was
broken.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(TESTS / "support"), str(TESTS / "integration/process_rounds")]
from homes import Homes  # noqa: E402
from kube_scripts import ApiError, KubeServers  # noqa: E402
from program_scripts import fetch, free_port  # noqa: E402
from rounds import CONFIG, Program, Trace  # noqa: E402

from api_proxy import ApiProxy  # noqa: E402
from history import EDIT, History  # noqa: E402
from world import CLUSTERS, MAPS, NAMESPACE, Service, conditions_of, entries_of, is_settled  # noqa: E402

NAMES = ["s0", "s1", "s2", "s3"]
LEASE = "/apis/coordination.k8s.io/v1/namespaces/ome-observer/leases/ome-trafficmap"
ACCOUNT = "/api/v1/namespaces/ome-observer"
# How old what a version rests on may be, in milliseconds; longer in rounds that hold news back.
LAG = 11_000
SILENCE = 110  # seconds
SETTLE = 90
# What a write of a leader that was stopped, and a hand's edit, may last: the promise is 1 s.
CORRECTED_WITHIN = 5
# A write of one who has lost the lease may have been on its way for so long.
UNDER_WAY = 2


class Broken(Exception):
    """A promise was."""


class Controller:
    """ome-trafficmap with its observer, behind a proxy of its own."""

    def __init__(self, letter, run):
        self.identity = "round-controller-" + letter
        self.run = run
        self.proxy = ApiProxy(run.servers, letter)
        self.proxy.rng = run.rng
        self.token_file = run.path(f"token-{letter}")
        self.secret = None
        self.rotate()
        with open(run.path(f"kubeconfig-{letter}"), "w") as file:
            json.dump(self.kubeconfig(), file)
        port, self.port = free_port(), free_port()
        self.observer = Program([os.environ["OME_OBSERVER"], "serve", "--listen", f"127.0.0.1:{port}",
                                 "--allow-loopback", "--config", run.path("config.json")],
                                run.path(f"observer-{letter}.log"))
        self.program = Program(
            [os.environ["OME_TRAFFICMAP"], "run", "--store=kube", "--namespaces=" + NAMESPACE,
             "--kubeconfig=" + run.path(f"kubeconfig-{letter}"), "--lease-namespace=ome-observer",
             "--identity=" + self.identity, "--lease-duration=4s", "--renew-deadline=3s",
             "--retry-period=500ms", "--config=" + run.path("config.json"),
             f"--observer=http://127.0.0.1:{port}", f"--listen=127.0.0.1:{self.port}"],
            run.path(f"controller-{letter}.log"))
        self.continued = []

    def kubeconfig(self):
        cluster = {"server": f"https://127.0.0.1:{self.proxy.port}",
                   "certificate-authority": str(self.run.servers.folder / "ca.crt")}
        return {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": [{"name": "c", "user": {"tokenFile": self.token_file}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}

    def rotate(self):
        """A token of the service account that lasts as long as its Secret; the one before ends."""
        servers, before = self.run.servers, self.secret
        self.secret = f"{self.identity}-{len(os.listdir(self.run.folder))}-{time.time_ns()}"
        servers.send("POST", ACCOUNT + "/secrets", {"metadata": {"name": self.secret}})
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {
            "expirationSeconds": 7200,
            "boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": self.secret}}}
        made = servers.send("POST", ACCOUNT + "/serviceaccounts/ome-trafficmap/token", review)
        with open(self.token_file + ".aside", "w") as file:
            file.write(made["status"]["token"])
        os.rename(self.token_file + ".aside", self.token_file)
        if before:
            servers.send("DELETE", f"{ACCOUNT}/secrets/{before}")

    def leads(self):
        try:
            return "\nome_trafficmap_leading 1\n" in fetch(f"http://127.0.0.1:{self.port}/metrics", timeout=2)
        except OSError:
            return False

    def stop(self):
        self.program.signal(signal.SIGSTOP)

    def go_on(self):
        self.program.signal(signal.SIGCONT)
        self.continued.append(time.time())

    def writes_without_lease(self, history):
        """Those that were sent when another led."""
        wrong = []
        for arrived, method, path, status in self.proxy.writes:
            late = any(0 <= arrived - at < UNDER_WAY for at in self.continued)
            if not late and not history.led_by(self.identity, arrived, UNDER_WAY):
                wrong.append(f"{arrived:.3f} {self.identity} wrote without the lease: {method} {path} {status}")
        return wrong


class Run:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="ome-kube-rounds-")
        os.makedirs(self.path("versions"))
        with open(self.path("config.json"), "w") as file:
            json.dump(CONFIG, file)
        self.servers = KubeServers()
        self.servers.install()
        self.servers.kubectl("create", "namespace", NAMESPACE)
        self.trace = Trace(self.path("trace"))
        self.trace.add("lag", ms=LAG)
        self.homes = Homes(self.trace)
        self.services = {name: Service(name, self.servers, self.homes) for name in NAMES}
        self.plain = Service("plain", self.servers, self.homes, observed=False)
        self.controllers = [Controller(letter, self) for letter in "ab"]
        self.history = History(self.servers, NAMESPACE, "ome-observer/ome-trafficmap", self.trace,
                               self.path("versions"), [one.identity for one in self.controllers] + ["round-thief"])
        self.counts = collections.Counter()
        self.corrections = {"stale write": [], "hand edit": []}
        self.problems = []
        self.busy = threading.Event()
        self.edits = 0
        self.freezes = True  # owners write what cannot be read, too

    def path(self, name):
        return os.path.join(self.folder, name)

    # What goes on all the time.

    def live(self):
        """Owners and homes, while a round lasts."""
        rng = random.Random(self.rng.random())
        while True:
            self.busy.wait()
            self.homes.flip(rng, rng.choice(NAMES), rng.choice(CLUSTERS))
            if rng.random() < 0.5:
                service = self.services[rng.choice(NAMES)]
                try:
                    self.change(service, rng)
                except (OSError, ApiError):
                    pass
            time.sleep(rng.uniform(0.05, 0.4))

    def change(self, service, rng):
        with service.lock:
            if not self.busy.is_set():
                return
            what = rng.choice(["ready", "admitted", "drain", "drain", "break", "opt", "remove"])
            self.counts["change: " + what] += 1
            if what in ("ready", "admitted"):
                getattr(service, what)[rng.choice(CLUSTERS)] = rng.randrange(5)
            elif what == "drain":
                drain = "drain-" + str(rng.randrange(2))
                if service.drains.pop(drain, None) is None:
                    service.drains[drain] = rng.choice(CLUSTERS)
            elif what == "break":
                service.broken = not service.broken and self.freezes
            elif what == "opt":
                service.routed = not service.routed or rng.random() < 0.5
            else:
                service.remove()
                return  # the next change makes it anew
            service.write()

    def wait(self, least, most):
        time.sleep(self.rng.uniform(least, most))

    def lead(self):
        """(who leads, the other)."""
        found = self.history.wait(
            lambda: [one for one in self.controllers if self.history.leader() == one.identity and one.leads()], 60)
        if not found:
            raise Broken("nobody leads")
        return found[0], next(one for one in self.controllers if one is not found[0])

    def api_comes_back(self, patience=60):
        end = time.monotonic() + patience
        while True:
            try:
                return self.servers.send("GET", "/readyz")
            except (OSError, ApiError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def write(self, service):
        """Until it is stored."""
        end = time.monotonic() + 60
        while True:
            try:
                return service.write()
            except (OSError, ApiError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    # The rounds.

    def api_server_restarted(self):
        self.lag(30_000)
        self.servers.tell("stop-api")
        self.wait(0, 3)
        self.servers.tell("start-api")

    def etcd_restarted(self):
        self.lag(20_000)
        self.servers.tell("restart-etcd")
        self.wait(1, 4)
        self.api_comes_back()

    def connections_cut(self):
        """And the answers to writes lost on the way."""
        for _ in range(self.rng.randrange(2, 6)):
            proxy = self.rng.choice(self.controllers).proxy
            proxy.swallow = self.rng.random() < 0.5
            self.wait(0.2, 1.5)
            proxy.cut()
            proxy.swallow = False

    def compacted(self):
        """A server that knows nothing of the past takes over while the watches are away."""
        self.lag(60_000)
        for one in self.controllers:
            one.proxy.no_watches = True
            one.proxy.cut()
        self.wait(1, 2)
        revision = self.servers.revision()
        self.history.wait(lambda: min(watch.next for watch in self.history.watches[:1]) > revision - 50, 10)
        self.servers.compact(revision)
        port = free_port()
        self.servers.tell(f"start-spare {port}")
        self.wait(0.2, 1)
        for one in self.controllers:
            one.proxy.upstream = port
            one.proxy.no_watches = False
        seen = sum(one.proxy.counts["410"] for one in self.controllers)
        self.history.wait(lambda: sum(one.proxy.counts["410"] for one in self.controllers) > seen, 40)
        # The first server remembers: before it is asked again, what this one says must be followed.
        self.plain.drains["d"] = "worker-a"
        self.write(self.plain)
        followed = self.history.wait(lambda: self.settled(self.plain), 60)
        for one in self.controllers:
            one.proxy.upstream = self.servers.port
        self.servers.tell("stop-spare")
        if not followed:
            raise Broken("after a 410 nothing was followed")

    def token_rotated(self):
        for one in self.controllers:
            one.rotate()
        # The server remembers for 10 s whom it has let in.
        refused = sum(one.proxy.counts["401"] for one in self.controllers)
        self.history.wait(lambda: sum(one.proxy.counts["401"] for one in self.controllers) > refused, 15)
        self.wait(0, 1)

    def throttled(self):
        self.lag(20_000)
        for one in self.controllers:
            one.proxy.throttle = self.rng.choice([0.3, 0.7, 1.0])
        self.wait(1, 8)
        for one in self.controllers:
            one.proxy.throttle = 0.0

    def watch_hung(self):
        self.lag(110_000)
        leader, _ = self.lead()
        leader.proxy.hang_watches()
        self.wait(1, 5)

    def leader_stopped(self):
        """Past its lease, with a write under way that arrives when another leads."""
        self.lag(40_000)
        for variant in self.rng.sample([[self.stale_drain, self.stale_create],
                                        [self.stale_delete, self.stale_over_drain]], 2):
            self.stop_leader(self.rng.choice(variant))

    def stop_leader(self, variant):
        for _ in range(3):
            self.plain.calm()
            self.write(self.plain)
            self.history.wait(lambda: self.settled(self.plain), SETTLE)
            leader, other = self.lead()
            method, before, meanwhile, landed = variant()
            hold = leader.proxy.catch(method, self.plain.name)
            before()
            self.write(self.plain)
            if hold.caught.wait(20):
                if self.let_it_land(variant, leader, other, hold, meanwhile, landed):
                    return
                continue
            leader.proxy.hold = None
            if self.history.leader() == leader.identity:
                raise Broken(f"{variant.__name__}: no {method} was sent")
        # The lead moved by itself each time, or something newer was there.

    def let_it_land(self, variant, leader, other, hold, meanwhile, landed):
        try:
            leader.stop()
            meanwhile()
            self.write(self.plain)
            if not self.history.wait(lambda: self.history.leader() == other.identity and other.leads(), 60):
                raise Broken("nobody took the lead of a leader that was stopped")
            self.history.wait(lambda: self.settled(self.plain), 30)
            self.wait(0.5, 1)
        finally:
            early = self.rng.random() < 0.5
            if early:
                leader.go_on()
            hold.go.set()
            leader.proxy.hold = None
            answered = hold.done.wait(20)
            if not early:
                leader.go_on()
        # The new leader wrote, too (a condition, say), so that what was to land rests on an old version.
        if answered and landed and hold.status == 409:
            self.counts[f"leader stopped: {variant.__name__}, too late"] += 1
            return False
        self.counts["leader stopped: " + variant.__name__] += 1
        if not answered or (200 <= hold.status <= 299) != landed:
            raise Broken(f"{variant.__name__}: the write was answered {hold.status}")
        if landed:
            self.see_corrected(int(hold.version))
        return True

    def see_corrected(self, version):
        since = self.history.wait(
            lambda: next((one for one in self.history.versions if one.revision == version), None), 20)
        wrong = since is not None and not is_wanted(self.plain, since.map)
        self.counts["stale writes that landed"] += 1
        if not wrong:
            raise Broken("the stale write that landed was not wrong")
        right = self.history.wait(lambda: next(
            (one for one in self.history.versions if one.name == self.plain.name
             and one.revision > version and is_wanted(self.plain, one.map)), None), 30)
        took = right.at - since.at if right else float("inf")
        self.corrections["stale write"].append(took)
        if took > CORRECTED_WITHIN:
            raise Broken(f"a stale write stood for {took:.1f} s")

    # (method, what the leader is about to write, what happens while it is stopped, does it land)

    def stale_drain(self):
        return ("PATCH", lambda: self.plain.drains.update(d="worker-a"), self.plain.drains.clear, True)

    def stale_create(self):
        self.plain.remove()
        self.history.wait(lambda: self.plain.name not in self.history.maps, 60)
        return ("POST", lambda: None, lambda: setattr(self.plain, "routed", False), True)

    def stale_delete(self):
        return ("DELETE", lambda: setattr(self.plain, "routed", False),
                lambda: setattr(self.plain, "routed", True), False)

    def stale_over_drain(self):
        return ("PATCH", lambda: self.plain.ready.update({"worker-b": 2}),
                lambda: self.plain.drains.update(d="worker-a"), False)

    def lead_lost(self):
        leader, other = self.lead()
        if self.rng.random() < 0.5:
            self.counts["lead lost: killed"] += 1
            leader.program.kill()
            self.wait(0, 6)
            leader.program.start()
            return
        self.counts["lead lost: taken away"] += 1
        self.lag(20_000)
        stolen = {"spec": {"holderIdentity": "round-thief", "leaseDurationSeconds": 6}}
        self.servers.merge(LEASE, stolen)
        self.wait(6, 8)
        self.history.wait(lambda: self.history.leader() in (leader.identity, other.identity), 60)

    def others_write(self):
        """Into spec, status and metadata of our maps. A frozen one stays as it is, whoever made it so:
        there are none meanwhile."""
        self.freezes = False
        for service in self.services.values():
            service.broken = False
            self.write(service)
        edits = [self.edit_weights, self.edit_entries, self.edit_capacity, self.edit_status, self.edit_metadata,
                 self.edit_finalizer, self.delete_map]
        end = time.monotonic() + self.rng.uniform(3, 6)
        self.rng.shuffle(edits)
        while edits or time.monotonic() < end:
            edit = edits.pop() if edits else self.rng.choice([self.edit_weights, self.edit_status])
            name = self.rng.choice([*NAMES, "plain"])
            try:
                edit(name)
                self.counts["others: " + edit.__name__] += 1
            except ApiError as refusal:
                if refusal.status not in (404, 409, 422):
                    raise
            self.wait(0.05, 0.5)
        self.freezes = True

    def mark(self):
        self.edits += 1
        return {"annotations": {EDIT: str(self.edits)}}

    def edit_spec(self, name, change):
        """Seconds until it is undone."""
        stored = self.history.maps.get(name)
        if stored is None or not stored.map["spec"].get("entries"):
            return
        entries = json.loads(json.dumps(stored.map["spec"]["entries"]))
        for entry in entries:
            change(entry)
        mark = self.mark()
        written = self.servers.merge(f"{MAPS}/{name}", {"metadata": mark, "spec": {"entries": entries}})
        version = int(written["metadata"]["resourceVersion"])
        undone = self.history.wait(lambda: next(
            (one for one in self.history.versions if one.name == name and one.revision > version
             and (one.map is None or not one.edited)), None), 20)
        found = next((one for one in self.history.versions if one.revision == version), None)
        if undone is None or found is None:
            self.problems.append(f"{name}: an edit of its spec was not undone")
            return
        self.corrections["hand edit"].append(undone.at - found.at)
        if undone.at - found.at > CORRECTED_WITHIN:
            self.problems.append(f"{name}: an edit of its spec stood for {undone.at - found.at:.1f} s")

    def edit_weights(self, name):
        self.edit_spec(name, lambda entry: entry.update(weight=self.rng.randrange(100, 200)))

    def edit_entries(self, name):
        self.edit_spec(name, lambda entry: entry.update(cluster="nowhere-" + entry["cluster"]))

    def edit_capacity(self, name):
        self.edit_spec(name, lambda entry: entry["capacity"].update(allocated=77, ready=77))

    def edit_status(self, name):
        self.servers.merge(f"{MAPS}/{name}/status", {"status": {"conditions": self.rng.choice([[], [
            {"type": "Routable", "status": "Unknown", "reason": "Hand", "message": "of somebody",
             "lastTransitionTime": "2026-01-01T00:00:00Z"}]])}})

    def edit_metadata(self, name):
        self.servers.merge(f"{MAPS}/{name}", {"metadata": {
            "labels": {"rounds": str(self.edits)}, **self.mark()}})

    def edit_finalizer(self, name):
        for finalizers in (["rounds.example.com/held"], None):
            self.servers.merge(f"{MAPS}/{name}", {"metadata": {"finalizers": finalizers, **self.mark()}})
            self.wait(0.1, 0.5)

    def delete_map(self, name):
        stored = self.history.maps.get(name)
        if stored is not None:
            self.history.thrown_away.add(stored.map["metadata"]["uid"])
            self.servers.send("DELETE", f"{MAPS}/{name}")

    ROUNDS = [api_server_restarted, etcd_restarted, connections_cut, compacted, token_rotated, throttled,
              watch_hung, leader_stopped, lead_lost, others_write]

    # A round, and what comes of it.

    def lag(self, milliseconds):
        self.trace.add("lag", ms=milliseconds)

    def settled(self, service):
        stored = self.history.maps.get(service.name)
        return is_settled(service, stored and stored.map, self.history.services.get(service.name))

    def settle(self, patience):
        """In peace, every map must follow from what is wanted within a while."""
        self.busy.clear()
        for service in (*self.services.values(), self.plain):
            with service.lock:
                service.broken = False
                if service is self.plain:
                    service.calm()
                for cluster in CLUSTERS:
                    self.homes.behaviour[service.name, cluster] = (
                        self.rng.choice([200, 200, 503]), self.rng.randrange(5))
                self.write(service)
        everything = [*self.services.values(), self.plain]
        if not self.history.wait(lambda: all(map(self.settled, everything)), patience):
            left = [one for one in everything if not self.settled(one)]
            raise Broken("did not settle: " + "; ".join(self.difference(one) for one in left))

    def difference(self, service):
        stored, live = self.history.maps.get(service.name), self.history.services.get(service.name)
        map_ = stored and stored.map
        owners = [owner["uid"] for owner in map_["metadata"].get("ownerReferences", [])] if map_ else []
        return (f"{service.name} is {entries_of(map_)}, {map_ and conditions_of(map_)}, of {owners}, "
                f"wanted {service.expected()}, of {live and live['metadata']['uid']}")

    def begin(self):
        for service in (*self.services.values(), self.plain):
            service.write()
        foreign = Service("foreign", self.servers, self.homes)
        self.history.foreign.add(foreign.name)
        self.servers.send("POST", MAPS, {"apiVersion": "ome.io/v1beta1", "kind": "TrafficMap",
                                         "metadata": {"name": foreign.name},
                                         "spec": {"service": "of-somebody-else", "mode": "All"}})
        foreign.write()
        for one in self.controllers:
            one.observer.start()
            one.program.start()
        self.settle(120)
        threading.Thread(target=self.live, daemon=True).start()

    def play(self, rounds, kinds):
        self.begin()
        bag = []
        for number in range(rounds):
            if not bag:
                bag = list(kinds)
                self.rng.shuffle(bag)
            kind = bag.pop()
            begun = time.monotonic()
            self.busy.set()
            self.wait(0.5, 2)
            said = self.guarded(kind)
            said = self.guarded(Run.settle_after, kind) or said
            self.lag(LAG)
            self.counts["round: " + kind.__name__] += 1
            print(f"{number + 1}/{rounds} {kind.__name__} {time.monotonic() - begun:.1f} s {said or ''}", flush=True)

    def settle_after(self, kind):
        self.settle(SETTLE + (80 if kind is Run.watch_hung else 0))
        if kind is Run.watch_hung:
            self.give_up_silent_watches()

    def give_up_silent_watches(self):
        """All may be settled without what a silent watch has kept back; the next round is not to wait for it."""
        for one in self.controllers:
            one.proxy.end_hanging()
        until = time.monotonic() + SILENCE
        while any(one.proxy.silent for one in self.controllers):
            if time.monotonic() > until:
                raise Broken(f"a watch that says nothing was not given up within {SILENCE} s")
            time.sleep(0.2)

    def guarded(self, step, *arguments):
        try:
            step(self, *arguments)
        except Broken as broken:
            self.problems.append(f"{step.__name__}: {broken}")
            return self.problems[-1]
        return None

    def look_back(self):
        """What the judge does not see."""
        foreign = [one for one in self.history.versions if one.name in self.history.foreign]
        if len({untouchable(one.map) for one in foreign}) != 1:
            self.problems.append("the map of somebody else was changed")
        for one in self.controllers:
            self.problems += one.writes_without_lease(self.history)
            for letter in ("controller", "observer"):
                with open(self.path(f"{letter}-{one.proxy.name}.log")) as log:
                    self.problems += re.findall(r".*(?:terminate called|Sanitizer|assertion).*", log.read())

    def report(self):
        for name, count in sorted(self.counts.items()):
            print(f"  {name}: {count}")
        passed = sum((one.proxy.counts for one in self.controllers), collections.Counter())
        print("  requests:", ", ".join(f"{name} {count}" for name, count in sorted(passed.items())))
        for what, times in self.corrections.items():
            if times:
                times.sort()
                print(f"  {what}: {len(times)} corrected after {1000 * times[0]:.0f} to {1000 * times[-1]:.0f} ms, "
                      f"half within {1000 * times[len(times) // 2]:.0f} ms")
        print(f"  {len(self.history.versions)} versions in etcd, {self.history.missed} revisions not seen; "
              f"{len(self.history.terms)} terms of the lease", flush=True)

    def end(self):
        self.busy.clear()
        self.history.stop()
        for one in self.controllers:
            for program in (one.program, one.observer):
                if program.process is not None:
                    program.signal(signal.SIGCONT)
                    program.kill()
        for log in self.servers.folder.glob("*.log"):
            shutil.copy(log, self.folder)
        self.servers.stop()


def untouchable(map_):
    """Of a map of somebody else; its status is where the publisher says that it does not publish it."""
    meta = map_["metadata"] if map_ else {}
    return json.dumps([map_ and map_["spec"], *(meta.get(name) for name in (
        "uid", "generation", "labels", "annotations", "finalizers", "ownerReferences"))])


def is_wanted(service, map_):
    return entries_of(map_) == service.expected()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--only", help="kinds of rounds, with commas")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run")
    arguments = parser.parse_args()
    kinds = [kind for kind in Run.ROUNDS if not arguments.only or kind.__name__ in arguments.only.split(",")]
    if not kinds:
        parser.error("kinds are " + ", ".join(kind.__name__ for kind in Run.ROUNDS))
    print("seed", arguments.seed, flush=True)
    run = Run(arguments.seed)
    try:
        run.play(arguments.rounds, kinds)
        run.look_back()
    finally:
        run.end()
    run.report()
    run.trace.write([])
    verdict = subprocess.run([os.environ["OME_JUDGE"], run.path("trace")], check=False)
    if run.history.missed:
        run.problems.append("some versions were not seen")
    for problem in run.problems:
        print(problem)
    good = verdict.returncode == 0 and not run.problems
    if good and not arguments.keep:
        shutil.rmtree(run.folder)
    else:
        print("kept", run.folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
