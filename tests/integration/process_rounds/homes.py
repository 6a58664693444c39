"""Homes of the rounds: they answer as told and write down what they answered."""
import http.server
import json
import random
import socket
import struct
import threading
import time


def now_ms():
    return int(time.time() * 1000)


class Homes:
    """Behaviour by (service, cluster): `probe` is 200, 503, 301, "reset" or "hang"; `poll` is a
    number of replicas, 404, "garbage" or "hang"."""

    def __init__(self, trace):
        self.trace = trace
        self.behaviour = {}
        homes = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                homes.answer(self)

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        threading.Thread(target=self.watch_ourselves, daemon=True).start()

    def watch_ourselves(self):
        """When this process gets no time, its homes time out: that is a failure, too."""
        last = time.monotonic()
        while True:
            time.sleep(0.05)
            now = time.monotonic()
            if now - last > 0.3:
                for service, cluster in list(self.behaviour):
                    for kind in ("Failing", "NoReport"):
                        self.trace.add("answer", key=f"demo/{service}", cluster=cluster, servable=0,
                                       answer=kind)
            last = now

    def endpoint(self, service, cluster):
        return f"http://127.0.0.1:{self.port}/{service}/{cluster}"

    def flip(self, rng, service, cluster):
        probe = rng.choice([200, 200, 200, 503, 503, 301, "reset", "hang"])
        poll = rng.choice([0, 1, 2, 3, 4, 4, 404, "garbage", "hang"])
        self.behaviour[service, cluster] = (probe, poll)

    def answer(self, request):
        _, service, cluster, what = request.path.split("/", 3)
        probe, poll = self.behaviour[service, cluster]
        key = f"demo/{service}"
        # Written down before it is sent, so that nothing can follow from it before.
        if what == "capacity":
            report = isinstance(poll, int) and poll < 100
            self.trace.add("answer", key=key, cluster=cluster, servable=poll if report else 0,
                           answer="Report" if report else "NoReport")
            self.send(request, poll if not report else 200, self.report(poll) if report else b"{")
        else:
            kind = {200: "Passing", 301: "Unknown"}.get(probe, "Failing")
            self.trace.add("answer", key=key, cluster=cluster, servable=0, answer=kind)
            self.send(request, probe, b"ok")

    @staticmethod
    def report(servable):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return json.dumps({"servable": servable, "observedAt": stamp}).encode()

    @staticmethod
    def send(request, status, body):
        if status == "hang":
            time.sleep(1.5)
            request.close_connection = True
            return
        if status == "reset":
            request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            request.connection.close()
            request.close_connection = True
            return
        request.send_response(200 if status == "garbage" else status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


class Proxy:
    """Between controller and observer: `mode` is pass, hang or garbage; cut() resets what is open."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.mode = "pass"
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target_port), timeout=2)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            self.open |= {client, server}
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def pump(self, source, sink, answers):
        try:
            while data := source.recv(65536):
                while self.mode == "hang":
                    time.sleep(0.02)
                if answers and self.mode == "garbage":
                    data = bytes(random.getrandbits(8) for _ in range(len(data)))
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            self.open.discard(end)
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def cut(self):
        for end in list(self.open):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
