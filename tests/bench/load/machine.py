"""The machine that is measured on: cores, what others use of it, and what a process costs."""
import dataclasses
import os
import pathlib
import platform
import resource
import shutil
import signal
import subprocess
import time

CLIENT_CORE = 1
SERVER_CORE = 0
TICK = os.sysconf("SC_CLK_TCK")


def unfit():
    """Why nothing can be measured here; None when it can."""
    if not shutil.which("taskset"):
        return "taskset is missing (util-linux): client and server would share cores"
    if not {CLIENT_CORE, SERVER_CORE} <= os.sched_getaffinity(0):
        return f"cores {SERVER_CORE} and {CLIENT_CORE} are needed, one for the client and one for the server"
    return None


def describe():
    """What a figure depends on."""
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return {"model": model, "cores": os.cpu_count(), "memoryGiB": round(memory, 1),
            "kernel": platform.release(), "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[1]}


def pinned(core, launcher):
    """Words before a command that keep it on a core."""
    return ["taskset", "-c", str(core), *launcher]


def cpu_seconds(pid):
    """User and system time of a process so far, all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid):
    """{"rss", "pss"} in bytes."""
    found = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        word = line.split()
        if word[0] in ("Rss:", "Pss:"):
            found[word[0][:-1].lower()] = int(word[1]) * 1024
    return found


def _busy_seconds():
    """Of all cores, without what interrupts and the hypervisor took: nobody's work is in these."""
    user, nice, system = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:4]
    return (int(user) + int(nice) + int(system)) / TICK


class Foreign:
    """What other people's processes use of the machine from its making on. `pids`: our children that
    live; those that have been waited for are counted by the system."""

    def __init__(self, pids):
        self.pids = pids
        self.begun = time.monotonic()
        self.before = self._others()

    def _others(self):
        ours = sum(os.times()[:4])
        for pid in self.pids():
            try:
                ours += cpu_seconds(pid)
            except OSError:
                pass
        return _busy_seconds() - ours

    def percent(self):
        used = self._others() - self.before
        return max(0.0, 100 * used / ((time.monotonic() - self.begun) * os.cpu_count()))


@dataclasses.dataclass
class Ended:
    """A program that ran to its end."""
    output: str
    cpu: float
    seconds: float


def run_to_end(command, limit, environment=None):
    """Runs a program for at most `limit` seconds; its output and CPU time. RuntimeError when it
    fails or takes longer."""
    begun = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, **(environment or {})}, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    seconds = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{output[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(output, cpu, seconds)
