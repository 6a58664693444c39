"""Homes that want memory, processor time, descriptors or room in the log."""
import asyncio
import itertools
import os
import re
import socket
import threading
import time

from checking import wait
from homes import answer, declared, readings, report
from program_scripts import Observer
from scripted_peer import Peers

MEGABYTE = 1024 * 1024
HOMES, SLOTS = 200, 64
# Of promise 9: what an attempt may hold, for as many as there are slots; and the allocator's share.
ATTEMPT_BYTES = 65536 + 128 * 1024
ROOM = 2 * SLOTS * ATTEMPT_BYTES + 24 * MEGABYTE
# Far above what is measured (printed), far below what a quadratic parser would take.
MOST_SECONDS_A_MEGABYTE = 4.0
MOST_SECONDS_A_SEGMENT = 0.001
HEAD_ROOM = 120_000  # so that nearly all that is sent is read: a head may have 128 KiB
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
FLOODS = {
    "body": (CHUNKED, b"4000\r\n" + b"x" * 0x4000 + b"\r\n"),
    "body-to-close": (HEAD + b"\r\n", b"x" * 16384),
    "declared-body": (HEAD + b"Content-Length: 9223372036854775807\r\n\r\n", b"x" * 16384),
    "head-line": (HEAD + b"X-Endless: ", b"y" * 16384),
    "head-lines": (HEAD, b"X-Line: 1\r\n" * 1000),
    "folded-lines": (HEAD + b"X-Line: 1\r\n", b" folded\r\n" * 1000),
    "interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
    "interim-heads": (b"HTTP/1.1 103 Early Hints\r\n", b"Link: </a>; rel=preload\r\n" * 500),
    "chunk-extension": (CHUNKED + b"1", b";a=b" * 4000),
    "chunk-size": (CHUNKED, b"0" * 16384),
    "trailers": (CHUNKED + b"0\r\n", b"X-Trailer: 1\r\n" * 1000),
    "gzip": (HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
             b"4000\r\n" + b"\x1f\x8b" + bytes(0x3ffe) + b"\r\n"),
}


def flood(name, counter=None):
    """Sends without end, as far as it is read."""
    begin, more = FLOODS[name]

    async def serve(wire):
        await wire.read_head()
        await wire.write(begin)
        while True:
            await wire.write(more)
            if counter is not None:
                counter[0] += len(more)
    return serve


class Torrent:
    """Answers with `begin`, and then with `piece` again and again as fast as the kernel copies it. Use as
    a context."""

    def __init__(self, begin, piece):
        self.begin, self.file, self.size = begin, os.memfd_create("piece"), len(piece)
        os.write(self.file, piece)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sent, self.lasted, self.threads = 0, [], []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:  # their client has left
            thread.join(10)
        os.close(self.file)

    def accept(self):
        try:
            while True:
                thread = threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True)
                self.threads.append(thread)
                thread.start()
        except OSError:
            pass

    def serve(self, peer):
        begun = time.monotonic()
        with peer:
            try:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * MEGABYTE)
                peer.recv(65536)
                peer.sendall(self.begin)
                while True:
                    at = 0
                    while at < self.size:
                        done = os.sendfile(peer.fileno(), self.file, at, self.size - at)
                        at, self.sent = at + done, self.sent + done
            except OSError:
                self.lasted.append(time.monotonic() - begun)


def memory(case):
    """200 homes that send without end: body, head, interim answers, extensions, trailers, gzip"""
    case.only_plain()
    with Peers() as peers:
        ports = {name: peers.listen(flood(name)) for name in FLOODS}
        names = itertools.cycle(FLOODS)
        homes = {f"{index}-{(name := next(names))}": f"http://127.0.0.1:{ports[name]}"
                 for index in range(HOMES)}
        observer = Observer(case.options.observer, "--max-concurrent-requests", str(SLOTS), file=False)
        try:
            resting, files = observer.resident(), observer.descriptors()
            observer.put_all([declared("flood", homes, probe={}, capacity={})])
            most, most_files, until = 0, 0, time.monotonic() + 8
            while time.monotonic() < until:
                most = max(most, observer.resident())
                most_files = max(most_files, observer.descriptors())
                time.sleep(0.1)
            attempts = sum(map(int, re.findall(r"ome_observer_attempts_total{.*} (\d+)",
                                               observer.metrics())))
            case.show(f"{attempts} attempts, RSS {resting / MEGABYTE:.0f} + "
                      f"{(most - resting) / MEGABYTE:.1f} MB, descriptors {files} + {most_files - files}")
            case.check("homes were tried", attempts >= HOMES, attempts)
            case.check(f"memory grows by less than {ROOM / MEGABYTE:.0f} MB", most - resting < ROOM,
                       f"{(most - resting) / MEGABYTE:.1f} MB")
            case.check("descriptors are those of the slots", most_files - files <= SLOTS + 8, most_files)
            for (_, cluster), home in readings(observer).items():
                case.check(f"{cluster} gets no ceiling", "ceiling" not in home["capacity"], home)
            observer.put_all([])
            case.check("all is released", wait(lambda: observer.status()["inFlight"] == 0 and
                                               observer.descriptors() <= files + 3),
                       observer.descriptors())
        finally:
            observer.stop()


def processor_time(case):
    """Tiny pieces: what a megabyte, and what a segment, costs"""
    case.only_plain()
    for name in ("head-lines", "folded-lines", "interim", "chunk-extension", "trailers", "head-line"):
        cost_of(case, name, (FLOODS[name][0] + FLOODS[name][1] * 40)[:HEAD_ROOM], pause=0)
    cost_of(case, "tiny-chunks", CHUNKED + b"1\r\nx\r\n" * 40_000, pause=0)
    cost_of(case, "drip-body", HEAD + b"Content-Length: 100000\r\n\r\n" + b"x" * 3000, pause=1)
    cost_of(case, "drip-head", HEAD + b"X: y\r\n" * 500, pause=1)


