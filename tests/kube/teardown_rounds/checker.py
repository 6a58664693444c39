"""What must hold at every version of what is ours, whoever was killed when."""
from api import key_of, version_of

LABEL = "ome.io/managed-by"
SOURCE = "ome.io/placement-endpoint-isvc"
FINALIZER = "ome.io/trafficmap-publisher"
BACKENDS = ("EndpointSlice", "BackendTLSPolicy", "Service")


def labels_of(thing):
    return thing["metadata"].get("labels") or {}


def backends_of(route):
    return {(ref.get("namespace") or route["metadata"]["namespace"], ref["name"])
            for rule in route["spec"].get("rules", []) for ref in rule.get("backendRefs", [])}


def service_of(thing):
    """The Service that a slice or a policy is about."""
    if thing["kind"] == "EndpointSlice":
        name = labels_of(thing).get("kubernetes.io/service-name", "")
    else:
        name = thing["spec"]["targetRefs"][0]["name"]
    return thing["metadata"]["namespace"], name


class Checker:
    """Takes the events of all kinds in the order of their versions: one store numbers them all."""

    def __init__(self, watches):
        self.watches = watches
        self.state = {watch.plural: {} for watch in watches}
        self.foreign = set()  # uids
        self.versions = 0
        self.violations = []
        self.swept = set()  # Services that went with their namespace, and are not made anew yet
        self.by_namespace = 0  # routes that led to one of these
        self.said = set()

    def ours(self, thing):
        return (labels_of(thing).get(LABEL) == "placement-endpoint"
                and thing["metadata"]["uid"] not in self.foreign)

    def left(self):
        """What is ours, in all namespaces."""
        return [thing for plural, things in self.state.items()
                if plural not in ("namespaces", "trafficmaps")
                for thing in things.values() if self.ours(thing)]

    def take(self, horizon):
        """Whatever happened up to this version; the watches have heard of it all."""
        events = [(version_of(thing), watch.plural, what, thing)
                  for watch in self.watches for what, thing in watch.taken(horizon)]
        for version, plural, what, thing in sorted(events, key=lambda event: event[0]):
            self.event(version, plural, what, thing)

    def event(self, version, plural, what, thing):
        things, key = self.state[plural], key_of(thing)
        if plural == "services":
            self.note_service(what, key)
        if what == "DELETED":
            things.pop(key, None)
            if self.ours(thing):
                self.judge_deletion(version, thing)
        else:
            things[key] = thing
        self.versions += 1
        self.judge(version)

    def note_service(self, what, key):
        if what == "DELETED" and self.ends(key[0]):
            self.swept.add(key)
        elif what != "DELETED":
            self.swept.discard(key)

    def ends(self, ns):
        """Whether somebody is deleting this namespace: its objects then go in any order."""
        found = self.state["namespaces"].get(("", ns))
        return found is None or "deletionTimestamp" in found["metadata"]

    def violate(self, where, what):
        """`where`: a version, or a round at its end."""
        if what not in self.said:
            self.said.add(what)
            self.violations.append(f"{where}: {what}")
            print("VIOLATION", self.violations[-1], flush=True)

    def routes_to(self, service):
        return [key_of(route) for route in self.state["httproutes"].values()
                if self.ours(route) and service in backends_of(route)]

    def judge_deletion(self, version, thing):
        ns = thing["metadata"]["namespace"]
        if thing["kind"] not in BACKENDS or self.ends(ns):
            return
        service = key_of(thing) if thing["kind"] == "Service" else service_of(thing)
        for route in self.routes_to(service):
            self.violate(version, f"{thing['kind']} {key_of(thing)} of {thing['metadata']['uid']} "
                         f"was deleted while HTTPRoute {route} led to it")

    def judge(self, version):
        services = self.state["services"]
        for route in filter(self.ours, self.state["httproutes"].values()):
            for backend in backends_of(route) - services.keys():
                if backend in self.swept:
                    self.by_namespace += 1
                else:
                    self.violate(version, f"HTTPRoute {key_of(route)} leads to Service {backend}, "
                                 "which is not there")
        for plural in ("endpointslices", "backendtlspolicies"):
            for thing in filter(self.ours, self.state[plural].values()):
                held = "deletionTimestamp" in thing["metadata"]  # by a finalizer of others
                service = service_of(thing)
                if service not in services and service not in self.swept and not held:
                    self.violate(version, f"{thing['kind']} {key_of(thing)} is of a Service that "
                                 "is not there")
        self.judge_owners(version)

    def judge_owners(self, version):
        for thing in self.left():
            labels = labels_of(thing)
            source = labels.get(SOURCE + "-namespace", ""), labels.get(SOURCE, "")
            held = self.state["trafficmaps"].get(source)
            if held is None or FINALIZER not in held["metadata"].get("finalizers", []):
                self.violate(version, f"{thing['kind']} {key_of(thing)} is an orphan: no "
                             f"TrafficMap {source} holds it")
