#!/usr/bin/env python3
"""Says random things to the API of an observer of its own and checks what comes back.

Usage: tests/fuzz/api_fuzz.py [--seconds N] [--seed N] [--clients N] [--observer PATH] [--homesim PATH]

  --seconds N   how long (60)
  --seed N      of all choices, printed (random)
  --clients N   at once (6)

Methods, paths, queries, bodies, headers and framing are random: pipelined, chunked, cut in half, never
finished, watches that are read, left and never read, bodies of many lines. Checked are: the process
lives, is ready at the end and keeps no descriptor; everything it says is HTTP; every refusal is JSON
with a code and a message, and no status above 499 (but 501 and 505 for what is no HTTP/1.1 of ours, and
503 for one watch too many); a request that is whole is answered; and a service that nobody here speaks
of is observed as before. Everything is on loopback. Findings are printed with the bytes that were sent
and what came back; the exit code is then 1.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from api_requests import SENTINEL, Requests, declaration  # noqa: E402
from program_scripts import HOMESIM, OBSERVER, Observer, Simulator, fetch  # noqa: E402

PATIENCE = 30
# Everything but loopback, should a change of bytes ever make an address.
ELSEWHERE = ("0.0.0.0/2,64.0.0.0/3,96.0.0.0/4,112.0.0.0/5,120.0.0.0/6,124.0.0.0/7,126.0.0.0/8,"
             "128.0.0.0/1,2000::/3,fc00::/6")
STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5]\d\d) [ -~]*\r\n")
FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t -~\x80-\xff]*\r\n")


class Wrong(Exception):
    """What came back is not what may come back."""


class Incomplete(Exception):
    """It ended before it was whole."""


def take(pattern, data, what):
    found = pattern.match(data)
    if not found:
        raise (Incomplete if b"\n" not in data else Wrong)(f"no {what}: {data[:80]!r}")
    return found, data[found.end():]


def take_chunks(data):
    body = b""
    while True:
        found, data = take(re.compile(rb"([0-9a-f]+)\r\n"), data, "chunk size")
        size = int(found[1], 16)
        if len(data) < size + 2:
            raise Incomplete("a chunk")
        body, end, data = body + data[:size], data[size:size + 2], data[size + 2:]
        if end != b"\r\n":
            raise Wrong(f"a chunk ends with {end!r}")
        if size == 0:
            return body, data


def take_answer(data, head):
    """(status, fields, body, rest) of the first answer; 100 is passed over."""
    found, data = take(STATUS_LINE, data, "status line")
    status, fields = int(found[1]), {}
    while not data.startswith(b"\r\n"):
        found, data = take(FIELD, data, "header field")
        name, value = found[0][:-2].split(b": ", 1)
        fields[name.lower().decode()] = value.decode("latin-1")
    data = data[2:]
    if status == 100:
        return take_answer(data, head)
    if status in (204, 304) or head:
        return status, fields, b"", data
    if fields.get("transfer-encoding") == "chunked":
        body, data = take_chunks(data)
        return status, fields, body, data
    if "content-length" not in fields:  # an HTTP/1.0 client reads to the end
        return status, fields, data, b""
    size = int(fields["content-length"])
    if len(data) < size:
        raise Incomplete("a body")
    return status, fields, data[:size], data[size:]


def judge_answer(status, fields, body, head, about_watch):
    if status >= 500 and status not in (501, 505) and not (status == 503 and about_watch):
        raise Wrong(f"status {status}")
    if head or status in (204, 304):
        return
    kind = fields.get("content-type", "")
    if status >= 400 and kind != "application/json":
        raise Wrong(f"status {status} with {kind!r}")
    if kind == "application/json":
        document = json.loads(body)
        if "openapi" not in document and not document.get("instance"):
            raise Wrong("no instance in a JSON answer")
        if status >= 400:
            error = document.get("error")
            if not isinstance(error, dict) or not error.get("code") or not error.get("message") or \
                    set(error) - {"code", "message", "field"}:
                raise Wrong(f"status {status} with the error {error}")
    elif kind == "application/x-ndjson":
        for line in filter(None, body.decode().split("\n")):
            json.loads(line)


class Fuzzer:
    def __init__(self, options, observer, sim):
        self.options, self.observer, self.sim = options, observer, sim
        self.sentinel = declaration(SENTINEL, sim.ports()[0])
        self.sentinel["namespace"] = SENTINEL
        self.findings = []
        self.statuses = collections.Counter()
        self.kinds = collections.Counter()
        self.lock = threading.Lock()
        self.until = time.monotonic() + options.seconds

    def report(self, client, sent, received, problem):
        with self.lock:
            self.findings.append((client, sent, received, problem))
            if len(self.findings) <= 10:
                print(f"FINDING  client {client}: {problem}\n   sent {len(sent)} bytes: {sent[:3000]!r}\n"
                      f"   got {len(received)} bytes: {received[:1500]!r}", flush=True)

    def connect(self):
        made = socket.create_connection(("127.0.0.1", self.observer.port), PATIENCE)
        made.settimeout(PATIENCE)
        return made

    @staticmethod
    def read_to_end(connection):
        """What comes until the peer closes; (bytes, closed)."""
        received = b""
        try:
            while piece := connection.recv(1 << 16):
                received += piece
                if len(received) > 1 << 26:
                    return received, False
        except ConnectionError:
            return received, True
        except TimeoutError:
            return received, False
        return received, True

    # What is sent in pieces may find the peer gone, which is its right.
    def send(self, connection, choose, data):
        try:
            while data:
                size = len(data) if choose.random() < 0.6 else choose.choice((1, 7, 100, 4000))
                connection.sendall(data[:size])
                data = data[size:]
                if choose.random() < 0.01:
                    time.sleep(0.01)
        except OSError:
            pass

    def check(self, client, sent, received, whole):
        data, count = received, 0
        try:
            while data:
                head = count == 0 and sent.startswith(b"HEAD ")
                status, fields, body, data = take_answer(data, head)
                judge_answer(status, fields, body, head, b"/v1/watch" in sent)
                count += 1
                with self.lock:
                    self.statuses[status] += 1
                if b"HEAD " in sent and not head:
                    return  # which of several was the HEAD is not known
            if whole and count == 0:
                raise Wrong("no answer to a whole request")
        except Incomplete as problem:
            if whole:
                self.report(client, sent, received, f"incomplete: {problem}")
        except (Wrong, ValueError, KeyError, AttributeError) as problem:
            self.report(client, sent, received, repr(problem))

    def exchange(self, client, choose, data, whole=False):
        """Says it and reads to the end. A client that says that no more comes may be taken for one
        that has left, so whoever must be answered does not."""
        with self.connect() as connection:
            self.send(connection, choose, data)
            if not whole:
                try:
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            received, closed = self.read_to_end(connection)
        if not closed:
            self.report(client, data, received, "the connection is never closed")
        self.check(client, data, received, whole)

    def half(self, client, choose, requests):
        """A request that stops somewhere; the client leaves, resets, or waits for the server."""
        data = choose.choice((requests.declare, requests.any, requests.declare))()
        data = data[:choose.randrange(len(data)) or 1]
        with self.connect() as connection:
            self.send(connection, choose, data)
            leaving = choose.random()
            if leaving < 0.4:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif leaving < 0.6 and not data.endswith(b"\r\n\r\n"):  # not by chance a whole one
                received, closed = self.read_to_end(connection)
                if not closed:
                    self.report(client, data, received, "half a request holds the connection")
                self.check(client, data, received, False)

    def watch(self, client, choose):
        query = choose.choice(("", "?timeoutSeconds=1", "?since=x:1", "?holder=fuzz", "?timeoutSeconds=2"))
        data = b"GET /v1/watch%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % query.encode()
        with self.connect() as connection:
            connection.sendall(data)
            reading = choose.random()
            if reading < 0.3:
                time.sleep(choose.random())  # never read
                return
            received = b""
            until = time.monotonic() + choose.random() * 2
            connection.settimeout(0.5)
            while time.monotonic() < until:
                try:
                    piece = connection.recv(choose.choice((1, 100, 1 << 16)))
                except TimeoutError:
                    continue
                except OSError:
                    break
                if not piece:
                    break
                received += piece
        self.check(client, data, received, False)

    def once(self, client, choose, requests):
        kind = choose.choices(("declare", "lines", "any", "pipeline", "half", "watch", "garbage", "good"),
                              (25, 10, 30, 10, 10, 5, 5, 5))[0]
        with self.lock:
            self.kinds[kind] += 1
        if kind == "half":
            self.half(client, choose, requests)
        elif kind == "watch":
            self.watch(client, choose)
        elif kind == "pipeline":
            made = [choose.choice((requests.declare, requests.any))() for _ in range(choose.randint(2, 6))]
            self.exchange(client, choose, b"".join(made))
        elif kind == "good":
            path = choose.choice(("/v1/services", "/v1/status", "/status", "/metrics", "/v1/config",
                                  "/openapi.json", "/livez", "/readyz"))
            self.exchange(client, choose, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close"
                          "\r\n\r\n".encode(), whole=True)
        else:
            made = {"declare": requests.declare, "lines": requests.declare_all, "any": requests.any,
                    "garbage": requests.garbage}[kind]()
            self.exchange(client, choose, made)

    def run_client(self, client):
        choose = random.Random(f"{self.options.seed}-{client}")
        requests = Requests(choose, self.sim.ports()[0], self.sentinel)
        while time.monotonic() < self.until and self.observer.alive() and len(self.findings) < 100:
            try:
                self.once(client, choose, requests)
            except OSError as problem:
                self.report(client, b"", b"", f"cannot be reached: {problem!r}")
                time.sleep(1)
            except Exception as problem:  # a client that ends early would find nothing
                self.report(client, b"", b"", f"this script has a fault: {problem!r}")
                raise

    def sentinel_reading(self):
        return json.loads(fetch(f"{self.observer.address}/v1/services/{SENTINEL}/{SENTINEL}", timeout=PATIENCE))

    def check_sentinel(self, first):
        reading = self.sentinel_reading()
        for before, now in zip(first["homes"], reading["homes"]):
            same = all(before[part]["policyDigest"] == now[part]["policyDigest"]
                       for part in ("capacity", "probe"))
            if not same or now["capacity"].get("ceiling") != 1 or now["probe"]["result"] != "Passing":
                raise Wrong(f"the service that nobody speaks of is {now}")
        if reading["instance"] != first["instance"]:
            raise Wrong("the observer has forgotten everything")

    def settled(self):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            reading = self.sentinel_reading()
            if all("ceiling" in home.get("capacity", {}) and home.get("probe", {}).get("result") == "Passing"
                   for home in reading["homes"]):
                return reading
            time.sleep(0.2)
        raise RuntimeError(f"the homes are not observed: {reading}")

    def run(self):
        self.descriptors = self.observer.descriptors()
        self.observer.put(self.sentinel)
        first = self.settled()
        self.until = time.monotonic() + self.options.seconds
        clients = [threading.Thread(target=self.run_client, args=(n,)) for n in range(self.options.clients)]
        for client in clients:
            client.start()
        shown = begun = time.monotonic()
        while any(client.is_alive() for client in clients):
            time.sleep(2)
            try:
                self.check_sentinel(first)
            except (Wrong, OSError, KeyError, ValueError) as problem:
                self.report("-", b"", b"", repr(problem))
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                print(f"{shown - begun:5.0f} s  {sum(self.kinds.values())} exchanges, "
                      f"{self.observer.descriptors()} descriptors, {self.observer.resident() >> 20} MiB, "
                      f"{len(self.findings)} findings", flush=True)
        for client in clients:
            client.join()
        self.end()

    def end(self):
        try:
            fetch(self.observer.address + "/readyz", timeout=PATIENCE)
            self.observer.put_all([])
            until = time.monotonic() + 60
            while (left := self.observer.descriptors() - self.descriptors) > 5 and time.monotonic() < until:
                time.sleep(0.5)
            print(f"descriptors after everything is forgotten: {left:+d}")
            if left > 5:
                raise OSError(f"{left} descriptors are left")
        except OSError as problem:
            self.report("-", b"", b"", f"at the end: {problem!r}")
        if not self.observer.alive():
            self.report("-", b"", b"", f"the observer has ended: {self.observer.log()[-4000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--observer", default=OBSERVER)
    parser.add_argument("--homesim", default=HOMESIM)
    options = parser.parse_args()
    print(f"fuzzing for {options.seconds:.0f} s with seed {options.seed}", flush=True)
    sim = Simulator(options.homesim, "--homes", "2")
    try:
        observer = Observer(options.observer, "--declaration-ttl", "0s", "--api-request-timeout", "2s",
                            "--api-write-timeout", "3s", "--log-level", "error", "--deny-addresses", ELSEWHERE,
                            "--dns-servers", "127.0.0.1:9", file=False)
        try:
            fuzzer = Fuzzer(options, observer, sim)
            fuzzer.run()
        finally:
            seconds = observer.stop()
        if seconds is None:
            fuzzer.report("-", b"", b"", "SIGTERM did not end it within 5 s")
    finally:
        sim.stop()
    print("exchanges: " + ", ".join(f"{n} {kind}" for kind, n in sorted(fuzzer.kinds.items())))
    print("answers: " + ", ".join(f"{n} x {status}" for status, n in sorted(fuzzer.statuses.items())))
    print(f"{sum(fuzzer.kinds.values())} exchanges, {len(fuzzer.findings)} findings, seed {options.seed}")
    return 1 if fuzzer.findings else 0


if __name__ == "__main__":
    sys.exit(main())
