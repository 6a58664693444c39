"""Random requests for the API fuzzer: what is said, not how it is checked.

Endpoints are names only, so that no change of a byte makes one an address beyond this machine.
"""
import copy
import json

SENTINEL = "keep"
WORDS = ("", "a", "service-1", "services", "v1", "..", ".", "%00", "%2e%2e", "%zz", "%", "a%2Fb", "é",
         "A" * 300, "status", "watch", "attempts", "history", "*", "//", "a b", "\x7f", "-", "a.b", "0")
PATHS = ("/", "/v1", "/v1/", "/v1/services", "/v1/services/", "/v1/status", "/v1/config", "/status",
         "/metrics", "/livez", "/readyz", "/openapi.json", "/v1/watch", "*", "/v1/services/a/b/c/d")
METHODS = ("GET", "GET", "GET", "PUT", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE",
           "CONNECT", "get", "M" * 40, "PROPFIND", "G\x01T")
ODD_VALUES = (None, True, False, 0, -1, 1, 2**31 - 1, 2**31, 2**63, 2**64, 1.5, 1e308, "", " ", "\0",
              "é\u2028", "x" * 5000, [], {}, [[]], [None], {"a": 1}, "10s", "-1s", "1h" * 30, "0s",
              "999999999h", "http://", "http://localhost:1/%", "ftp://localhost", "//localhost",
              "http://user:secret@localhost:1", "http://localhost:99999", ["GET"], "GET", 200, [200, 200])
CHANGES = (b"\x00", b"\xff", b"{", b"}", b"[", b'"', b"\\", b"\\ud800", b",", b"\n", b"\r\n", b"9" * 40,
           b"\xc3\x28", b"null", b"e999")
HEADERS = ("Content-Type: application/json", "Content-Type: text/plain", "Content-Type:",
           "Content-Type: application/json; charset=utf-8", "Expect: 100-continue", "Expect: x",
           "Accept: */*", "Accept-Encoding: gzip", "Connection: keep-alive", "Connection: close",
           "Connection: upgrade\r\nUpgrade: websocket", "X: " + "y" * 7000, "X-Many: 1\r\n" * 60 + "X: 1",
           "Authorization: Bearer x", "Cookie: a=b", "Host: localhost", "Origin: http://evil.test",
           "X : y", "X\x00Y: 1", ": empty", "noColon", " folded", "Transfer-Encoding: gzip",
           "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999999999999",
           "Transfer-Encoding: chunked", "Range: bytes=0-1", "If-None-Match: *", "TE: trailers")
HOSTS = ("Host: localhost", "Host: localhost", "Host: localhost", "Host: 127.0.0.1:80", "Host: [::1]",
         "Host: evil.test", "Host:", "", "Host: localhost\r\nHost: localhost", "Host: [", "Host: a b")


def declaration(name, port, owner="uid"):
    return {"namespace": "fuzz", "name": name, "ownerUID": owner,
            "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4,
                         "quorum": 2, "period": "5s", "timeout": "500ms", "maxAge": "40s"},
            "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200],
                      "gateStatuses": [404, 503], "period": "5s", "timeout": "500ms",
                      "failureThreshold": 3, "successThreshold": 2,
                      "allFailedPolicy": "PreserveTraffic"},
            "homes": [{"cluster": f"c-{index}", "endpoint": f"http://localhost:{port}/h/home-{index}"}
                      for index in range(2)]}


