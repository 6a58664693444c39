"""A: connection reuse and message framing."""
import time

from observing import request_seconds
from programs import free_range
from stage import MEGABYTE, TRANSPORT, UNREACHABLE, service

READ_ERROR = "reading capacity response: "
OVER_LIMIT = READ_ERROR + "response exceeds configured limit of 65536 bytes"
LEAVES_BETWEEN = (0.4, 0.6)


def left_after(stage, **wanted):
    """Seconds from the request to the client's leaving, as the homes saw it."""
    return [event["after"] for event in stage.homes.log("client_gone", **wanted)]


def expect_leaving(stage, case):
    seconds = left_after(stage, case=case)
    least, most = LEAVES_BETWEEN
    stage.check(f"{case}: the client leaves at 0.5 s", seconds and
                least <= min(seconds) and max(seconds) <= most,
                seconds and f"{min(seconds):.3f} to {max(seconds):.3f} s")


def expect_fast(stage, observer, limit=0.1):
    count, _, buckets = request_seconds(observer.metrics(), kind="probe")
    stage.check(f"every probe took less than {limit} s", count and buckets[limit] == count,
                f"{buckets.get(limit, 0)} of {count}")


def stale_connections(stage):
    """F01 idle kept-alive connections that the peer closed"""
    homes = stage.start_homes()
    kept = {name: homes.at(case) for name, case in (
        ("stale-fin", "stale-fin;idle=0.3"), ("stale-rst", "stale-rst;idle=0.3"),
        ("ka-hint", "ka-hint"), ("fin-at-period", "stale-fin;idle=1"),
        ("rst-at-period", "stale-rst;idle=1"))}
    services = [service("kept", kept, probe={}, capacity={}),
                service("bare", {"empty": homes.at("empty")}, probe={})]
    both = [stage.observe(services, "--probe-connections", how)[1] for how in ("fresh", "reuse")]
    clusters = [*kept, "empty"]
    for watcher in both:
        watcher.wait_results(clusters, 31, 45)
    for watcher in both:
        for name in clusters:
            stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
            failures = [probe["consecutiveFailures"] for probe in watcher.home(name).probes]
            stage.check(f"{name}: no failure is counted", not any(failures), failures)
        for name in kept:
            stage.expect_ceiling(watcher, name, 4)
    stage.show("polls", min(len(watcher.home(name).probes) for watcher in both for name in clusters))


def body_never_comes(stage):
    """F03 200, then the body never comes"""
    homes = stage.start_homes()
    cases = {"stall-body": "stall-body;cl=100", "stall-chunk": "stall-chunk", "eof-keep": "eof-keep"}
    endpoints = {name: homes.at(case) for name, case in cases.items()}
    unlisted = {f"{name}-unlisted": endpoint for name, endpoint in endpoints.items()}
    _, watcher = stage.observe([
        service("listed", endpoints, probe={}, capacity={}),
        service("unlisted", unlisted, probe={"acceptStatuses": [201]})])
    watcher.wait_results([*endpoints, *unlisted], 4, 10)
    for name in [*endpoints, *unlisted]:
        stage.expect_probe(watcher, name, "Failing", "response body error: ")
        gated = [probe["gated"] for probe in watcher.home(name).probes]
        stage.check(f"{name}: gated on the third", gated[:3] == [False, False, True], gated)
    for name in endpoints:
        stage.expect_reason(watcher, name, READ_ERROR)
        expect_leaving(stage, name)


def body_limit(stage):
    """F05 the body limit holds in every framing"""
    homes = stage.start_homes()
    kinds = ("endless;how=chunked", "endless;how=close", "claim;cl=1000000000000")
    bad = {f"bad-{index}": homes.at(kinds[index % 3]) for index in range(50)}
    good = {f"good-{index}": homes.at("ok") for index in range(5)}
    observer, watcher = stage.observe([service("bad", bad, probe={}, capacity={}),
                                       service("good", good, probe={}, capacity={})])
    before = observer.resident()
    time.sleep(8)
    for index, name in enumerate(list(bad)[:3]):
        if index < 2:
            stage.expect_probe(watcher, name, "Passing", "HTTP 200")
        else:
            stage.expect_probe(watcher, name, "Failing", "response body error: ")
        stage.expect_reason(watcher, name, OVER_LIMIT, exact=True)
    grown = (watcher.most_resident - before) / MEGABYTE
    stage.check("memory grows by less than 64 MB", grown < 64, f"+{grown:.1f} MB")
    taken = max((event["bytes"] for event in homes.log("endless_taken")), default=0)
    stage.check("an endless body costs less than 1 MiB and socket buffers", 0 < taken < 8 * MEGABYTE,
                f"{taken / MEGABYTE:.2f} MiB")
    stage.show("taken", f"{taken / MEGABYTE:.2f}MiB")
    for name in good:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200")
    stage.expect_rhythm(watcher, good, slack=0.3)


