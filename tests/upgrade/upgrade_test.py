#!/usr/bin/env python3
"""Lets the programs of now take over what each earlier release has left (make_fixture made it).

Usage: tests/upgrade/upgrade_test.py [--observer PATH] [--trafficmap PATH] [--homesim PATH] [--only NAME]

For each folder VERSION here: a controller that finds the store keeps gates, drains, identities and routes,
with and without an observer; a recording replays to the decisions of then; and what a later release might
add is ignored where it is read and stays where objects are written back. Everything is on loopback, on
copies. Exit code 1: something does not hold.

Example: tests/upgrade/upgrade_test.py --only keeps_what_is_stored
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import world
from world import HOME_PORT, eventually, files_below, free_port
from program_scripts import HOMESIM, OBSERVER

HERE = pathlib.Path(__file__).resolve().parent
# What moves with time and with every write.
MOVING = re.compile(r"^\s*(?:- )?(lastProbeTime|lastTransitionTime|generation|resourceVersion|observedGeneration|"
                    r"observedTrafficMapGeneration|consecutiveFailures): .*\n", re.MULTILINE)


class Failed(Exception):
    """Something does not hold."""


def want(holds, told):
    if not holds:
        raise Failed(told)


def still(text):
    return MOVING.sub("", text)


def entries_of(text):
    """{cluster: (weight, healthy, drained, endpoint)} of a map as it is written."""
    found = {}
    for part in re.split(r"^  - (?=capacity:)", text.split("\nstatus:")[0], flags=re.MULTILINE)[1:]:
        cluster = re.search(r"^    cluster: (.*)$", part, re.MULTILINE)[1]
        found[cluster] = (int(re.search(r"^    weight: (\d+)$", part, re.MULTILINE)[1]),
                          "healthy: true" in part, "drainRefs" in part,
                          re.search(r"^    endpoint: (.*)$", part, re.MULTILINE)[1])
    return found


def uid_of(text):
    return re.search(r'^  uid: "?([^"\n]*)"?$', text, re.MULTILINE)[1]


class World:
    """A copy of a fixture, homes like those of then, and programs that are ended with it."""

    def __init__(self, options, fixture):
        self.options, self.made = options, tempfile.TemporaryDirectory(prefix="ome-upgrade-")
        self.folder = pathlib.Path(self.made.name, "copy")
        shutil.copytree(fixture, self.folder)
        self.store = self.folder / "store"
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in reversed(self.running):
            program.stop()
        self.made.cleanup()

    def homes(self):
        sim = world.start_homes(self.options.homesim)
        self.running.append(sim)
        world.replace_in(self.folder, f"localhost:{HOME_PORT}", f"localhost:{sim.ports()[0]}")
        return sim

    def observer(self):
        self.running.append(world.start_observer(self.options.observer))
        return self.running[-1]

    def controller(self, observer_address=None):
        """Without an address: of an observer that is not there."""
        address = observer_address or f"http://127.0.0.1:{free_port()}"
        self.running.append(world.Controller(self.options.trafficmap, self.store, self.folder / "config.json",
                                             address, "--probe-time-interval", "1h"))
        return self.running[-1]

    def map(self, name):
        return (self.store / f"trafficmaps/demo/{name}.yaml").read_text(encoding="utf-8")

    def open_capacity(self, controller):
        """Waits until capacity has fallen open for want of an observer: every map was looked at then."""
        eventually(lambda: "observer has not answered" in self.map("chat"),
                   f"capacity falls open; {controller.log()[-1500:]}")


def keeps_what_is_stored(options, fixture):
    """Promises 4, 5 and 6: gates, drains and identities stay; only capacity falls open."""
    with World(options, fixture) as made:
        before = files_below(made.store)
        made.open_capacity(made.controller())
        after = files_below(made.store)
        want(set(before) == set(after), f"other files: {sorted(set(before) ^ set(after))}")
        for name in world.SERVICES:
            then, now = before[f"trafficmaps/demo/{name}.yaml"], after[f"trafficmaps/demo/{name}.yaml"]
            want(uid_of(then) == uid_of(now), f"{name} has another uid")
            for cluster, entry in entries_of(then).items():
                kept = entries_of(now)[cluster]
                want(kept[1:] == entry[1:], f"{name}/{cluster} was {entry}, is {kept}")
                want(entry[0] != 0 or kept[0] == 0, f"{name}/{cluster} has traffic again: {kept}")
        want(not entries_of(made.map("chat"))["worker-c"][1], "the fixture has no gate")
        want(entries_of(made.map("drained"))["worker-a"][2], "the fixture has no drain")


def arrives_at_the_same(options, fixture):
    """With the same homes the maps and routes become what they were, but for time stamps."""
    with World(options, fixture) as made:
        made.homes()
        before = files_below(made.store)
        observer = made.observer()
        controller = made.controller(observer.address)
        eventually(lambda: len(observer.services()) == len(world.SERVICES), "everything is declared")

        def same():
            now = files_below(made.store)
            return {name: still(text) for name, text in now.items()} == \
                {name: still(text) for name, text in before.items()}
        try:
            eventually(same, "the maps of then")
        except RuntimeError as problem:
            other = [name for name, text in files_below(made.store).items() if still(text) != still(before[name])]
            raise Failed(f"{problem}: {other}; {controller.log()[-1500:]}") from None


def gate_needs_its_passes(options, fixture):
    """A stored gate is lifted by successThreshold passes of the new programs, and not before."""
    with World(options, fixture) as made:
        sim = made.homes()
        sim.set("worker-c", {"poll": {"report": 2}, "probe": {"status": 200}})
        observer = made.observer()
        made.controller(observer.address)

        def probe():
            homes = [home for one in observer.services() if one["name"] == "chat" for home in one["homes"]]
            return next((home["probe"] for home in homes if home["cluster"] == "worker-c" and "probe" in home), {})
        seen = []
        eventually(lambda: seen.append((probe().get("gated"), probe().get("consecutivePasses"))) or
                   probe().get("gated") is False, "the gate lifts")
        want(any(gated for gated, _ in seen), f"the observer never knew of the gate: {seen[:5]}")
        eventually(lambda: entries_of(made.map("chat"))["worker-c"][1], "the map follows")


def replay(options, recording):
    made = subprocess.run([options.observer, "replay", str(recording)], capture_output=True, text=True, timeout=120,
                          check=False)
    want(made.returncode == 0, f"replay ends with {made.returncode}: {made.stderr[-1500:]}")
    return [json.loads(line) for line in made.stdout.splitlines()]


def has_all(now, then):
    """Whether everything that was told then is told now, whatever else is."""
    if isinstance(then, dict):
        return isinstance(now, dict) and all(name in now and has_all(now[name], value) for name, value in then.items())
    if isinstance(then, list):
        return isinstance(now, list) and len(now) == len(then) and all(map(has_all, now, then))
    return now == then


def replays_the_recording(options, fixture):
    then = [json.loads(line) for line in (fixture / "replayed.ndjson").read_text().splitlines()]
    now = replay(options, fixture / "recording.ndjson")
    want(len(now) == len(then), f"{len(now)} decisions instead of {len(then)}")
    for number, (one, other) in enumerate(zip(now, then), 1):
        want(has_all(one, other), f"line {number} was {other}, is {one}")


def with_more(value):
    """The document with members that a later release might add, in every object."""
    if isinstance(value, dict):
        return {"laterMember": {"of": ["a later release"]}, **{name: with_more(one) for name, one in value.items()}}
    if isinstance(value, list):
        return [with_more(one) for one in value]
    return value


def replays_a_later_recording(options, fixture):
    then = [json.loads(line) for line in (fixture / "replayed.ndjson").read_text().splitlines()]
    with tempfile.TemporaryDirectory(prefix="ome-upgrade-") as made:
        later = pathlib.Path(made, "later.ndjson")
        events = []
        for line in (fixture / "recording.ndjson").read_text().splitlines():
            event = json.loads(line)
            events.append(json.dumps({**event, "laterMember": {"a": [1]}}))
        later.write_text("\n".join(events) + "\n")
        now = replay(options, later)
    want(len(now) == len(then) and all(map(has_all, now, then)), "a later recording replays otherwise")


def digests_of(observer):
    """Of both policies, as the reading of `by-hand` tells them: each from its first attempt on."""
    home = next(one for one in observer.services() if one["name"] == "by-hand")["homes"][0]
    return {part: home.get(part, {}).get("policyDigest") for part in ("capacity", "probe")}


def takes_a_later_declaration(options, fixture):
    """The API ignores members that it does not know, wherever they stand."""
    with World(options, fixture) as made:
        observer = made.observer()
        declaration = json.loads((fixture / "api/declaration.json").read_text())
        observer.put(declaration)
        eventually(lambda: all(digests_of(observer).values()), "both policies were tried")
        plain = digests_of(observer)
        observer.put(with_more(declaration))
        later = digests_of(observer)
        want(later == plain, f"other policies: {plain} became {later}")
        owner = next(one for one in observer.services() if one["name"] == "by-hand")["ownerUID"]
        want(owner == declaration["ownerUID"], "another owner")


def keeps_later_members(options, fixture):
    """What a later release or somebody else has put into stored objects survives a write of the map."""
    with World(options, fixture) as made:
        path = made.store / "trafficmaps/demo/chat.yaml"
        text = path.read_text()
        text = text.replace("metadata:\n", "metadata:\n  annotations:\n    later.example.test/kept: \"yes\"\n"
                            "  labels:\n    later.example.test/kept: \"yes\"\n", 1)
        text = text.replace("  finalizers:\n", "  finalizers:\n  - later.example.test/kept\n", 1)
        text = text.replace("spec:\n", "spec:\n  laterMember: {a: 1}\n", 1)
        path.write_text(text)
        service = made.store / "inferenceservices/demo/chat.yaml"
        service.write_text(service.read_text().replace("spec:\n", "spec:\n  laterMember: {a: 1}\n", 1))
        config = json.loads((made.folder / "config.json").read_text())
        (made.folder / "config.json").write_text(json.dumps(with_more(config)))
        route = made.store / "routes/demo/chat.yaml"
        route.write_text(route.read_text().replace("metadata:\n", "metadata:\n  annotations:\n"
                                                   "    later.example.test/kept: \"yes\"\n", 1)
                         if "annotations:" not in route.read_text().split("\n---")[0] else route.read_text())
        made.open_capacity(made.controller())
        now = made.map("chat")
        want(now.count("later.example.test/kept") == 3, f"metadata of others is lost: {now[:900]}")
        want(service.read_text().count("laterMember") == 1, "the service's manifest was changed")
        want(not entries_of(now)["worker-c"][1], "the gate is lost")
        want(uid_of(now) == uid_of(text), "the map was made anew")


CHECKS = (keeps_what_is_stored, arrives_at_the_same, gate_needs_its_passes, replays_the_recording,
          replays_a_later_recording, takes_a_later_declaration, keeps_later_members)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observer", default=OBSERVER)
    parser.add_argument("--trafficmap", default=world.TRAFFICMAP)
    parser.add_argument("--homesim", default=HOMESIM)
    parser.add_argument("--only", choices=[check.__name__ for check in CHECKS])
    options = parser.parse_args()
    fixtures = sorted(path.parent for path in HERE.glob("*/recording.ndjson"))
    failed = 0
    for fixture in fixtures:
        for check in CHECKS:
            if options.only not in (None, check.__name__):
                continue
            try:
                check(options, fixture)
                print(f"ok      {fixture.name}  {check.__name__}", flush=True)
            except (Failed, RuntimeError, OSError, ValueError, KeyError) as problem:
                failed += 1
                print(f"FAILED  {fixture.name}  {check.__name__}: {problem}", flush=True)
    print(f"{len(fixtures)} releases, {failed} failures")
    return 1 if failed or not fixtures else 0


if __name__ == "__main__":
    sys.exit(main())
