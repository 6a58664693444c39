"""Clients of the local API that are many, slow, or asleep."""
import contextlib
import resource
import socket
import time

from world import Guard, Skipped, World, demand, wait_until

CONNECTIONS = 5000
HEAD = b"GET /v1/services HTTP/1.1\r\nHost: localhost\r\n"
WRITE_TIMEOUT = "2s"
ROOM = 64 << 20
SLOW_READERS = 30


def raise_own_limit(wanted):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Skipped(f"{wanted} descriptors: at most {hard} are permitted")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def connect(port, receive=0):
    client = socket.socket()
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(5)
    client.connect(("127.0.0.1", port))
    return client


def crowd(options, what, *flags):
    """CONNECTIONS clients, each of which does `what` with its connection and then nothing."""
    raise_own_limit(2 * CONNECTIONS)
    with World(options, 100, *flags) as world, contextlib.ExitStack() as clients:
        world.begin()
        descriptors, resident = world.observer.descriptors(), world.observer.resident()
        with Guard(world.observer.address) as guard:
            refused = 0
            for _ in range(CONNECTIONS):
                try:
                    client = clients.enter_context(connect(world.observer.port))
                    what(client)
                except OSError:
                    refused += 1
            most = world.observer.descriptors() - descriptors
            grown = world.observer.resident() - resident
            demand(world.well(), "homes are not well")
            world.goes_on()
        clients.close()
        left = wait_until(lambda: world.observer.descriptors() <= descriptors + 10, "descriptors return")
        demand(grown < ROOM, f"memory grew by {grown >> 20} MiB")
        return (f"{CONNECTIONS} clients ({refused} not let in), {most} descriptors and {grown >> 10} KiB "
                f"more, back after {left:.1f} s; {guard}")


def idle_crowd(options):
    """5,000 connections that send nothing: at the limit the oldest idle ones make room."""
    return crowd(options, lambda client: None)


def idle_crowd_let_in(options):
    """5,000 connections that send nothing, all let in."""
    return crowd(options, lambda client: None, "--api-max-connections", str(CONNECTIONS + 100))


def slow_crowd(options):
    """5,000 clients that begin a request and do not end it: they are ended."""
    return crowd(options, lambda client: client.sendall(HEAD), "--api-request-timeout", "1s")


def slow_readers(options):
    """Clients that ask for all services, many times over, and read nothing: cut off in time."""
    with World(options, 2000, "--api-write-timeout", WRITE_TIMEOUT) as world, \
            contextlib.ExitStack() as clients:
        world.declare()
        wait_until(lambda: world.observer.status()["homes"] == world.count, "all are declared")
        descriptors, resident = world.observer.descriptors(), world.observer.resident()
        with Guard(world.observer.address) as guard:
            for _ in range(SLOW_READERS):
                client = clients.enter_context(connect(world.observer.port, receive=4096))
                client.sendall((HEAD + b"\r\n") * 5)
            took = wait_until(lambda: api_connections(world) < 10, "the slow readers are cut off")
            grown = world.observer.resident() - resident
        demand(grown < 2 * ROOM, f"memory grew by {grown >> 20} MiB")
        return (f"{SLOW_READERS} readers cut off within {took:.1f} s (--api-write-timeout {WRITE_TIMEOUT}), "
                f"{grown >> 10} KiB more, {world.observer.descriptors() - descriptors:+d} descriptors; "
                f"{guard}")


def api_connections(world):
    """Established connections on the API's port, as its end sees them."""
    port = f":{world.observer.port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        return sum(1 for line in table if line.split()[1].endswith(port) and line.split()[3] == "01")


def unread_watch(options):
    """Watches that nobody reads, while everything changes: bounded, and cut off; others hear all."""
    with World(options, 400, "--api-write-timeout", WRITE_TIMEOUT) as world, \
            contextlib.ExitStack() as clients:
        world.begin()
        resident = world.observer.resident()
        with Guard(world.observer.address) as guard:
            for _ in range(32):
                client = clients.enter_context(connect(world.observer.port, receive=4096))
                client.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
            listener = clients.enter_context(connect(world.observer.port))
            listener.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
            heard = 0
            until = time.monotonic() + (60 if options.long else 8)
            status = 0
            while time.monotonic() < until:
                status = 503 if status == 200 else 200
                world.sim.set("*", {"probe": {"status": status}, "poll": {"report": 3}})
                heard += hear(listener, 1)
            took = wait_until(lambda: api_connections(world) <= 8, "the others are cut off")
            grown = world.observer.resident() - resident
        demand(heard > 100_000, f"the one who reads has heard {heard} bytes")
        demand(grown < ROOM, f"memory grew by {grown >> 20} MiB")
        return f"32 unread ones cut off within {took:.1f} s, {grown >> 10} KiB more, {heard} bytes heard by the reader; {guard}"


def hear(client, seconds):
    """How many bytes came meanwhile."""
    until, count = time.monotonic() + seconds, 0
    while (left := until - time.monotonic()) > 0:
        client.settimeout(left)
        try:
            data = client.recv(1 << 16)
        except TimeoutError:
            break
        demand(data, "the watch of the one who reads has ended")
        count += len(data)
    return count


CASES = {"api-idle-crowd": idle_crowd, "api-idle-crowd-let-in": idle_crowd_let_in,
         "api-slow-crowd": slow_crowd, "api-slow-readers": slow_readers,
         "api-unread-watch": unread_watch}