def interim_answers(stage):
    """F07 1xx answers before the final one"""
    homes = stage.start_homes()
    passing = {"hints-1": "early-hints;k=1", "hints-3": "early-hints;k=3", "continue": "continue"}
    endpoints = {name: homes.at(case) for name, case in passing.items()}
    endpoints |= {"switching": homes.at("switching"), "only-1xx": homes.at("only-1xx")}
    _, watcher = stage.observe([service("interim", endpoints, probe={}, capacity={})])
    watcher.wait_results(endpoints, 5, 10)
    for name in passing:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    stage.expect_probe(watcher, "switching", "Unknown", "HTTP 101 (not in accept or gate list)",
                       exact=True)
    stage.expect_reason(watcher, "switching", "capacity endpoint returned HTTP 101", exact=True)
    stage.expect_probe(watcher, "only-1xx", "Failing", TRANSPORT)
    stage.expect_reason(watcher, "only-1xx", UNREACHABLE)


def head_requests(stage):
    """F09 HEAD ends at the blank line"""
    homes = stage.start_homes()
    endpoints = {kind: homes.at(f"head;v={kind}") for kind in ("cl", "chunked", "none")}
    observer, watcher = stage.observe([
        service("head", endpoints, probe={"method": "HEAD"}, capacity={"method": "HEAD"})])
    watcher.wait_results(endpoints, 4, 10)
    for name in endpoints:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_reason(watcher, name, "capacity response is not a valid report:")
    expect_fast(stage, observer)


def no_body_statuses(stage):
    """F10 204 and 304 with odd headers"""
    homes = stage.start_homes()
    endpoints = {f"{code}-{how}": homes.at(f"nobody;code={code};v={how}")
                 for code in (204, 304) for how in ("none", "cl0", "cln", "chunked")}
    unlisted = {f"{name}-unlisted": endpoint for name, endpoint in endpoints.items()}
    observer, watcher = stage.observe([
        service("listed", endpoints, probe={"acceptStatuses": [200, 204, 304]}, capacity={}),
        service("unlisted", unlisted, probe={})])
    watcher.wait_results([*endpoints, *unlisted], 4, 10)
    for name in endpoints:
        code = name[:3]
        stage.expect_probe(watcher, name, "Passing", f"HTTP {code}", exact=True)
        stage.expect_probe(watcher, f"{name}-unlisted", "Unknown",
                           f"HTTP {code} (not in accept or gate list)", exact=True)
        stage.expect_reason(watcher, name, f"capacity endpoint returned HTTP {code}", exact=True)
    expect_fast(stage, observer)


def header_sizes(stage):
    """F14 large, many, odd and endless headers"""
    homes = stage.start_homes()
    good = {"big-16000": "hdr-big;size=16000", "big-70000": "hdr-big;size=70000",
            "many-500": "hdr-many;k=500"}
    good |= {how: f"hdr;v={how}" for how in ("lower", "mixed", "obsfold", "noval", "8bit")}
    endpoints = {name: homes.at(case) for name, case in good.items()}
    endless = {f"endless-{index}": homes.at("hdr-endless") for index in range(20)}
    observer, watcher = stage.observe([service("good", endpoints, probe={}, capacity={}),
                                       service("endless", endless, probe={}, capacity={})])
    before = observer.resident()
    time.sleep(6)
    for name in good:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    for name in endless:
        stage.expect_probe(watcher, name, "Failing", TRANSPORT)
        stage.expect_reason(watcher, name, UNREACHABLE)
    grown = (watcher.most_resident - before) / MEGABYTE
    stage.check("20 endless headers cost less than 16 MB each", grown < 20 * 16, f"+{grown:.1f} MB")