class Requests:
    """All choices come from `choose`, so that a seed says everything."""

    def __init__(self, choose, port, sentinel):
        self.choose, self.port = choose, port
        self.sentinel = json.dumps(sentinel).encode()

    # -- bodies ---------------------------------------------------------------------------------

    def name(self):
        return f"s-{self.choose.randrange(20)}"

    def odd_value(self):
        return copy.deepcopy(self.choose.choice(ODD_VALUES))

    def changed(self, document):
        """The document with one to three members, anywhere, replaced, removed or added."""
        document = copy.deepcopy(document)
        for _ in range(self.choose.randint(1, 3)):
            at = document
            while True:
                keys = list(at) if isinstance(at, dict) else list(range(len(at)))
                if not keys:
                    break
                key = self.choose.choice(keys)
                if isinstance(at[key], (dict, list)) and self.choose.random() < 0.7:
                    at = at[key]
                    continue
                if self.choose.random() < 0.2:
                    del at[key]
                elif isinstance(at, dict) and self.choose.random() < 0.2:
                    at[str(key).upper()] = self.odd_value()
                else:
                    at[key] = self.odd_value()
                break
        return document

    def broken(self, body):
        """The bytes with some of them changed; no line ends early in a way that makes it another."""
        body = bytearray(body)
        for _ in range(self.choose.randint(1, 4)):
            at = self.choose.randrange(len(body) + 1)
            kind = self.choose.randrange(4)
            if kind == 0:
                body[at:at] = self.choose.choice(CHANGES)
            elif kind == 1:
                del body[at:at + self.choose.randint(1, 30)]
            elif kind == 2 and at < len(body):
                body[at] = self.choose.randrange(256)
            else:
                body[at:at] = body[at // 2:at]
        return bytes(body)

    def one_declaration(self, name):
        document = declaration(name, self.port, self.choose.choice(("uid", "uid-2")))
        kind = self.choose.random()
        if kind < 0.3:
            return json.dumps(document).encode()
        if kind < 0.7:
            return json.dumps(self.changed(document)).encode()
        if kind < 0.9:
            return self.broken(json.dumps(document).encode())
        return self.choose.choice((b"", b"null", b"[]", b"{", b"[" * 20000, b'{"a":' * 5000, b"x" * 70000,
                                   b'{"homes":[' + b"{}," * 5000 + b"{}]}", b" " * (1024 * 1024 + 1)))

    def lines(self):
        """The sentinel's line first: what is missing is forgotten after a complete body."""
        made = [self.sentinel]
        for _ in range(self.choose.randrange(12)):
            made.append(self.one_declaration(self.name()).replace(b"\n", b" ")
                        if self.choose.random() < 0.9 else b"x" * (1024 * 1024 + 5))
        return self.choose.choice((b"\n", b"\r\n", b"\n\n")).join(made) + self.choose.choice((b"", b"\n"))

    # -- whole requests -------------------------------------------------------------------------

    def head(self, method, target, headers):
        lines = [f"{method} {target} HTTP/1.1", *headers]
        return "\r\n".join(line for line in lines if line).encode("utf-8", "replace") + b"\r\n"

    def chunked(self, body):
        """Chunks of any size, sometimes with extensions and a trailer; sometimes wrong."""
        made, at = b"", 0
        while at < len(body):
            size = self.choose.choice((1, 3, 100, 5000, len(body)))
            piece = body[at:at + size]
            extension = self.choose.choice((b"", b"", b";a=b", b";" + b"x" * 50))
            made += b"%x%s\r\n%s\r\n" % (len(piece), extension, piece)
            at += len(piece)
            if len(made) > 4 * len(body) + 100:
                break
        end = self.choose.choice((b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n",
                                  b"g\r\n\r\n", b"-1\r\n\r\n", b"ffffffffffffffffff\r\n", b"0\r\n"))
        return made + (end if at >= len(body) else b"0\r\n\r\n")

    def with_body(self, method, target, content_type, body, whole=False):
        headers = [self.choose.choice(HOSTS) if not whole else "Host: localhost",
                   f"Content-Type: {content_type}"]
        if self.choose.random() < 0.5:
            head = self.head(method, target, [*headers, f"Content-Length: {len(body)}"])
            return head + b"\r\n" + body
        return self.head(method, target, [*headers, "Transfer-Encoding: chunked"]) + b"\r\n" + \
            self.chunked(body)

    def declare(self):
        name = self.choose.choice((self.name(), self.name(), self.choose.choice(WORDS).replace(" ", "")))
        return self.with_body("PUT", f"/v1/services/fuzz/{name}", "application/json",
                              self.one_declaration(name))

    def declare_all(self):
        return self.with_body("PUT", "/v1/services", "application/x-ndjson", self.lines())

    def query(self):
        names = ("limit", "continue", "namespace", "since", "holder", "timeoutSeconds", "cluster", "x")
        values = ("", "0", "1", "-1", "99999999999999999999", "a", "%00", "%", "fuzz", "a:1", "a:1:b/c",
                  ":::", "é", "1" * 200)
        pairs = [f"{self.choose.choice(names)}={self.choose.choice(values)}"
                 for _ in range(self.choose.randint(1, 4))]
        return "?" + self.choose.choice(("&", "&&", ";")).join(pairs)

    def target(self):
        kind = self.choose.random()
        if kind < 0.4:
            target = self.choose.choice(PATHS)
        elif kind < 0.7:
            target = f"/v1/services/fuzz/{self.name()}" + self.choose.choice(
                ("", "", "/history", "/attempts", "/x"))
        else:
            target = "".join("/" + self.choose.choice(WORDS) for _ in range(self.choose.randint(1, 6)))
        if self.choose.random() < 0.05:
            target = "http://" + self.choose.choice(("localhost", "evil.test", "")) + target
        if self.choose.random() < 0.3:
            target += self.query()
        return target.replace(" ", "%20") if self.choose.random() < 0.95 else target

    def any(self):
        method, target = self.choose.choice(METHODS), self.target()
        # A watch without an end is a case of its own.
        if "watch" in target:
            target = "/v1/watch?timeoutSeconds=1"
        headers = [self.choose.choice(HOSTS)]
        headers += [self.choose.choice(HEADERS) for _ in range(self.choose.randrange(4))]
        body = self.choose.choice((b"", b"", b"12345", b"{}", self.broken(b'{"a":[1,2,3]}')))
        return self.head(method, target, headers) + b"\r\n" + body

    def garbage(self):
        size = self.choose.choice((1, 10, 100, 5000))
        return self.choose.choice((self.choose.randbytes(size), b"\r\n" * size, b"\x16\x03\x01" + bytes(size),
                                   b"GET " + b"/" * 20000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                   b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"))
