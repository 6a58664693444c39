"""B: the request that is sent, redirects, statuses, ways a connection fails, proxies."""
import json
import socket
import threading
import time

from observing import request_seconds
from programs import Homes
from stage import TRANSPORT, UNREACHABLE, service

AGENT = "ome-observer/"


def headers(event):
    return {name.lower(): value for name, value in event["headers"]}


class PortEighty:
    """Hears one request on the default port, where this machine lets us."""

    def __init__(self):
        self.heard = b""
        try:
            self.listener = socket.create_server(("127.0.0.1", 80))
        except OSError:
            self.listener = None
            return
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                peer, _ = self.listener.accept()
                self.heard = peer.recv(4096)
                peer.sendall(b"HTTP/1.1 204 X\r\n\r\n")
                peer.close()
        except OSError:
            pass

    def close(self):
        if self.listener:
            self.listener.close()


def request_form(stage):
    """F18 request line, Host, lengths, User-Agent, no credentials"""
    homes = stage.start_homes()
    port, port6 = homes.ports["http"], homes.ports.get("http6")
    h = f"127.0.0.1:{port}"
    endpoints = {"plain": f"http://{h}/c/echo/base/",
                 "dots": f"http://{h}/c/echo/x/..//./base//?a=1&b=%20",
                 "secret": f"http://user:hunter2@{h}/c/echo/secret"}
    if port6:
        endpoints["six"] = f"http://[::1]:{port6}/c/echo/six"
    services = [service("get", endpoints, probe={}),
                service("head", {"head": f"http://{h}/c/echo/head"}, probe={"method": "HEAD"}),
                service("post", {"post": f"http://{h}/c/echo/post"}, probe={"method": "POST"})]
    eighty = PortEighty()
    if eighty.listener:
        services.append(service("eighty", {"eighty": "http://127.0.0.1:80/x"}, probe={}))
    observer, watcher = stage.observe(services, "--log-level", "debug")
    watcher.wait_results([*endpoints, "head", "post"], 2, 10)
    by_target = {(event["method"], event["target"]): event for event in homes.log("request")}
    wanted = {("GET", "/c/echo/base/health"): h,
              ("GET", "/c/echo/base/health?a=1&b=%20"): h,
              ("GET", "/c/echo/secret/health"): h,
              ("HEAD", "/c/echo/head/health"): h, ("POST", "/c/echo/post/health"): h}
    if port6:
        wanted["GET", "/c/echo/six/health"] = f"[::1]:{port6}"
    stage.check("targets are in origin form with one slash at the join",
                set(by_target) == set(wanted), sorted(by_target))
    for key, host in wanted.items():
        check_request(stage, by_target.get(key), host)
    if eighty.listener:
        stage.check("a default port is not in Host", b"\r\nHost: 127.0.0.1\r\n" in eighty.heard,
                    eighty.heard)
        eighty.close()
    shown = json.dumps(observer.services()) + observer.log() + observer.metrics()
    stage.check("no secret is shown anywhere", "hunter2" not in shown)


def check_request(stage, event, host):
    if event is None:
        return
    have = headers(event)
    target = f"{event['method']} {event['target']}"
    stage.check(f"{target}: Host", have.get("host") == host, have.get("host"))
    length = "0" if event["method"] == "POST" else None
    stage.check(f"{target}: length", have.get("content-length") == length and
                event["body_len"] == 0 and "transfer-encoding" not in have, have)
    stage.check(f"{target}: User-Agent", have.get("user-agent", "").startswith(AGENT), have)
    stage.check(f"{target}: no credentials", not {"authorization", "cookie"} & set(have), have)


def redirects_and_bodies(stage):
    """F19 redirects are not followed, the status decides"""
    homes = stage.start_homes()
    codes = (301, 302, 307, 308)
    moved = {f"moved-{code}": homes.at(f"redirect;code={code}") for code in codes}
    listed = {"listed-301": homes.at("redirect;code=301")}
    pleasant = {"pleasant-404": homes.at("status;code=404;body=%7B%22servable%22%3A4%7D"),
                "pleasant-503": homes.at("cap;n=4;code=503")}
    _, watcher = stage.observe([
        service("moved", moved, probe={}, capacity={}),
        service("listed", listed, probe={"acceptStatuses": [301]}),
        service("pleasant", pleasant, probe={}, capacity={})])
    watcher.wait_results([*moved, *listed, *pleasant], 4, 10)
    for code in codes:
        name = f"moved-{code}"
        stage.expect_probe(watcher, name, "Unknown", f"HTTP {code} (not in accept or gate list)",
                           exact=True)
        stage.expect_reason(watcher, name, f"capacity endpoint returned HTTP {code}", exact=True)
        stage.check(f"{name}: counts are unchanged", not any(
            probe["consecutiveFailures"] or probe["consecutivePasses"] or probe["gated"]
            for probe in watcher.home(name).probes))
    stage.expect_probe(watcher, "listed-301", "Passing", "HTTP 301", exact=True)
    for code in (404, 503):
        stage.expect_probe(watcher, f"pleasant-{code}", "Failing", f"HTTP {code}", exact=True)
        stage.expect_reason(watcher, f"pleasant-{code}",
                            f"capacity endpoint returned HTTP {code}", exact=True)
    followed = [event["target"] for event in homes.log("request") if "followed" in event["target"]]
    stage.check("no second request", not followed, followed)


def failed_connections(stage):
    """F20 refused, reset and closed connections count at once"""
    homes = stage.start_homes()
    words = {"tcp-refused": "connection refused", "tcp-rst": "connection reset by peer",
             "tcp-fin": "connection closed by peer"}
    endpoints = {name: homes.raw(name) for name in words}
    slow = {"period": "10s", "timeout": "5s"}
    observer, watcher = stage.observe([service(
        "down", endpoints, probe=slow, capacity={**slow, "quorum": 1, "maxAge": "20s"})])
    begun = time.monotonic()
    seen = watcher.wait_results(endpoints, 1, 1.5)
    stage.check("a result within 1 s", seen, f"{time.monotonic() - begun:.2f} s")
    for name, word in words.items():
        stage.expect_probe(watcher, name, "Failing", TRANSPORT + word)
        stage.expect_reason(watcher, name, UNREACHABLE + word)
    for kind in ("probe", "poll"):
        count, _, buckets = request_seconds(observer.metrics(), kind=kind)
        stage.check(f"each {kind} fails in less than 50 ms", count and buckets[0.05] == count,
                    f"{buckets.get(0.05)} of {count}")


def proxy_variables(stage):
    """F21 proxy variables of the environment change nothing"""
    homes = stage.start_homes()
    trap = Homes(stage.options.homes_script)
    stage.running_homes.append(trap)
    proxy = f"http://127.0.0.1:{trap.ports['http']}"
    names_of = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")
    environment = {**dict.fromkeys(names_of, proxy), "NO_PROXY": "", "no_proxy": ""}
    endpoints = {"address": homes.at("ok"), "name": homes.at("ok", host="localhost"),
                 "tls": homes.tls("tls-good")}
    _, watcher = stage.observe([service("direct", endpoints, probe={}, capacity={})],
                               "--ca-file", homes.ca, environment=environment)
    watcher.wait_results(endpoints, 4, 10)
    for name in endpoints:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    caught = trap.log("conn")
    stage.check("the proxy hears nothing", not caught, len(caught))


CASES = {"F18": request_form, "F19": redirects_and_bodies, "F20": failed_connections,
         "F21": proxy_variables}
