"""What a field case sees of an observer: each reading once, memory, descriptors, latencies."""
import datetime
import re
import threading
import time

SAMPLE_EVERY = 0.1


def seconds_of(stamp):
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


class History:
    """All readings of one home that were seen, without repetition."""

    def __init__(self):
        self.probes = []
        self.polls = []

    def add(self, home):
        probe, capacity = home.get("probe"), home.get("capacity")
        if probe and probe.get("lastProbeTime") and (
                not self.probes or self.probes[-1]["lastProbeTime"] != probe["lastProbeTime"]):
            self.probes.append(probe)
        if capacity and capacity.get("lastAttemptTime") and capacity != self.last_poll():
            self.polls.append(capacity)

    def last_poll(self):
        return self.polls[-1] if self.polls else None

    def results(self):
        return [probe["result"] for probe in self.probes]

    def messages(self):
        return sorted({probe["message"] for probe in self.probes})

    def reasons(self):
        """Why there was no ceiling, without the quorum that is still coming together."""
        return sorted({poll["fallbackReason"] for poll in self.polls
                       if "ceiling" not in poll and "awaiting quorum" not in poll["fallbackReason"]
                       and poll["fallbackReason"] != "no capacity report yet"})

    def ceilings(self):
        return sorted({poll["ceiling"] for poll in self.polls if "ceiling" in poll})

    def times(self):
        return [seconds_of(probe["lastProbeTime"]) for probe in self.probes]

    def gaps(self):
        """Between results; not before the second, whose deadline is spread over a period."""
        times = self.times()[1:]
        return [later - earlier for earlier, later in zip(times, times[1:])]


class Watcher:
    """Samples one observer beside the case until it is told to end."""

    def __init__(self, observer):
        self.observer = observer
        self.homes = {}
        self.oldest = 0.0
        self.most_resident = 0
        self.most_descriptors = 0
        self.errors = 0
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.wait(SAMPLE_EVERY):
            try:
                services = self.observer.services()
                self.most_resident = max(self.most_resident, self.observer.resident())
                self.most_descriptors = max(self.most_descriptors, self.observer.descriptors())
            except (OSError, ValueError):
                self.errors += 1
                continue
            with self.lock:
                for service in services:
                    self.take(service)

    def take(self, service):
        for home in service["homes"]:
            history = self.homes.setdefault(home["cluster"], History())
            history.add(home)
            if len(history.probes) >= 2:  # the second deadline is spread over a period
                self.oldest = max(self.oldest, time.time() - history.times()[-1])

    def home(self, cluster):
        with self.lock:
            return self.homes.setdefault(cluster, History())

    def wait(self, condition, patience):
        """True as soon as `condition()` holds, False when it does not within `patience` seconds."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if condition():
                return True
            time.sleep(0.05)
        return condition()

    def wait_results(self, clusters, count, patience):
        return self.wait(lambda: all(len(self.home(name).probes) >= count for name in clusters),
                         patience)

    def stop(self):
        self.ended.set()
        self.thread.join()


def request_seconds(metrics, phase="total", kind=None):
    """(count, sum, {bound: how many took at most that long}) of the observer's own histogram."""
    count, total, buckets = 0, 0.0, {}
    for line in metrics.splitlines():
        found = re.match(r"ome_observer_request_seconds_(\w+)\{(.*)\} (\S+)", line)
        if not found or f'phase="{phase}"' not in found[2]:
            continue
        if kind and f'kind="{kind}"' not in found[2]:
            continue
        if found[1] == "count":
            count += int(float(found[3]))
        elif found[1] == "sum":
            total += float(found[3])
        else:
            bound = re.search(r'le="([^"]+)"', found[2])[1]
            buckets[float(bound)] = buckets.get(float(bound), 0) + int(float(found[3]))
    return count, total, buckets
