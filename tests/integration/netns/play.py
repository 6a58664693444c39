"""The course of a run: calm, trouble, its effect, its end, calm again; and the verdict."""
import os
import time

from scenes import GATED, SERVED
from stage import PERIOD, PROBE, REPORT, TIMEOUT

PATIENCE = 60
# What the promises say, with room for a machine that has other work.
PERIODS_TO_GATE = PROBE["failureThreshold"] + 1
SLACK = 5


def is_well(reading):
    probe, capacity = reading.get("probe", {}), reading.get("capacity", {})
    return (probe.get("result") == "Passing" and not probe["gated"]
            and capacity.get("ceiling") == REPORT)


def has_effect(scene, reading):
    """Whether the trouble has led to what it must."""
    probe, capacity = reading.get("probe", {}), reading.get("capacity", {})
    if scene.probe == GATED and not (probe.get("gated") and probe["result"] == "Failing"):
        return False
    if scene.poll:
        return "ceiling" not in capacity and capacity["fallbackReason"].startswith(scene.poll)
    return True


class Play:
    def __init__(self, stage, seconds, rounds):
        self.stage, self.seconds, self.rounds = stage, seconds, rounds
        self.scenes = {home.scene.name: home.scene for home in stage.homes}
        self.failures = []

    def fail(self, what):
        self.failures.append(what)
        print(f"FAILED  {what}", flush=True)

    def wait_for(self, what, holds):
        """By name: seconds until it held of each home."""
        begun, took = time.monotonic(), {}
        while len(took) < len(self.scenes) and time.monotonic() - begun < PATIENCE:
            for name, reading in self.stage.readings().items():
                if name not in took and holds(self.scenes[name], reading):
                    took[name] = time.monotonic() - begun
            time.sleep(0.1)
        last = self.stage.readings()
        for name in sorted(self.scenes.keys() - took.keys()):
            self.fail(f"{name}: not {what} within {PATIENCE} s: {last.get(name)}")
        return took

    def endure(self):
        """The trouble lasts: what is served stays so, what is gated says why."""
        until = time.monotonic() + self.seconds
        while True:
            for name, reading in self.stage.readings().items():
                self.look(self.scenes[name], reading)
            if time.monotonic() >= until or self.failures:
                return
            time.sleep(0.3)

    def look(self, scene, reading):
        probe, capacity = reading["probe"], reading["capacity"]
        starved = time.monotonic() - self.stage.wire.late_at < 4 * PERIOD
        if scene.probe == SERVED and not starved and probe["gated"]:
            self.fail(f"{scene.name}: gated: {reading}")
        if scene.probe == GATED and not probe["message"].startswith(scene.message):
            self.fail(f"{scene.name}: {probe['message']!r} does not begin {scene.message!r}")
        if scene.poll == "" and not starved and capacity.get("ceiling") != REPORT:
            self.fail(f"{scene.name}: the ceiling is lost: {reading}")

    def round(self):
        stage = self.stage
        well = self.wait_for("well at first", lambda scene, reading: is_well(reading))
        stage.begin_trouble()
        took = self.wait_for("as the trouble must make it", has_effect)
        self.endure()
        for home in stage.homes:
            if home.scene.moves == "gateway-lives" and self.seconds > 8 and stage.requests_at(home.v4):
                self.fail(f"{home.scene.name}: the old address has connections")
        stage.end_trouble()
        again = self.wait_for("well again", lambda scene, reading: is_well(reading))
        print(f"{'scene':20} {'effect':9} {'well again':>10} {'periods':>8}")
        for name, scene in self.scenes.items():
            effect = f"{took.get(name, -1):6.1f} s" if scene.probe == GATED else "        "
            print(f"{name:20} {effect:9} {again.get(name, -1):8.1f} s "
                  f"{again.get(name, -1) / PERIOD:8.1f}", flush=True)
            bound = SLACK * (PERIODS_TO_GATE * PERIOD + TIMEOUT)
            if scene.probe == GATED and took.get(name, 0) > bound:
                self.fail(f"{name}: {took[name]:.1f} s until it was gated")
        return len(well)

    def run(self):
        for number in range(self.rounds):
            if number:
                self.stage.name_servers("10.77.0.53")
                for home in self.stage.homes:
                    for server in (self.stage.first, self.stage.second):
                        server.table[home.domain] = home.addresses()
                self.stage.wire.heal()
            self.round()
            if self.failures:
                break
        self.judge()
        print(f"{len(self.scenes)} homes, {self.stage.wire.carried} packets carried, "
              f"{self.stage.wire.lost} lost, latest {self.stage.wire.latest * 1000:.0f} ms, "
              f"load {os.getloadavg()[0]:.1f}")
        print("watch: " + ", ".join(f"{count} {what}" for what, count in
                                    self.stage.checker.counts.items()))
        print(f"{len(self.failures)} failed" if self.failures else "all as it must be")
        return not self.failures

    def judge(self):
        stage = self.stage
        for one in stage.checker.violations[:20]:
            self.fail(one)
        if stage.lied_to():
            self.fail("a forged answer was believed")
        if not stage.first.asked.get(("dns-truncated.test", "tcp")) and "dns-truncated" in self.scenes:
            self.fail("dns-truncated: nobody has asked over TCP")
        if not stage.observer.alive():
            self.fail("the observer has ended: " + stage.observer.log()[-500:])
