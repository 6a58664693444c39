"""Between a controller and the API server: it speaks TLS to both, and does to requests and answers what
a round asks for. Everything that passes is counted, and every write is written down."""
import collections
import http.client
import http.server
import json
import ssl
import threading
import time

WRITES = ("POST", "PUT", "PATCH", "DELETE")


class Hold:
    """The next such write of a map is kept here until it is let through."""

    def __init__(self, method, name):
        self.method, self.name = method, name
        self.caught = threading.Event()
        self.go = threading.Event()
        self.done = threading.Event()
        self.status = None
        self.version = None

    def wants(self, request, body):
        if request.command != self.method or "/trafficmaps" not in request.path or self.caught.is_set():
            return False
        if self.method == "POST":
            return f'"name":"{self.name}"'.encode() in body
        return request.path.split("?")[0].endswith("/trafficmaps/" + self.name)


class ApiProxy:
    """`throttle`: the share of requests that are answered 429. `no_watches`: none is let through.
    `swallow`: writes are carried out and their answers lost."""

    def __init__(self, servers, name):
        self.name = name
        self.trust = servers.trust
        self.upstream = servers.port
        self.throttle = 0.0
        self.no_watches = False
        self.swallow = False
        self.hold = None
        self.rng = None
        self.generation = 0
        self.hanging = False  # watches of an earlier generation say nothing any more
        self.silent = set()   # those that had something to say meanwhile
        self.counts = collections.Counter()
        self.writes = []  # (when it arrived, method, path, status)
        self.open = set()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self):
                super().setup()
                self.upstream = None
                proxy.open.add(self.connection)

            def finish(self):
                proxy.open.discard(self.connection)
                if self.upstream is not None:
                    self.upstream.close()
                try:
                    super().finish()
                except OSError:
                    pass

            def log_message(self, *arguments):
                pass

            def serve(self):
                try:
                    proxy.serve(self)
                except (OSError, http.client.HTTPException, ValueError):
                    self.close_connection = True

        for method in ("GET", *WRITES):
            setattr(Handler, "do_" + method, Handler.serve)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass

        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(servers.folder / "serving.crt", servers.folder / "serving.key")
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.socket = own.wrap_socket(self.server.socket, server_side=True,
                                             do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.1,), daemon=True).start()

    # What a round may do.

    def cut(self):
        """Every connection ends at once."""
        for connection in list(self.open):
            try:
                connection.shutdown(2)
                self.counts["cut"] += 1
            except OSError:
                pass

    def hang_watches(self):
        """Those that are open stay so and say nothing more."""
        self.generation += 1
        self.hanging = True

    def end_hanging(self):
        """Those that had nothing to say meanwhile go on; the silent ones must be given up."""
        self.hanging = False

    def catch(self, method, name):
        self.hold = Hold(method, name)
        return self.hold

    # One request.

    def serve(self, request):
        arrived = time.time()
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length) if length else None
        watch = "watch=true" in request.path
        self.counts["requests"] += 1
        if self.throttle and self.rng.random() < self.throttle:
            self.counts["429"] += 1
            return self.refuse(request, 429, "TooManyRequests")
        if watch and self.no_watches:
            return self.refuse(request, 503, "ServiceUnavailable")
        hold = self.hold
        mine = hold is not None and hold.wants(request, body)
        if mine:
            hold.caught.set()
            hold.go.wait()
        answer = self.forward(request, body)
        if watch and answer.status == 200:
            return self.pump(request, answer)
        content = answer.read()
        self.counts[str(answer.status)] += 1
        if request.command in WRITES and "/leases" not in request.path:
            self.writes.append((arrived, request.command, request.path, answer.status))
        if mine:
            hold.status = answer.status
            hold.version = json.loads(content).get("metadata", {}).get("resourceVersion")
            hold.done.set()
        if self.swallow and request.command in WRITES:
            self.counts["swallowed"] += 1
            request.close_connection = True
            return None
        return self.answer(request, answer, content)

    def forward(self, request, body):
        if request.upstream is None or request.upstream.port != self.upstream:
            request.upstream = http.client.HTTPSConnection("127.0.0.1", self.upstream, context=self.trust)
        kept = {name: request.headers[name] for name in ("Authorization", "Content-Type", "Accept", "User-Agent")
                if name in request.headers}
        request.upstream.request(request.command, request.path, body, kept)
        return request.upstream.getresponse()

    @staticmethod
    def answer(request, answer, content):
        request.send_response(answer.status)
        for name in ("Content-Type", "Retry-After"):
            if answer.headers[name]:
                request.send_header(name, answer.headers[name])
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    @staticmethod
    def refuse(request, status, reason):
        content = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason,
                              "message": "of the round", "code": status}).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        if status == 429:
            request.send_header("Retry-After", "1")
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def pump(self, request, answer):
        self.counts["watches"] += 1
        generation = self.generation
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        while data := answer.read1(65536):
            if b'"code":410' in data:
                self.counts["410"] += 1
            if self.hanging and generation != self.generation:
                self.counts["hung"] += 1
                return self.stay_silent(request)
            request.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        request.wfile.write(b"0\r\n\r\n")
        return None

    def stay_silent(self, request):
        """Until the other end has enough of it."""
        self.silent.add(request)
        try:
            request.connection.settimeout(200)
            request.connection.recv(1)
        finally:
            self.silent.discard(request)
            request.close_connection = True
