"""The services of a soak: manifests in a store (soaking_stores.py), and what happens to them and to their homes."""
import json
import re
import threading
import time

from soaking import BEHAVIOURS, POLLS_ONLY
from soaking_stores import NAMESPACE

PER_SERVICE = 5
REPLICAS = 4
GROUPS = 100  # homes misbehave by the last two digits of their names
MISBEHAVING = GROUPS // 3
GROUPS_A_SECOND = 1
MAX_AGE = "40s"


def group_of(endpoint):
    return int(re.search(r"/h/home-(\d+)", endpoint).group(1)) % GROUPS


def speaks_tls(home, percent):
    """Whether this home has an https endpoint: so many of a hundred, spread evenly."""
    return home % GROUPS * percent % GROUPS < percent


def report_of(group):
    return 1 + group % 6


def most_reported(endpoint):
    """What a home never reports more than, by its endpoint."""
    return report_of(group_of(endpoint))


def probe(period, closes, path="/v1/models"):
    return {"path": path, "method": "GET", "acceptStatuses": [200],
            "gateStatuses": [404, 500, 502, 503, 504], "period": period, "timeout": "900ms",
            "failureThreshold": closes, "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}


def capacity(period, samples):
    return {"path": "/capacity", "method": "GET", "format": "Report", "samples": samples,
            "quorum": 2, "period": period, "timeout": "900ms", "maxAge": MAX_AGE}


def operator_configuration(requests):
    return json.dumps({"routing": {
        "enabled": True,
        "observer": {"maxConcurrentReconciles": 8, "maxConcurrentRequests": requests,
                     "maxResponseBytes": 65536, "minPeriod": "1s", "maxSamples": 100},
        "probe": probe("1s", 3), "capacity": capacity("1s", 4),
        "publisher": {"resyncInterval": "1m"}}})


class Service:
    def __init__(self, index, fleet):
        self.index, self.fleet = index, fleet
        self.short_name = f"s{index}"
        self.name = f"{NAMESPACE}/{self.short_name}"
        self.probe, self.capacity = probe(fleet.period, 3), capacity(fleet.period, 4)
        self.admitted = dict.fromkeys(self.clusters(), REPLICAS)
        self.ready = dict(self.admitted)
        self.endpoints = {cluster: fleet.endpoint(home) for cluster, home in self.homes().items()}
        self.drains, self.drained_since = {}, {}
        self.there, self.broken, self.generation = True, False, 0

    def homes(self):
        first = self.index * PER_SERVICE
        return {f"cluster-{home % 40}": home for home in range(first, first + PER_SERVICE)}

    def clusters(self):
        return list(self.homes())

    def annotations(self):
        if self.broken:
            return {"ome.io/traffic-drain": "{"}
        if not self.drains:
            return {}
        return {"ome.io/traffic-drain": json.dumps(
            {name: {"cluster": cluster, "reason": "soak"} for name, cluster in self.drains.items()})}

    def manifest(self):
        return {
            "apiVersion": "ome.io/v1beta1", "kind": "InferenceService",
            "metadata": {"namespace": NAMESPACE, "name": self.short_name, "uid": f"uid-{self.index}",
                         "generation": self.generation, "annotations": self.annotations()},
            "spec": {"placement": {"policy": "ClusterAffinity", "mode": "Split"},
                     "routing": {"probe": self.probe, "capacity": self.capacity}},
            "status": {"placement": {"phase": "Placed", "candidates": [
                {"cluster": cluster, "phase": "Admitted", "endpoint": self.endpoints[cluster],
                 "admittedReplicas": self.admitted[cluster], "readyReplicas": self.ready[cluster]}
                for cluster in self.clusters()]}}}


class Fleet:
    """`truth` is told of a change before it is made."""

    def __init__(self, options, store, sim, truth, choose):
        self.sim, self.truth, self.choose, self.period = sim, truth, choose, options.period
        self.plain, self.tls, self.turn = sim.ports("homes"), sim.ports("tls")[0], 0
        self.homes, self.tls_percent = options.homes, options.tls_percent
        self.store = store
        for group in range(GROUPS):
            self.behave(group)
        self.services = [Service(index, self) for index in range(options.homes // PER_SERVICE)]
        for service in self.services:
            self.write(service)

    def endpoint(self, home):
        self.turn += 1
        if speaks_tls(home, self.tls_percent):
            return f"https://localhost:{self.tls}/h/home-{home}"
        return f"http://127.0.0.1:{self.choose.choice(self.plain)}/h/home-{home}" + self.choose.choice(
            ("", "/", f"?turn={self.turn}"))

    def globs(self, group):
        return (f"home-*{group:02d}",) + ((f"home-{group}",) if group < 10 else ())

    def behave(self, group, poll=None, probe_too=None):
        """What the homes of a group do from now on; without a behaviour, what they should."""
        document = {"poll": poll or {"report": report_of(group)}, "probe": probe_too or {}}
        for glob in self.globs(group):
            try:
                self.sim.set(glob, document)
            except OSError:
                if glob == f"home-*{group:02d}":
                    raise

    def misbehave(self, group):
        behaviour = self.choose.choice(BEHAVIOURS)
        polls_only = any(key in behaviour for key in POLLS_ONLY)
        self.behave(group, behaviour, None if polls_only else behaviour)

    def write(self, service):
        """The manifest; for the checker, that a home may begin anew from now on."""
        self.truth.policy(service.probe, service.capacity)
        self.truth.touch(service.name, time.time(), deleted=not service.there)
        if not service.there:
            self.store.remove(service.short_name)
            return
        service.generation += 1
        self.store.write(service.short_name, service.manifest())

    def remove_all(self):
        for service in self.services:
            service.there = False
            self.write(service)

    def peace(self):
        for group in range(GROUPS):
            self.behave(group)
        for service in self.services:
            service.there, service.broken, service.drains = True, False, {}
            service.drained_since = {}
            self.write(service)


class Changes:
    """A thread that changes services, homes and certificates until `ended` is set."""

    def __init__(self, fleet, certificates, rate, certificates_every):
        self.fleet, self.choose, self.rate = fleet, fleet.choose, rate
        self.certificates, self.certificates_every = certificates, certificates_every
        self.ended = threading.Event()
        self.counts, self.troubles, self.due = {}, [], []
        self.clusters = sorted({f"cluster-{home % 40}" for home in range(fleet.homes)
                                if speaks_tls(home, fleet.tls_percent)})

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def later(self, seconds, service, **members):
        self.due.append((time.monotonic() + seconds, service, members))

    def mend(self):
        now = time.monotonic()
        for entry in [entry for entry in self.due if entry[0] <= now]:
            self.due.remove(entry)
            vars(entry[1]).update(entry[2])
            # A drain of a service that could not be used counts from now on.
            entry[1].drained_since = dict.fromkeys(entry[1].drained_since, now)
            self.fleet.write(entry[1])

    def step(self):
        service = self.choose.choice(self.fleet.services)
        if not service.there or service.broken:
            return
        cluster, what = self.choose.choice(service.clusters()), self.choose.random()
        if what < 0.35:
            service.ready[cluster] = self.choose.randrange(REPLICAS + 1)
            self.count("placements")
        elif what < 0.55:
            service.endpoints[cluster] = self.fleet.endpoint(service.homes()[cluster])
            self.count("endpoints")
        elif what < 0.7:
            slower = f"{2 * int(self.fleet.period[:-1])}s"
            service.probe = probe(self.choose.choice((self.fleet.period, slower)),
                                  self.choose.choice((2, 3)),
                                  self.choose.choice(("/v1/models", "/healthz")))
            service.capacity = capacity(self.fleet.period, self.choose.choice((4, 6)))
            self.count("policies")
        elif what < 0.85:
            self.drain(service, cluster)
        elif what < 0.93:
            service.there = False
            self.later(self.choose.uniform(2, 10), service, there=True)
            service.drained_since = {}
            self.count("deletions")
        else:
            service.broken = True
            self.later(self.choose.uniform(2, 10), service, broken=False)
            self.count("spoilt services")
        self.fleet.write(service)

    def drain(self, service, cluster):
        name = f"drain-{cluster}"
        if service.drains.pop(name, None) is None:
            service.drains[name] = cluster
            service.drained_since[cluster] = time.monotonic()
        else:
            service.drained_since.pop(cluster, None)
        self.count("drains")

    def run(self):
        groups = list(range(GROUPS))
        self.choose.shuffle(groups)
        bad, good = groups[:MISBEHAVING], groups[MISBEHAVING:]
        for group in bad:
            self.fleet.misbehave(group)
        next_homes = next_files = time.monotonic()
        while not self.ended.is_set():
            now = time.monotonic()
            try:
                if now >= next_homes:
                    next_homes = now + 1 / GROUPS_A_SECOND
                    bad.append(good.pop(0))
                    self.fleet.misbehave(bad[-1])
                    good.append(bad.pop(0))
                    self.fleet.behave(good[-1])
                    self.count("changes of homes")
                if self.clusters and now >= next_files:
                    next_files = now + self.certificates_every
                    self.certificates.change(self.clusters)
                    self.count("certificates")
                self.mend()
                self.step()
            except (OSError, ValueError) as error:
                self.troubles.append(repr(error))
            self.ended.wait(1 / self.rate)
        for cluster in self.clusters:
            for suffix in ("ca.pem", "crt", "key"):
                (self.certificates.folder / f"{cluster}.{suffix}").unlink(missing_ok=True)
