"""Network namespaces that live as long as this process, and what is done inside of them."""
import contextlib
import ctypes
import os
import subprocess
import threading

CLONE_NEWNET = 0x40000000
HERE = "/proc/thread-self/ns/net"
libc = ctypes.CDLL(None, use_errno=True)


class NotPermitted(Exception):
    """Why such a network cannot be made here."""


def check(result, doing):
    if result != 0:
        raise NotPermitted(f"{doing}: {os.strerror(ctypes.get_errno())}")


class Namespace:
    """A network of its own, with loopback. Nothing is left of it when the process ends."""

    def __init__(self):
        made = []
        thread = threading.Thread(target=self.make, args=(made,))
        thread.start()
        thread.join()
        if isinstance(made[0], Exception):
            raise made[0]
        self.fd = made[0]
        self.ip("link", "set", "lo", "up")

    @staticmethod
    def make(made):
        """In a thread of its own, which ends in the new network and leaves its descriptor."""
        try:
            check(libc.unshare(CLONE_NEWNET), "a network namespace")
            made.append(os.open(HERE, os.O_RDONLY | os.O_CLOEXEC))
        except (NotPermitted, OSError) as error:
            made.append(error)

    def enter(self):
        """The calling thread, and what it starts from now on, is inside."""
        check(libc.setns(self.fd, CLONE_NEWNET), "entering a network namespace")

    @contextlib.contextmanager
    def inside(self):
        before = os.open(HERE, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.enter()
            try:
                yield
            finally:
                check(libc.setns(before, CLONE_NEWNET), "leaving a network namespace")
        finally:
            os.close(before)

    def ip(self, *words):
        with self.inside():
            try:
                done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
            except FileNotFoundError:
                raise NotPermitted("the program ip is not installed") from None
        if done.returncode != 0:
            raise NotPermitted(f"ip {' '.join(words)}: {done.stderr.strip()}")
