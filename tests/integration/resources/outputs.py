"""Nobody reads what the programs say."""
import os

from world import Guard, Mapped, World, demand, wait_until


def log_reader_left(options):
    """The pipe that both programs log to has lost its reader: they go on."""
    reader, writer = os.pipe()
    with Mapped(options, "--log-level", "debug", output=writer) as world:
        os.close(writer)
        os.close(reader)
        with Guard(world.observer.address, world.controller.address) as guard:
            world.put(ready=2)
            took = world.wait_for_maps(2)
            world.goes_on()
        demand(world.observer.alive() and world.controller.alive(), "a program has ended")
        return f"maps follow after {took:.1f} s; {guard}"


def log_reader_sleeps(options):
    """The pipe is full, since its reader does nothing: they go on, and count what is lost."""
    reader, writer = os.pipe()
    with World(options, 40, "--log-level", "debug", output=writer) as world:
        os.close(writer)
        with Guard(world.observer.address) as guard:
            world.begin()
            for _ in range(3):
                world.goes_on()
        said = b""
        os.set_blocking(reader, False)

        def told():
            nonlocal said
            try:
                said += os.read(reader, 1 << 16)
            except BlockingIOError:
                pass
            return b"log lines dropped" in said or world.observer.alive()

        wait_until(told, "it lives, and says what is missing")
        os.close(reader)
        return f"{guard}; says: log `log lines dropped` when its queue of lines overflows"


CASES = {"log-reader-left": log_reader_left, "log-reader-sleeps": log_reader_sleeps}
