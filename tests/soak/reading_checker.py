"""A second opinion on what an observer says: the lines of its watch against a model of its own.

The model is written from the promises and shares no code with the product. Lines may leave out what
lay between them (a slow reader's changes become one), so a reading is accepted when any sequence of
results that had time to happen leads to it.
"""
import datetime
import functools
import hashlib
import json
import math
import re
import threading

ENOUGH = 12  # with so many results, every state of the thresholds used here can be reached
REASONS = ("capacity target is invalid: ", "capacity request URL is invalid: ",
           "capacity endpoint unreachable: ", "capacity endpoint returned HTTP ",
           "reading capacity response: ", "capacity request did not complete: ",
           "capacity response is not a valid report: ", "capacity report has no ",
           "capacity report is negative (", "capacity report timestamp is in the future",
           "capacity report is stale (", "capacity report awaiting quorum ", "no capacity report yet",
           "capacity observation could not be submitted: ")
MESSAGES = re.compile(r"HTTP \d{3}( \(not in accept or gate list\))?$|transport error: "
                      r"|response body error: |probe could not run: |$")
CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def nanoseconds(text):
    """Of the durations that are used here: `500ms`, `40s`."""
    return int(text[:-2]) * 10**6 if text.endswith("ms") else int(text[:-1]) * 10**9