def not_http(stage):
    """F15 answers that are not HTTP cost no processor time"""
    homes = stage.start_homes()
    kinds = {name: homes.at(name) for name in ("cut-status", "binary", "h2-only")}
    kinds |= {f"line-{how}": homes.at(f"status-line;v={how}")
              for how in ("word", "proto", "noproto", "icy", "ssh")}
    kinds |= {"tcp-banner": homes.raw("tcp-banner"),
              "https-on-http": homes.at("ok", scheme="https"),
              "http-on-https": homes.at("ok", "tls-good")}
    endpoints = {f"{name}-{copy}": endpoint for copy in "ab" for name, endpoint in kinds.items()}
    observer, watcher = stage.observe([service("odd", endpoints, probe={})])
    watcher.wait_results(endpoints, 2, 10)
    watcher.ended.set()  # reading the API is no part of what is measured
    cpu, begun = observer.cpu_seconds(), time.monotonic()
    time.sleep(10)
    share = (observer.cpu_seconds() - cpu) / (time.monotonic() - begun)
    stage.check("less than 5 % of a processor", share < 0.05, f"{share * 100:.1f} %")
    stage.show("cpu", f"{share * 100:.1f}%")
    for name in endpoints:
        stage.expect_probe(watcher, name, "Failing", TRANSPORT)
    count, _, buckets = request_seconds(observer.metrics(), kind="probe")
    stage.show("messages", {name: watcher.home(f"{name}-a").messages() for name in kinds})
    stage.check("no attempt lasts longer than its timeout", buckets[1.0] == count,
                f"{count - buckets[1.0]} of {count} above 1 s")


BAD_WEEK = ["size;size=70000", "status;code=404", "rst", "hang", "cut-headers", "fin",
            "delay;d=0.6", "ok"]


def never_stops(stage):
    """F16 whatever happened, the next attempt starts one period later"""
    homes = stage.start_homes(base=free_range())
    endpoint = homes.sequence("week", BAD_WEEK, cycle=True)
    homes_of = {"week": endpoint, "other": homes.at("ok")}
    _, watcher = stage.observe([service("sequence", homes_of, probe={}),
                                service("polled", {"polled": homes.at("ok")}, capacity={})])
    watcher.wait_results(["week"], 2, 10)
    until = time.monotonic() + (300 if stage.options.long else 24)
    restart = time.monotonic() + 7
    while time.monotonic() < until:
        time.sleep(0.2)
        if time.monotonic() >= restart:
            homes.stop()
            time.sleep(0.5)
            homes.start()
            homes.sequence("week", BAD_WEEK, cycle=True)
            restart += 7
    stage.check("lastProbeTime is never older than 2 s", watcher.oldest <= 2.0,
                f"{watcher.oldest:.2f} s")
    stage.show("oldest", f"{watcher.oldest:.2f}s")
    stage.check("every kind of result was seen", set(watcher.home("week").results()) >=
                {"Passing", "Failing"}, watcher.home("week").messages())


def slow_drips(stage):
    """F17 one deadline over a peer that drips"""
    homes = stage.start_homes()
    drips = ("slow-headers", "drip-body", "drip-chunks")
    endpoints = {name: homes.at(f"{name};gap=0.1") for name in drips}
    endpoints |= {name: homes.raw(name) for name in ("tcp-silent", "tcp-blackhole")}
    observer, watcher = stage.observe([service("drips", endpoints, probe={}, capacity={})])
    watcher.wait_results(endpoints, 5, 10)
    for name in drips:
        expect_leaving(stage, name)
    for name in endpoints:
        stage.expect_probe(watcher, name, "Failing",
                           "response body error: " if name.startswith("drip") else TRANSPORT)
    # Those that never read do not notice that the client leaves; the observer's own clock tells.
    count, total, _ = request_seconds(observer.metrics(), kind="probe")
    stage.check("all attempts end at 0.5 s", count and 0.45 <= total / count <= 0.6,
                f"mean {total / count:.3f} s of {count}")


CASES = {"F01": stale_connections, "F03": body_never_comes, "F05": body_limit,
         "F07": interim_answers, "F09": head_requests, "F10": no_body_statuses,
         "F14": header_sizes, "F15": not_http, "F16": never_stops, "F17": slow_drips}
