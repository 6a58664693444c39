"""Full disks: below a recording, below a log, below the maps."""
import random
import re
import time

from world import Guard, Mapped, World, demand, fill, metric, small_disk, wait_until


def recording(options):
    """No room for --record: lines are lost, no attempt is; it goes on when there is room again."""
    with small_disk("256k") as disk:
        filler = disk / "filler"
        filler.write_bytes(b"x" * 100_000)
        with World(options, 100, "--record", str(disk / "attempts.ndjson")) as world, \
                Guard(world.observer.address) as guard:
            world.begin()
            lost = 'recorded_attempts_total{result="lost"'
            world_lost = wait_until(lambda: world.metric(lost) > 0, "lines are lost")
            wait_until(lambda: "recording loses lines" in world.observer.log(), "the log says so")
            world.goes_on()
            demand(world.well(), "homes are not well")
            filler.unlink()
            took = wait_until(lambda: "recording goes on" in world.observer.log(), "it goes on")
            return (f"full after {world_lost:.1f} s, {world.metric(lost):.0f} lines lost, on again "
                    f"{took:.1f} s after there was room; {guard}; says: log `recording loses lines`, "
                    f"`recording goes on`, metric ome_observer_recorded_attempts_total")


def log_file(options):
    """No room for the log: nothing else minds, and what was lost is counted when there is room."""
    with small_disk("128k") as disk:
        log = disk / "log"
        with open(log, "ab") as output, World(options, 40, "--log-level", "debug",
                                              output=output) as world:
            with Guard(world.observer.address) as guard:
                world.begin()
                filler = fill(disk)
                world.goes_on()
                world.goes_on()
                demand(world.well(), "homes are not well")
                filler.unlink()
                told = re.compile(r"^\S+Z WARN  log lines dropped count=[1-9]", re.M)
                took = wait_until(lambda: told.search(log.read_text(errors="replace")),
                                  "the log says what is missing, on a line of its own", 20)
            return (f"told {took:.1f} s after there was room; {guard}; says: log `log lines dropped`")


def maps(options):
    """No room for maps: they stay as they were, whole, it is told, and they follow when there is."""
    with small_disk("512k") as disk, Mapped(options, place=disk) as world, \
            Guard(world.controller.address, world.observer.address) as guard:
        filler = fill(disk)
        world.put(ready=2)
        failed = wait_until(lambda: metric(world.controller.metrics(),
                                           "ome_trafficmap_write_failures_total") > 0, "it is counted")
        world.no_half_map()
        demand(world.all_maps_say(4), "a map has changed without room for it")
        filler.unlink()
        took = world.wait_for_maps(2)
        world.no_half_map()
        return (f"counted after {failed:.1f} s, maps follow {took:.1f} s after there was room; {guard}; "
                "says: metric ome_trafficmap_write_failures_total")


def maps_and_kills(options):
    """The same while the controller is killed again and again: no reader ever sees half a map."""
    rng, rounds = random.Random(options.seed), 12 if options.long else 3
    with small_disk("512k") as disk, Mapped(options, place=disk) as world, \
            Guard(world.observer.address) as guard:
        looks = 0
        for number in range(rounds):
            filler = fill(disk) if number % 2 == 0 else None
            world.put(ready=1 + number % 4)
            until = time.monotonic() + rng.uniform(0.02, 0.6)
            while time.monotonic() < until:
                world.no_half_map()
                looks += 1
            world.controller.kill()
            world.no_half_map()
            if filler:
                filler.unlink(missing_ok=True)
            world.controller.start()
            world.wait_for_maps(1 + number % 4)
        left = [path.name for path in (disk / "store/trafficmaps/r").iterdir()
                if not path.name.endswith(".yaml")]
        demand(not left, f"files are left over: {left}")
        return f"{rounds} kills, {looks} looks at all maps; {guard}"


CASES = {"disk-recording": recording, "disk-log": log_file, "disk-maps": maps,
         "disk-maps-kills": maps_and_kills}
