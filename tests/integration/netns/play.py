"""The course of a run: calm, trouble, its effect, its end, calm again; and the verdict."""
import os
import time

from scenes import GATED, MOVED, SERVED
from stage import PERIOD, PROBE, REPORT, TIMEOUT

PATIENCE = 60
# What the promises say, with room for a machine that has other work.
PERIODS_TO_GATE = PROBE["failureThreshold"] + 1
PERIODS_TO_MEND = PROBE["successThreshold"] + 2  # with a lookup that is still under way
SLACK = 5


def is_well(reading):
    probe, capacity = reading.get("probe", {}), reading.get("capacity", {})
    return (probe.get("result") == "Passing" and not probe["gated"]
            and capacity.get("ceiling") == REPORT)


def is_gated(scene, reading):
    probe, capacity = reading.get("probe", {}), reading.get("capacity", {})
    if not probe.get("gated") or probe["result"] != "Failing":
        return False
    if scene.poll:
        return "ceiling" not in capacity and capacity["fallbackReason"].startswith(scene.poll)
    return True


class Play:
    def __init__(self, stage, seconds, rounds):
        self.stage, self.seconds, self.rounds = stage, seconds, rounds
        self.homes = {home.scene.name: home for home in stage.homes}
        self.scenes = {name: home.scene for name, home in self.homes.items()}
        self.failures = {}

    def fail(self, about, what):
        """Of each scene what went wrong first."""
        if about not in self.failures:
            self.failures[about] = what
            print(f"FAILED  {about}: {what}", flush=True)

    def has_effect(self, scene, reading):
        """Whether the trouble has led to what it must."""
        if scene.probe == GATED:
            return is_gated(scene, reading)
        if scene.probe == MOVED:
            return (is_well(reading) and self.stage.connections(self.homes[scene.name].second)
                    and not self.is_at_old_address(scene))
        return True

    def is_at_old_address(self, scene):
        """What is left of connections to a gateway that has gone is seen by its own end alone."""
        return (scene.moves == "gateway-lives"
                and self.stage.connections(self.homes[scene.name].v4) > 0)

    def wait_for(self, what, holds, beside=None):
        """By name: seconds until it held of each home. `beside`: looks at every reading meanwhile."""
        begun, took = time.monotonic(), {}
        while len(took) < len(self.scenes) and time.monotonic() - begun < PATIENCE:
            for name, reading in self.stage.readings().items():
                if beside:
                    beside(self.scenes[name], reading)
                if name not in took and holds(self.scenes[name], reading):
                    took[name] = time.monotonic() - begun
            time.sleep(0.1)
        last = self.stage.readings()
        for name in sorted(self.scenes.keys() - took.keys()):
            self.fail(name, f"not {what} within {PATIENCE} s: {last.get(name)}")
        return took

    def endure(self):
        """The trouble lasts: what is served stays so, what is gated says why."""
        until = time.monotonic() + self.seconds
        while True:
            for name, reading in self.stage.readings().items():
                self.look_all(self.scenes[name], reading)
            if time.monotonic() >= until or self.failures:
                return
            time.sleep(0.3)

    def look(self, scene, reading):
        """What holds from the first moment of the trouble on."""
        if time.monotonic() - self.stage.wire.late_at < 4 * PERIOD:
            return  # a home seems slow when this process gets no time
        if scene.probe in (SERVED, MOVED) and reading["probe"]["gated"]:
            self.fail(scene.name, f"gated: {reading}")
        if scene.poll == "" and reading["capacity"].get("ceiling") != REPORT:
            self.fail(scene.name, f"the ceiling is lost: {reading}")

    def look_all(self, scene, reading):
        """And what holds from its effect on."""
        self.look(scene, reading)
        message = reading["probe"]["message"]
        if scene.probe == GATED and not message.startswith("transport error: "):
            self.fail(scene.name, repr(message))
        if scene.probe == MOVED and self.is_at_old_address(scene):
            self.fail(scene.name, f"somebody is at the old address again")

    def round(self):
        stage = self.stage
        self.wait_for("well at first", lambda scene, reading: is_well(reading))
        stage.begin_trouble()
        took = self.wait_for("as the trouble must make it", self.has_effect, self.look)
        self.endure()
        stage.end_trouble()
        again = self.wait_for("well again", lambda scene, reading: is_well(reading))
        print(f"{'scene':20} {'effect after':>14} {'well again after':>24}")
        for name, scene in self.scenes.items():
            seen = scene.probe in (GATED, MOVED)
            effect = f"{took.get(name, -1):6.1f} s {scene.probe}" if seen else ""
            mended = f"{again.get(name, -1):.1f} s, {again.get(name, -1) / PERIOD:.1f} periods"
            print(f"{name:20} {effect:>14} {mended if seen else '':>24}", flush=True)
            self.bound(name, "until its effect", took.get(name, 0), PERIODS_TO_GATE)
            self.bound(name, "until it was well", again.get(name, 0), PERIODS_TO_MEND)

    def bound(self, name, what, seconds, periods):
        if seconds > SLACK * (periods * PERIOD + TIMEOUT):
            self.fail(name, f"{seconds:.1f} s {what}, at most {periods} periods are due")

    def run(self):
        for number in range(self.rounds):
            self.stage.begin_calm()
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
            self.fail("the second opinion", one)
        if stage.wire.trespasses:
            self.fail("dns-forged", "a forged answer was believed")
        if not stage.first.asked.get(("dns-truncated.test", "tcp")) and "dns-truncated" in self.scenes:
            self.fail("dns-truncated", "nobody has asked over TCP")
        for name, count in stage.checker.failed.items():
            if name.split("/")[1].startswith("calm-") and stage.wire.late_at < 0:
                self.fail(name, f"has failed in {count} readings")
        if not stage.observer.alive():
            self.fail("the observer", "has ended: " + stage.observer.log()[-500:])
