"""Few descriptors, little memory."""
import os
import pathlib
import resource
import subprocess
import tempfile

from world import PATIENCE, Guard, Mapped, Skipped, World, demand, wait_until

MEMORY = pathlib.Path("/sys/fs/cgroup/memory")
MEMORY_LIMIT = 160 << 20
SPARE = 16 << 20
HOMES = 100
CONFIGURATION = pathlib.Path(__file__).resolve().parents[3] / "deploy/examples/multicluster.json"
TAKEN_DESCRIPTORS = 4  # of any program: its three streams, and what it waits with
CHECKS = 20
RESYNC = 60  # seconds within which the controller looks at all files again
HOSTILE = {"probe": {"oversize": 5_000_000}, "poll": {"oversize": 5_000_000}}


def few_descriptors_from_the_start(options):
    """ulimit -n 64 and 200 homes that hold their connections: attempts wait, nobody is blamed."""
    with World(options, 200, "--api-max-connections", "64", descriptors=64) as world, \
            Guard(world.observer.address) as guard:
        world.declare()
        wait_until(lambda: world.metric("descriptor_shortages_total") > 0 or
                   "the descriptor limit is below" in world.observer.log(), "it says so")
        world.sim.set("*", {"probe": {"latency": "300ms"}, "poll": {"latency": "300ms", "report": 3}})
        world.goes_on()
        demand(world.observer.status()["gated"] == 0, "a home was gated for want of descriptors")
        world.sim.set("*", {"poll": {"report": 3}})
        took = world.become_well()
        return (f"{world.metric('descriptor_shortages_total'):.0f} shortages, well after {took:.1f} s; "
                f"{guard}; says: log `the descriptor limit is below ...`, metric "
                "ome_observer_descriptor_shortages_total")


def descriptors_run_out(options):
    """The limit falls to what is open while all goes on, and rises again."""
    with World(options, 100) as world:
        world.begin()
        pid = world.observer.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        with Guard(world.observer.address) as guard:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (24, before[1]))
            said = wait_until(lambda: world.metric("descriptor_shortages_total") > 0, "it says so")
            wait_until(lambda: "no file descriptor is left" in world.observer.log(), "the log says so")
            world.goes_on()
            demand(world.observer.status()["gated"] == 0, "a home was gated for want of descriptors")
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            took = world.become_well()
            world.goes_on()
        return (f"told after {said:.1f} s, well {took:.1f} s after the limit rose; {guard}; says: log "
                "`no file descriptor is left: attempts wait`, metric "
                "ome_observer_descriptor_shortages_total")


def controller_without_descriptors(options):
    """The controller can open nothing more: its maps stay whole, and follow when it can again."""
    with Mapped(options) as world:
        pid = world.controller.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        wait_until(lambda: world.observer.status()["homes"] == world.count, "all are declared")
        said = len(world.controller.log())
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (TAKEN_DESCRIPTORS, before[1]))
        world.put(ready=2)
        wait_until(lambda: "Too many open files" in world.controller.log()[said:], "the log says so")
        world.goes_on()
        demand(world.all_maps_say(4), "a file was read without a descriptor")
        world.no_half_map()
        demand(world.controller.alive(), "the controller has ended")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        with Guard(world.controller.address, world.observer.address) as guard:
            took = world.wait_for_maps(2, RESYNC + PATIENCE)
            guard.wait_for(CHECKS)
        return f"maps follow {took:.1f} s after the limit rose; {guard}; says: log `Too many open files`"


def little_memory(options):
    """A cgroup of 160 MiB, 100 homes that send 5 MB each: it lives, in its bounds."""
    group = MEMORY / f"ome-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as problem:
        raise Skipped(f"a memory cgroup: {problem}") from None
    try:
        try:
            (group / "memory.limit_in_bytes").write_text(str(MEMORY_LIMIT))
        except OSError as problem:
            raise Skipped(f"a memory cgroup: {problem}") from None
        join = ("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh")
        with World(options, HOMES, launcher=join) as world:
            world.begin()
            with Guard(world.observer.address) as guard:
                world.sim.set("*", HOSTILE)
                world.goes_on()
                demand(world.observer.alive(), "the observer was killed for its memory")
                peak = int((group / "memory.max_usage_in_bytes").read_text()) >> 20
                world.sim.set("*", {"poll": {"report": 3}})
                took = world.become_well()
        return f"at most {peak} MiB of {MEMORY_LIMIT >> 20}; well after {took:.1f} s; {guard}"
    finally:
        group.rmdir()


def no_more_address_space(options):
    """RLIMIT_AS falls to 16 MiB above what is mapped, and 100 homes send 5 MB each: it goes on."""
    with World(options, HOMES) as world:
        world.begin()
        pid = world.observer.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_AS)
        with Guard(world.observer.address) as guard:
            mapped = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[0])
            resource.prlimit(pid, resource.RLIMIT_AS, (mapped * resource.getpagesize() + SPARE, before[1]))
            world.sim.set("*", HOSTILE)
            world.goes_on()
            world.sim.set("*", {"poll": {"report": 3}})
            resource.prlimit(pid, resource.RLIMIT_AS, before)
            took = world.become_well()
        return f"well after {took:.1f} s; {guard}"


def too_few_descriptors_to_start(options):
    """ulimit -n 8: both programs end at once and say what they need."""
    told = []
    with tempfile.TemporaryDirectory() as store:
        for command in ([options.observer, "serve", "--listen", "127.0.0.1:0"],
                        [options.trafficmap, "run", "--store", f"dir:{store}", "--listen", "127.0.0.1:0",
                         "--config", str(CONFIGURATION)]):
            done = subprocess.run(command, text=True, capture_output=True, timeout=60, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)))
            demand(done.returncode > 0, f"exit code {done.returncode}, said: {done.stderr!r}")
            demand("ulimit -n" in done.stderr, f"said: {done.stderr!r}")
            told.append(f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
    return "; ".join(told)


CASES = {"descriptors-low": few_descriptors_from_the_start, "descriptors-run-out": descriptors_run_out,
         "descriptors-controller": controller_without_descriptors,
         "descriptors-too-few": too_few_descriptors_to_start, "memory-cgroup": little_memory,
         "memory-address-space": no_more_address_space}