def cost_of(case, name, data, pause):
    """With a pause, each byte is a segment of its own."""
    sent = [0]

    async def serve(wire):
        await wire.read_head()
        if pause:
            for at in range(len(data)):
                await wire.write(data[at:at + 1])
                sent[0] += 1
                await asyncio.sleep(0)
        else:
            await wire.write(data)
            sent[0] += len(data)
        await asyncio.sleep(10)
    with Peers() as peers:
        port = peers.listen(serve)
        homes = {f"h{index}": f"http://127.0.0.1:{port}/{index}" for index in range(8)}
        observer = Observer(case.options.observer, "--max-response-bytes", "4000000", file=False)
        try:
            time.sleep(0.5)
            idle = observer.cpu_seconds()
            time.sleep(1)
            idle = observer.cpu_seconds() - idle
            before = observer.cpu_seconds()
            observer.put_all([declared("cost", homes, probe={})])
            time.sleep(3)
            spent = max(0.0, observer.cpu_seconds() - before - 3 * idle)
        finally:
            observer.stop()
    case.check(f"{name}: bytes were sent", sent[0] > 1000, sent[0])
    if pause:
        each = spent / max(1, sent[0])
        case.show(f"{name} {each * 1e6:.1f} us a segment of 1 byte")
        case.check(f"{name}: bounded", each < MOST_SECONDS_A_SEGMENT, each)
    else:
        each = spent / (max(1, sent[0]) / MEGABYTE)
        case.show(f"{name} {each * 1000:.0f} ms/MB")
        case.check(f"{name}: bounded", each < MOST_SECONDS_A_MEGABYTE, each)


def held_reactor(case):
    """Homes that send faster than they are read: the others keep their time, and SIGTERM is heard"""
    case.only_plain()
    asked = []

    async def healthy(wire):
        await wire.read_head()
        asked.append(time.monotonic())
        await wire.write(answer())
    with Peers() as peers, Torrent(CHUNKED, (b"1;" + b"a" * 8000 + b"\r\nX\r\n") * 2000) as extensions, \
            Torrent(CHUNKED, b"0000000001\r\nX\r\n" * 500_000) as tiny:
        homes = {"good": f"http://127.0.0.1:{peers.listen(healthy)}",
                 "extensions": f"http://127.0.0.1:{extensions.port}",
                 "tiny": f"http://127.0.0.1:{tiny.port}"}
        observer = Observer(case.options.observer, "--reactors", "1", "--max-response-bytes", "50000000",
                            file=False)
        slowest = 0.0
        try:
            observer.put_all([declared("fast", homes, probe={}, capacity={})])
            until = time.monotonic() + 6
            while time.monotonic() < until:
                begun = time.monotonic()
                observer.status()
                slowest = max(slowest, time.monotonic() - begun)
                time.sleep(0.05)
        finally:
            took = observer.stop()
        gap = max((later - before for before, later in zip(asked, asked[1:])), default=99)
        lasted = max(extensions.lasted + tiny.lasted, default=0)
        case.show(f"{extensions.sent / MEGABYTE:.0f} + {tiny.sent / MEGABYTE:.0f} MB taken, an attempt "
                  f"{lasted:.2f} s at most, the API {slowest * 1000:.0f} ms, "
                  f"a healthy home asked each {gap:.2f} s")
        case.check("they were asked", extensions.lasted and tiny.lasted)
        case.check("extensions are bounded", extensions.sent < 16 * MEGABYTE * len(extensions.lasted),
                   extensions.sent)
        case.check("attempts end at their time-out", lasted < 0.9 + 2, lasted)
        case.check("the API answers", slowest < 3, slowest)
        case.check("the healthy home is asked in time", gap < 4, gap)
        case.check("SIGTERM ends it", took is not None and took < 3, took)


def log_volume(case):
    """A home that flaps, with another text each time"""
    count = itertools.count()

    async def serve(wire):
        await wire.read_head()
        turn = next(count)
        await wire.write([answer(report(turn % 5)), answer(status="404 Not Found"),
                          f"HTTP/1.1 9{turn}9 \x1b[31m{turn}\r\n\r\n".encode(),
                          f"HTTP/1.1 200 OK\r\nBad {turn} Header\r\n\r\n".encode(),
                          HEAD + b"Content-Length: %d\r\n\r\nx" % (turn + 2)][turn % 5])
    with Peers() as peers:
        port = peers.listen(serve)
        homes = {f"c{index}": f"http://127.0.0.1:{port}/{index}" for index in range(10)}
        observer = Observer(case.options.observer, file=False)
        try:
            before = len(observer.log().splitlines())
            observer.put_all([declared("flap", homes, probe={"failureThreshold": 1},
                                       capacity={})])
            seconds = 10
            time.sleep(seconds)
            text = observer.log()
        finally:
            observer.stop()
        lines = text.splitlines()[before:]
        attempts = next(count)
        rate = len(lines) / len(homes) * 60 / seconds
        case.show(f"{attempts} answers, {len(lines)} lines: {rate:.0f} a minute and home")
        case.check("fewer lines than attempts", len(lines) < attempts, len(lines))
        case.check("no line is long", max(map(len, lines), default=0) < 1500,
                   max(lines, key=len, default="")[:300])
        case.check_text("the log", text)


CASES = [memory, processor_time, held_reactor, log_volume]
