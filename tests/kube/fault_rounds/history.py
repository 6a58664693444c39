"""What etcd was told: every version of services, maps and the lease, as the judge reads it."""
import json
import threading
import time

from kube_scripts import EtcdWatch

PROBE = {"settings": "1", "failureThreshold": 2, "successThreshold": 2}
CAPACITY = {"settings": "1", "quorum": 2, "maxAge": 8000}
EDIT = "rounds/edit"


def drains_of(service):
    """Cluster by drain, or None where the annotation cannot be read."""
    text = service["metadata"].get("annotations", {}).get("ome.io/traffic-drain")
    try:
        return {name: drain["cluster"] for name, drain in json.loads(text).items()} if text else {}
    except (ValueError, KeyError):
        return None


def facts_of(service):
    """What the judge wants to know of an InferenceService; None: there is none."""
    if service is None:
        return {"routed": False, "valid": True, "uid": "", "homes": {}, "drains": {}}
    spec = service["spec"]
    routing = spec.get("routing", {})
    placement = service.get("status", {}).get("placement", {})
    drains = drains_of(service)
    homes = {one["cluster"]: {"endpoint": one["endpoint"], "admitted": one["admittedReplicas"],
                              "ready": one["readyReplicas"]}
             for one in placement.get("candidates", []) if placement.get("phase") == "Placed"}
    meta = service["metadata"]
    return {"routed": routing.get("enabled", True) and "deletionTimestamp" not in meta,
            "valid": drains is not None, "uid": meta["uid"], "homes": homes, "drains": drains or {},
            "probe": None if routing.get("probe", {}).get("disabled") else PROBE,
            "capacity": None if routing.get("capacity", {}).get("disabled") else CAPACITY}


class Version:
    def __init__(self, at, revision, name, map_):
        self.at, self.revision, self.name, self.map = at, revision, name, map_
        self.edit = map_ and map_["metadata"].get("annotations", {}).get(EDIT)
        self.edited = False  # its spec is what somebody else wrote


class History:
    """`trace` gets facts and versions in the order in which they were stored."""

    def __init__(self, servers, namespace, lease, trace, folder, identities):
        self.trace, self.folder, self.identities = trace, folder, identities
        self.namespace = namespace
        self.maps, self.services = {}, {}  # the present ones, by name
        self.versions = []                 # of maps, all
        self.foreign = set()               # maps of somebody else
        self.thrown_away = set()           # UIDs of maps that a round deleted itself
        self.terms = []                    # (since when, identity) of the lease
        self.changed = threading.Condition()
        self.watches = [
            # Both in one: a map comes after what it rests on.
            EtcdWatch(servers, "/registry/ome.io/", self.take),
            EtcdWatch(servers, f"/registry/leases/{lease}", self.take_lease)]

    @property
    def missed(self):
        return sum(watch.missed for watch in self.watches)

    def stop(self):
        for watch in self.watches:
            watch.stop()

    def take(self, revision, key, value):
        kind, namespace, name = key.rsplit("/", 3)[1:]
        if namespace == self.namespace:
            take = self.take_service if kind == "inferenceservices" else self.take_map
            take(revision, name, value)

    def take_service(self, _, name, value):
        service = None if value is None else json.loads(value)
        with self.changed:
            if service is None:
                self.services.pop(name, None)
            else:
                self.services[name] = service
            self.trace.add("facts", key=f"{self.namespace}/{name}", facts=facts_of(service))
            self.changed.notify_all()

    def take_lease(self, _, __, value):
        holder = next((one for one in self.identities if value and one.encode() in value), None)
        with self.changed:
            if not self.terms or self.terms[-1][1] != holder:
                self.terms.append((time.time(), holder))
                self.trace.add("restarted")
            self.changed.notify_all()

    def take_map(self, revision, name, value):
        with self.changed:
            before = self.maps.pop(name, None)
            version = Version(time.time(), revision, name, None if value is None else json.loads(value))
            self.versions.append(version)
            if version.map is None:
                self.tell_deletion(name, before)
            else:
                self.maps[name] = version
                self.tell_version(version, before)
            self.changed.notify_all()

    def tell_deletion(self, name, before):
        """By us, unless somebody else took it, or its owner is gone."""
        meta = before.map["metadata"] if before else {}
        owners = {owner["uid"] for owner in meta.get("ownerReferences", [])}
        service = self.services.get(name)
        wanted = service is not None and service["metadata"]["uid"] in owners
        ours = wanted and meta["uid"] not in self.thrown_away
        self.trace.add("deleted" if ours else "collected", key=f"{self.namespace}/{name}")

    def tell_version(self, version, before):
        """But not what others wrote, for as long as it stands."""
        if version.name in self.foreign:
            return
        same_spec = before is not None and before.map["spec"] == version.map["spec"]
        if before is not None and version.edit != before.edit:
            version.edited = before.edited if same_spec else True
        else:
            version.edited = same_spec and before.edited
        # What leaves the spec alone is no transition.
        if version.edited or (same_spec and not before.edited):
            return
        file = f"{self.folder}/{version.revision}-{version.name}.json"
        with open(file, "w") as out:
            json.dump(version.map, out)
        self.trace.add("version", t=int(version.at * 1000), key=f"{self.namespace}/{version.name}", file=file)

    def wait(self, condition, patience):
        """What `condition` says as soon as it says something; else None."""
        end = time.monotonic() + patience
        with self.changed:
            while not (said := condition()):
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.changed.wait(min(left, 0.2))
            return said

    def leader(self):
        return self.terms[-1][1] if self.terms else None

    def led_by(self, identity, at, slack):
        """Whether it held the lease at some time of the `slack` seconds before."""
        for number, (since, holder) in enumerate(self.terms):
            until = self.terms[number + 1][0] if number + 1 < len(self.terms) else float("inf")
            if holder == identity and since - 0.5 <= at and until + slack >= at:
                return True
        return False
