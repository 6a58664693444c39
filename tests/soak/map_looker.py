"""Looks at the maps of a folder all the time: what must hold in each of them, whenever it is read."""
import pathlib
import re
import threading
import time

DRAIN_PATIENCE = 20  # seconds until a drain is in the map, on a machine that has other work


class MapLooker:
    def __init__(self, store, fleet, pause=0.02):
        self.folder, self.fleet, self.pause = pathlib.Path(store, "trafficmaps/soak"), fleet, pause
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
        try:
            text = (self.folder / f"s{service.index}.yaml").read_text()
        except OSError:
            return
        self.looked += 1
        entries = entries_of(text)
        if not entries:
            self.violations.append(f"a map is whole: {service.name}: {text[:200]!r}")
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
            elif time.monotonic() - since > DRAIN_PATIENCE:
                self.violations.append(f"a drain does not arrive for {time.monotonic() - since:.1f} s: "
                                       f"{service.name} {cluster} {entry}")


def entries_of(text):
    """The entries of a map by cluster, with their whole numbers by last name."""
    entries = {}
    for part in re.split(r"\n  - ", text.partition("\n  entries:")[2])[1:]:
        part = re.split(r"\n {0,2}\w", "    " + part)[0]
        cluster = re.search(r"^    cluster: (\S+)", part, re.M)
        if cluster:
            entry = entries[cluster.group(1)] = {
                name: int(value) for name, value in re.findall(r"^\s+(\w+): (-?\d+)$", part, re.M)}
            if "drainRefs" in part:
                entry["drainRefs"] = True
    return entries
