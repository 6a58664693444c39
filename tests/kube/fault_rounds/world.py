"""Services of the rounds: what their owner wants, and the map that must follow from it in the end."""
import json
import math
import threading

from kube_scripts import GROUP, ApiError

NAMESPACE = "demo"
CLUSTERS = ["worker-a", "worker-b"]
SERVICES = f"{GROUP}/namespaces/{NAMESPACE}/inferenceservices"
MAPS = f"{GROUP}/namespaces/{NAMESPACE}/trafficmaps"


class Service:
    """`observed`: it is polled and probed. Written whole, as often as need be."""

    def __init__(self, name, servers, homes, observed=True):
        self.name, self.servers, self.homes, self.observed = name, servers, homes, observed
        self.lock = threading.RLock()
        self.exists = True
        self.calm()
        for cluster in CLUSTERS:
            homes.behaviour[name, cluster] = (200, 4)

    def calm(self):
        with self.lock:
            self.ready = {cluster: 4 for cluster in CLUSTERS}
            self.admitted = {cluster: 4 for cluster in CLUSTERS}
            self.drains, self.broken, self.routed = {}, False, True

    def drain_text(self):
        if self.broken:
            return "{"
        return json.dumps({name: {"cluster": cluster, "reason": "round"}
                           for name, cluster in self.drains.items()}) if self.drains else None

    def spec(self):
        routing = {"enabled": self.routed}
        if not self.observed:
            routing |= {"probe": {"disabled": True}, "capacity": {"disabled": True}}
        return {"placement": {"policy": "ClusterAffinity", "mode": "All"}, "routing": routing}

    def placement(self):
        return {"phase": "Placed", "candidates": [
            {"cluster": cluster, "phase": "Admitted", "endpoint": self.homes.endpoint(self.name, cluster),
             "admittedReplicas": self.admitted[cluster], "readyReplicas": self.ready[cluster]}
            for cluster in CLUSTERS]}

    def write(self):
        """What is wanted, once. OSError or ApiError: not, or nobody knows."""
        with self.lock:
            body = {"metadata": {"annotations": {"ome.io/traffic-drain": self.drain_text()}},
                    "spec": self.spec()}
            try:
                self.servers.merge(f"{SERVICES}/{self.name}", body)
            except ApiError as refusal:
                if refusal.status != 404:
                    raise
                whole = {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService", **body}
                whole["metadata"]["name"] = self.name
                whole["metadata"]["annotations"] = {
                    name: text for name, text in body["metadata"]["annotations"].items() if text}
                self.servers.send("POST", SERVICES, whole)
            self.servers.merge(f"{SERVICES}/{self.name}/status", {"status": {"placement": self.placement()}})

    def remove(self):
        with self.lock:
            self.servers.send("DELETE", f"{SERVICES}/{self.name}")

    def expected(self):
        """(weight, ready, allocated, reported, gated, drained) by cluster, once nothing moves; None:
        there is no map. The homes must answer a probe with 200 or 503, and a poll with a number."""
        if not self.routed:
            return None
        homes = {}
        for cluster in CLUSTERS:
            probe, poll = self.homes.behaviour[self.name, cluster]
            reported = poll if self.observed else None
            admitted = self.admitted[cluster]
            allocated = admitted if reported is None else min(admitted, reported)
            homes[cluster] = (min(self.ready[cluster], allocated), allocated, reported,
                              self.observed and probe != 200)
        raw = {cluster: 0 if gated else routable for cluster, (routable, _, _, gated) in homes.items()}
        if not any(raw.values()) and all(gated for _, _, _, gated in homes.values()):
            raw = {cluster: home[0] for cluster, home in homes.items()}
        divisor = math.gcd(*raw.values()) or 1
        drained = set(self.drains.values())
        return {cluster: (0 if cluster in drained else raw[cluster] // divisor, self.ready[cluster],
                          allocated, reported, gated, cluster in drained)
                for cluster, (_, allocated, reported, gated) in homes.items()}


def entries_of(map_):
    """The same of a map."""
    if map_ is None:
        return None
    return {entry["cluster"]: (entry.get("weight", 0), entry["capacity"].get("ready", 0),
                               entry["capacity"].get("allocated", 0), entry["capacity"].get("reported"),
                               entry.get("probe", {}).get("gated", False), bool(entry.get("drainRefs")))
            for entry in map_["spec"].get("entries") or []}


def conditions_of(map_):
    return {one["type"]: one["status"] for one in map_.get("status", {}).get("conditions", [])}


def is_settled(service, stored, live):
    """`stored`: the map's newest version or None; `live`: the service as it is stored."""
    wanted = service.expected()
    if wanted is None or stored is None:
        return wanted is None and stored is None
    routable = "True" if any(entry[0] for entry in wanted.values()) else "False"
    return (live is not None and entries_of(stored) == wanted
            and conditions_of(stored).get("Routable") == routable
            and stored["spec"].get("observedISVCGeneration") == live["metadata"]["generation"]
            and stored["status"].get("sourceUID") == live["metadata"]["uid"])
