"""No time: the processes stand still, or have one part in a hundred."""
import os
import pathlib
import signal
import threading
import time

from world import Guard, Mapped, World, demand, fetch, wait_until

CPU = pathlib.Path("/sys/fs/cgroup/cpu")
FEW = 20


def standstill(options):
    """SIGSTOP, then SIGCONT: what was under way is given up and done again, and no home is blamed."""
    seconds = 60 if options.long else 5
    with World(options, 100) as world:
        world.sim.set("*", {"probe": {"latency": "200ms"}, "poll": {"latency": "200ms", "report": 3}})
        world.begin()
        stalled = 'attempts_without_result_total{reason="stalled"'
        failing = 'attempts_total{kind="probe",result="failing"'
        before = world.metric(failing)
        fetch(world.sim.said["control"] + "/reset", b"", "POST")
        world.observer.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        world.observer.process.send_signal(signal.SIGCONT)
        with Guard(world.observer.address) as guard:
            wait_until(lambda: world.metric(stalled) > 0, "attempts are given up")
            world.goes_on()
            demand(world.metric(failing) == before, "an attempt failed for our own standstill")
            took = world.become_well()
        stats = world.sim.stats()
        demand(max(stats[kind]["highWaterOfOneHome"] for kind in ("poll", "probe")) <= 1,
               f"a burst at one home: {stats}")
        return (f"{world.metric(stalled):.0f} attempts given up after {seconds} s, none failed, well "
                f"{took:.1f} s later; {guard}; says: metric "
                'ome_observer_attempts_without_result_total{reason="stalled"}')


def controller_standstill(options):
    """The controller stands still while things change: afterwards its maps follow."""
    seconds = 60 if options.long else 5
    with Mapped(options) as world:
        world.controller.process.send_signal(signal.SIGSTOP)
        world.put(ready=2)
        time.sleep(seconds)
        world.no_half_map()
        world.controller.process.send_signal(signal.SIGCONT)
        with Guard(world.controller.address, world.observer.address) as guard:
            took = world.wait_for_maps(2)
        return f"maps follow {took:.1f} s after {seconds} s; {guard}"


class OnePercent:
    """Of a core for a process: by a cgroup, or where there is none by stopping it 99 % of the time."""

    def __init__(self, pid):
        self.pid, self.ended = pid, threading.Event()
        self.group = CPU / f"ome-test-{os.getpid()}"

    def __enter__(self):
        try:
            self.group.mkdir()
            (self.group / "cpu.cfs_period_us").write_text("100000")
            (self.group / "cpu.cfs_quota_us").write_text("1000")
            (self.group / "cgroup.procs").write_text(str(self.pid))
            self.how = "cgroup"
        except OSError:
            self.how = "SIGSTOP and SIGCONT"
            self.thread = threading.Thread(target=self.pulse)
            self.thread.start()
        return self

    def pulse(self):
        while not self.ended.is_set():
            os.kill(self.pid, signal.SIGCONT)
            self.ended.wait(0.005)
            os.kill(self.pid, signal.SIGSTOP)
            self.ended.wait(0.495)
        os.kill(self.pid, signal.SIGCONT)

    def __exit__(self, *_):
        if self.how == "cgroup":
            (CPU / "cgroup.procs").write_text(str(self.pid))
            self.group.rmdir()
        else:
            self.ended.set()
            self.thread.join()


def one_percent(options):
    """One part in a hundred of a core: it is late and lives, and all is well once it has more."""
    seconds = 60 if options.long else 6
    with World(options, FEW) as world:
        world.begin()
        with OnePercent(world.observer.process.pid) as share:
            with Guard(world.observer.address) as guard:
                before = world.attempts()
                time.sleep(seconds)
            made = world.attempts() - before
            gated = world.observer.status()["gated"]
        demand(made > 0, "nothing was tried")
        took = world.become_well()
        with Guard(world.observer.address):
            world.goes_on()
        return (f"by {share.how}: {made:.0f} attempts in {seconds} s of {2 * FEW} a second, {gated} gated "
                f"meanwhile, well {took:.1f} s later; {guard}")


CASES = {"standstill": standstill, "standstill-controller": controller_standstill,
         "one-percent": one_percent}
