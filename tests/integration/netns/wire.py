"""A wire between two namespaces, with faults by the address of the home at its other end.

It is this process that carries the packets, so that it needs neither netem nor filters of the kernel,
and nothing but the wire decides what becomes of a packet.
"""
import dataclasses
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import threading
import time

from namespaces import NotPermitted

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
LATE = 0.25


@dataclasses.dataclass
class Fault:
    """`lost_to`, `lost_from`: the share of packets to and from the home that is lost. `delay`: seconds,
    each way. `most_bytes`: larger packets are lost, and nobody is told (an MTU black hole)."""

    lost_to: float = 0
    lost_from: float = 0
    delay: float = 0
    most_bytes: int = 1 << 16


PARTITION = Fault(lost_to=1, lost_from=1)


def open_tun(namespace, name, addresses):
    """The packets' end of a new interface."""
    with namespace.inside():
        try:
            fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        except OSError as error:
            raise NotPermitted(f"a tun interface: {error}") from None
    for address in addresses:
        namespace.ip("address", "add", address, "dev", name, *(["nodad"] if ":" in address else []))
    namespace.ip("link", "set", name, "up")
    return fd


def far_end(packet, to_home):
    """The address of the home that a packet goes to or comes from."""
    if packet[0] >> 4 == 4:
        return socket.inet_ntop(socket.AF_INET, packet[16:20] if to_home else packet[12:16])
    return socket.inet_ntop(socket.AF_INET6, packet[24:40] if to_home else packet[8:24])


class Wire:
    """`forbidden`: an address that nobody may send to; `trespasses` counts who did."""

    def __init__(self, near, far, seed):
        self.ends = {near: far, far: near}
        self.near = near
        self.faults, self.random = {}, random.Random(seed)
        self.waiting, self.order = [], 0
        self.carried, self.lost, self.latest = 0, 0, 0.0
        self.late_at = -1e9
        self.forbidden, self.trespasses = None, 0
        self.ended = False
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()

    def put(self, address, fault):
        self.faults = {**self.faults, address: fault}

    def heal(self, but):
        """All faults end but these, which are by address."""
        self.faults = but

    def take(self, source):
        try:
            packet = os.read(source, 1 << 16)
        except BlockingIOError:
            return
        to_home = source == self.near
        home = far_end(packet, to_home)
        fault = self.faults.get(home)
        if home == self.forbidden:
            self.trespasses += 1
        delay = 0
        if fault:
            share = fault.lost_to if to_home else fault.lost_from
            if len(packet) > fault.most_bytes or self.random.random() < share:
                self.lost += 1
                return
            delay = fault.delay
        self.order += 1
        heapq.heappush(self.waiting, (time.monotonic() + delay, self.order, self.ends[source], packet))

    def give(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            due, _, sink, packet = heapq.heappop(self.waiting)
            self.latest = max(self.latest, now - due)
            if now - due > LATE:
                self.late_at = now
            try:
                os.write(sink, packet)
                self.carried += 1
            except OSError:
                self.lost += 1

    def carry(self):
        poller = select.poll()
        for end in self.ends:
            poller.register(end, select.POLLIN)
        while not self.ended:
            begun = time.monotonic()
            wait = min(0.05, self.waiting[0][0] - begun) if self.waiting else 0.05
            ready = poller.poll(max(0, wait * 1000))
            if time.monotonic() - begun > LATE:
                self.late_at = time.monotonic()  # this process got no time: homes seem slow
            for end, _ in ready:
                self.take(end)
            self.give(time.monotonic())

    def stop(self):
        self.ended = True
        self.thread.join()
        for end in self.ends:
            os.close(end)