def digest(members):
    text = json.dumps({"version": 1, **members}, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def probe_digest(policy):
    return digest({"path": policy["path"], "method": policy["method"],
                   "acceptStatuses": sorted(set(policy["acceptStatuses"])),
                   "gateStatuses": sorted(set(policy["gateStatuses"])),
                   "periodNanoseconds": nanoseconds(policy["period"]),
                   "timeoutNanoseconds": nanoseconds(policy["timeout"]),
                   "failureThreshold": policy["failureThreshold"],
                   "successThreshold": policy["successThreshold"],
                   "allFailedPolicy": policy["allFailedPolicy"]})


def capacity_digest(policy):
    return digest({"path": policy["path"], "method": policy["method"], "format": policy["format"],
                   "options": None, "periodNanoseconds": nanoseconds(policy["period"]),
                   "timeoutNanoseconds": nanoseconds(policy["timeout"]),
                   "samples": policy["samples"], "quorum": policy["quorum"],
                   "maxAgeNanoseconds": nanoseconds(policy["maxAge"])})


def seconds_of(stamp):
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", stamp)).timestamp()


def after(state, result, closes, lifts):
    """One result further: state is (gated, failures, passes, result)."""
    gated, failures, passes, _ = state
    if result == "Unknown":
        return (gated, failures, passes, result)
    if result == "Failing":
        return (gated or failures + 1 >= closes, failures + 1, 0, result)
    if not gated or passes + 1 >= lifts:
        return (False, 0, 0, result)
    return (True, 0, passes + 1, result)


@functools.lru_cache(maxsize=100000)
def reachable(state, steps, closes, lifts):
    states = level = {state}
    for _ in range(steps):
        level = {after(one, result, closes, lifts) for one in level
                 for result in ("Passing", "Failing", "Unknown")}
        states = states | level
    return states


class Truth:
    """What the one who changes things knows. `touch` comes before the change that it announces."""

    def __init__(self, most_reported):
        self.most_reported = most_reported  # what this home never reports more than
        self.probes, self.capacities = {}, {}
        self.touched, self.deleted = {}, set()
        self.lock = threading.Lock()

    def policy(self, probe=None, capacity=None):
        if probe:
            self.probes[probe_digest(probe)] = probe
        if capacity:
            self.capacities[capacity_digest(capacity)] = capacity

    def touch(self, service, now, deleted=False):
        """A home of this service may begin a new history from `now` (wall time) on."""
        with self.lock:
            self.touched[service] = now
            (self.deleted.add if deleted else self.deleted.discard)(service)


class Home:
    """What the last accepted reading of a home said."""

    def __init__(self, line, reading):
        probe = reading.get("probe") or {}
        self.revision = line["revision"]
        self.endpoint = reading["endpoint"]
        self.digest = probe.get("policyDigest")
        self.state = (probe.get("gated", False), probe.get("consecutiveFailures", 0),
                      probe.get("consecutivePasses", 0), probe.get("result", ""))
        self.time = seconds_of(probe["lastProbeTime"]) if probe.get("lastProbeTime") else None


class Checker:
    """Feed it the lines of one watch. `restarts`: a stored gate may come back with a new history, as
    it does with a controller. `slack`: seconds that a line may have lain about."""

    def __init__(self, truth, begun, restarts=False, slack=30):
        self.truth, self.begun, self.restarts, self.slack = truth, begun, restarts, slack
        self.homes, self.gone, self.gated_under = {}, set(), {}
        self.instance, self.revision = None, -1
        self.counts = {"lines": 0, "readings": 0, "gates closed": 0, "gates lifted": 0,
                       "ceilings": 0, "forgotten": 0, "gates restored": 0}
        self.violations, self.failed = [], {}

    def broken(self, rule, *about):
        self.violations.append(f"{rule}: {' '.join(str(one) for one in about)}")

    def line(self, line, now):
        self.counts["lines"] += 1
        if line["type"] == "Gone":
            self.begin_again()
            return
        if self.instance not in (None, line["instance"]):
            self.broken("the instance stays", line["instance"])
        self.instance = line["instance"]
        if line["revision"] < self.revision:
            self.broken("revisions do not go back", line["revision"], "after", self.revision)
        self.revision = max(self.revision, line["revision"])
        if line["type"] == "Reading":
            self.reading(line, now)
        elif line["type"] == "Forgotten":
            self.forgotten(line)

    def begin_again(self):
        """What comes next is a whole list, of which much has been read before."""
        self.counts["lists again"] = self.counts.get("lists again", 0) + 1
        self.revision = -1
        for home in self.homes.values():
            home.revision = -1

    def forgotten(self, line):
        self.counts["forgotten"] += 1
        service = f"{line['service']['namespace']}/{line['service']['name']}"
        clusters = line["service"].get("clusters")
        for key in [key for key in self.homes
                    if key[0] == service and (clusters is None or key[1] in clusters)]:
            del self.homes[key]
        if clusters is None and service in self.truth.deleted:
            self.gone.add(service)

    def reading(self, line, now):
        service = f"{line['service']['namespace']}/{line['service']['name']}"
        if service in self.gone:
            if service in self.truth.deleted:
                self.broken("what was forgotten stays forgotten", service)
            self.gone.discard(service)
        for reading in line["service"]["homes"]:
            self.counts["readings"] += 1
            key = (service, reading["cluster"])
            self.ceiling(key, reading, now)
            home = Home(line, reading)
            self.gate(key, home, reading, now)
            self.homes[key] = home

    def ceiling(self, key, reading, now):
        capacity = reading.get("capacity")
        if not capacity:
            return
        policy = self.truth.capacities.get(capacity["policyDigest"])
        if policy is None:
            self.broken("a digest is that of a declared policy", key, capacity["policyDigest"])
            return
        reason, samples = capacity.get("fallbackReason", ""), capacity.get("samples", [])
        if CONTROLS.search(reason) or len(reason) > 1100:
            self.broken("a reason is one short line", key, repr(reason))
        ages = {seconds_of(one["expiresAt"]) - seconds_of(one["observedAt"]) for one in samples}
        if any(abs(age - nanoseconds(policy["maxAge"]) / 1e9) > 0.01 for age in ages):
            self.broken("a sample expires at maxAge", key, ages)
        if "ceiling" not in capacity:
            if not reason.startswith(REASONS):
                self.broken("without a ceiling there is a reason", key, repr(reason))
            return
        self.counts["ceilings"] += 1
        counts = sorted(one["servable"] for one in samples)
        quorum = policy["quorum"]
        if reason:
            self.broken("with a ceiling there is no reason", key, repr(reason))
        if not quorum <= len(counts) <= policy["samples"] or counts[quorum - 1] != capacity["ceiling"]:
            self.broken("the ceiling is the quorum-th smallest", key, capacity["ceiling"], counts)
        if any(seconds_of(one["expiresAt"]) < now - self.slack for one in samples):
            self.broken("no ceiling rests on what has expired", key, samples)
        if capacity["ceiling"] > self.truth.most_reported(reading["endpoint"]):
            self.broken("no ceiling is above what was reported", key, capacity["ceiling"])

    def gate(self, key, home, reading, now):
        probe = reading.get("probe")
        if not probe:
            return
        policy = self.truth.probes.get(home.digest)
        if policy is None:
            self.broken("a digest is that of a declared policy", key, home.digest)
            return
        message = probe.get("message", "")
        if not MESSAGES.match(message) or CONTROLS.search(message):
            self.broken("a message is one of the contract's", key, repr(message))
        closes, lifts = policy["failureThreshold"], policy["successThreshold"]
        gated, failures, passes, result = home.state
        if result == "Failing":
            self.failed[key[0]] = self.failed.get(key[0], 0) + 1
        if (not gated and (failures >= closes or passes)) or (gated and passes >= lifts):
            self.broken("counts and gate agree", key, home.state)
        last = self.homes.get(key)
        if last and last.revision >= home.revision:
            self.broken("readings' revisions increase", key, last.revision, home.revision)
        touched = self.truth.touched.get(key[0], self.begun)
        if not self.follows(key, last, home, policy, touched):
            self.broken("a gate moves by its thresholds alone", key, last and (last.state, last.time),
                        "->", home.state, home.time, f"({closes} close, {lifts} lift)")
        self.count_gates(key, last, home)

    def follows(self, key, last, home, policy, touched):
        closes, lifts = policy["failureThreshold"], policy["successThreshold"]
        period = nanoseconds(policy["period"]) / 1e9

        def leads(state, since):
            if home.time is None or since is None:
                return home.state == state
            # A late attempt may be followed soon by one that is in time.
            steps = 0 if home.time == since else math.floor(max(0, home.time - since) / period) + 2
            return steps >= ENOUGH or home.state in reachable(state, steps, closes, lifts)

        same = last is not None and last.digest == home.digest
        if same and leads(last.state, last.time):
            return True
        anew = last is None or not same or last.endpoint != home.endpoint or \
            last.time is None or touched > last.time - self.slack
        if not anew:
            return False
        since = last.time if last is not None and last.time is not None else self.begun
        if leads((False, 0, 0, ""), since - period):
            return True
        if self.restarts and (key, home.digest) in self.gated_under:
            self.counts["gates restored"] += 1
            return True
        return False

    def count_gates(self, key, last, home):
        before = last is not None and last.state[0]
        if home.state[0]:
            self.gated_under[key, home.digest] = True
            self.counts["gates closed"] += not before
        elif before:
            self.counts["gates lifted"] += 1
