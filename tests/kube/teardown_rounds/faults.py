"""Which step is disturbed next, and how: those that were disturbed least come first."""
import collections
import threading
import time

KILLS = ("killed before", "killed after")
MODES = (*KILLS, "answer lost", "refused", "paused")
# What must not be overtaken: if it fails, then what comes after it has to wait.
BARRIERS = ("delete HTTPRoute", "update HTTPRoute", "create Service")
# Each write is late by up to so much, so that what is sent together arrives in any order.
JITTER = 0.06

REMOVAL = ["delete EndpointSlice", "delete BackendTLSPolicy", "delete Service"]
FINALIZING = ["delete TrafficMap", "status Finalizing", "update HTTPRoute", "delete HTTPRoute",
              *REMOVAL, "status removed", "finalizer removed"]
STEPS = {
    "publishing": ["create TrafficMap", "finalizer added", "status Transitioning",
                   "create Service", "create EndpointSlice", "create BackendTLSPolicy",
                   "create HTTPRoute", "status Published"],
    "services deleted": FINALIZING,
    "opted out": FINALIZING,
    "routing off": FINALIZING,
    "routing off at a restart": FINALIZING,
    "no gateway": ["status Transitioning", "update HTTPRoute", "delete HTTPRoute", *REMOVAL,
                   "status Withdrawn"],
    "a home leaves": ["patch TrafficMap", "status Transitioning", "update HTTPRoute", *REMOVAL,
                      "status Published"],
    # Much is gone already when its turn comes.
    "namespace deleted": ["status Finalizing", "status removed", "finalizer removed"],
    "namespace of routes deleted": ["status Finalizing", "status removed", "finalizer removed"],
}
TEARDOWNS = [name for name in STEPS if name != "publishing"]


class Faults:
    """Asked by the proxy before each write."""

    def __init__(self, rng, acts):
        self.rng, self.acts = rng, acts
        self.lock = threading.Lock()
        self.scenario = "publishing"
        self.armed = None
        self.since = 0  # the step of the last fault: what is past does not come again
        self.left = 0
        self.done = collections.Counter()  # (scenario, step, mode)
        self.seen = collections.Counter()  # (scenario, step)

    def begin(self, scenario, most):
        with self.lock:
            self.scenario, self.since, self.left = scenario, 0, most
            self.arm()

    def end(self):
        with self.lock:
            self.left, self.armed = 0, None

    def arm(self):
        steps = STEPS[self.scenario][self.since:]
        self.armed = None
        if self.left > 0 and steps:
            def often(fault):
                step, mode = fault
                rare = mode not in KILLS
                first = -1 if mode == "refused" and step in BARRIERS else 0.5 * rare
                return (self.done[(self.scenario, step, mode)] * (3 if rare else 1) + first
                        + 0.15 * steps.index(step) + self.rng.random())
            self.armed = min(((step, mode) for step in steps for mode in MODES), key=often)

    def again(self):
        """After a fault is over."""
        with self.lock:
            self.arm()

    def __call__(self, step):
        with self.lock:
            late = self.rng.uniform(0, JITTER)
        time.sleep(late)
        with self.lock:
            self.seen[(self.scenario, step)] += 1
            if self.armed is None or step != self.armed[0] or self.rng.random() < 0.3:
                return None
            mode, self.armed = self.armed[1], None
            self.since = STEPS[self.scenario].index(step)
            self.left -= 1
            self.done[(self.scenario, step, mode)] += 1
        if mode == "answer lost":
            return "after", self.lose
        if mode == "refused":
            return "before", self.refuse
        return ("before" if mode == "killed before" else "after"), self.acts[mode]

    def refuse(self):
        self.again()

    def lose(self):
        time.sleep(1)  # how long it stays away
        self.again()
        return False

    def report(self):
        for scenario, steps in STEPS.items():
            for step in steps:
                counts = [self.done[(scenario, step, mode)] for mode in MODES]
                print(f"{scenario:28} {step:26}" + "".join(f"{count:8}" for count in counts)
                      + ("" if self.seen[(scenario, step)] else "   did not occur"))
        print("kills", sum(count for (_, _, mode), count in self.done.items() if mode in KILLS))
