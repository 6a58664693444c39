"""Looks at the maps of a store all the time: what must hold in each of them, whenever it is read."""
import threading
import time


class MapLooker:
    def __init__(self, store, fleet, pause=0.02):
        self.store, self.fleet, self.pause = store, fleet, pause
        self.ended = threading.Event()
        self.violations, self.looked, self.drained = [], 0, 0

    def run(self):
        while not self.ended.is_set():
            for service in list(self.fleet.services):
                if self.ended.wait(self.pause):
                    return
                self.look(service)

    def look(self, service):
        admitted, drained = dict(service.admitted), dict(service.drained_since)
        entries = self.store.entries(service.short_name)
        if entries is None:
            return
        self.looked += 1
        if not entries:
            self.violations.append(f"a map is not whole: {service.name}")
        for cluster, entry in entries.items():
            if entry.get("allocated", 0) > admitted.get(cluster, 0):
                self.violations.append(f"allocated above admitted: {service.name} {cluster} {entry}")
            since = drained.get(cluster)
            still = service.drained_since.get(cluster) == since and service.there
            if since is None or not still or service.broken:
                continue
            if "drainRefs" in entry:
                self.drained += 1
                if entry.get("weight", 0) != 0:
                    self.violations.append(f"drained with weight: {service.name} {cluster} {entry}")
            elif time.monotonic() - since > self.store.drain_patience:
                self.violations.append(f"a drain does not arrive for {time.monotonic() - since:.1f} s: "
                                       f"{service.name} {cluster} {entry}")
