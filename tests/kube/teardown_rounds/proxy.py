"""Between a controller and its API server: names each write, and has something done right before it
is passed on, or when its answer is there and the controller has not seen it."""
import json
import re
import socket
import ssl
import threading

WRITES = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
KINDS = {"httproutes": "HTTPRoute", "services": "Service", "endpointslices": "EndpointSlice",
         "backendtlspolicies": "BackendTLSPolicy", "trafficmaps": "TrafficMap",
         "inferenceservices": "InferenceService"}


def step_of(method, path, body):
    """`delete Service`, `status Finalizing`, `finalizer removed`; empty: nothing of interest."""
    place = re.search(r"/namespaces/[^/?]+/([a-z]+)(?:/([^/?]+))?(/status)?", path)
    if method not in WRITES or place is None or place[1] not in KINDS:
        return ""
    kind = KINDS[place[1]]
    if kind != "TrafficMap" or method != "PATCH":
        return f"{WRITES[method]} {kind}"
    try:
        said = json.loads(body)
    except ValueError:
        return "patch TrafficMap"
    if not place[3]:
        finalizers = said.get("metadata", {}).get("finalizers", ())
        return ("patch TrafficMap" if finalizers == () else
                "finalizer added" if finalizers else "finalizer removed")
    for condition in said.get("status", {}).get("conditions", []):
        if condition["type"] == "Published":
            return "status " + ("removed" if "is removed" in condition["message"]
                                else condition["reason"])
    return "status of routing"


REFUSED = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500,
                      "reason": "InternalError", "message": "as a webhook that is broken"}).encode()
REFUSAL = (b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\n"
           b"Content-Length: %d\r\n\r\n" % len(REFUSED)) + REFUSED


class Gone(Exception):
    """The other side has hung up."""


class Stream:
    def __init__(self, sock):
        self.sock, self.rest = sock, b""

    def more(self):
        try:
            data = self.sock.recv(65536)
        except OSError:
            data = b""
        if not data:
            raise Gone
        self.rest += data

    def head(self):
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        return head

    def body(self, length):
        while len(self.rest) < length:
            self.more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return body


class Connection:
    """Requests one by one: the answer to the last is through before the next one comes."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.hold = None  # what is to be done with the next answer

    def up(self):
        stream = Stream(self.client)
        try:
            while True:
                head = stream.head()
                method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
                length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                body = stream.body(int(length[1])) if length else b""
                step = step_of(method, path, body)
                passed = not step or self.proxy.before(step, self)
                if passed is None:
                    self.client.sendall(REFUSAL)
                    continue
                if not passed:
                    break
                self.server.sendall(head + b"\r\n\r\n" + body)
        except (Gone, OSError):
            pass
        self.close()

    def down(self):
        try:
            while data := self.server.recv(65536):
                hold, self.hold = self.hold, None
                if hold is not None and not hold():
                    break
                self.client.sendall(data)
        except OSError:
            pass
        self.close()

    def close(self):
        for side in (self.client, self.server):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy(threading.Thread):
    """`fault(step)`: None, or ("before" | "after", what to do). That says whether it goes on: False
    hangs up, and None, before, refuses the write."""

    def __init__(self, servers):
        super().__init__(daemon=True)
        self.target = servers.said["port"]
        self.trust = ssl.create_default_context(cafile=servers.file("ca.crt"))
        self.serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.serving.load_cert_chain(servers.file("serving.crt"), servers.file("serving.key"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.fault = lambda step: None
        self.start()

    def before(self, step, connection):
        fault = self.fault(step)
        if fault is None:
            return True
        when, act = fault
        if when == "before":
            return act()
        connection.hold = act
        return True

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            client = self.serving.wrap_socket(client, server_side=True)
            server = self.trust.wrap_socket(socket.create_connection(("127.0.0.1", self.target)),
                                            server_hostname="localhost")
        except OSError:
            client.close()
            return
        connection = Connection(self, client, server)
        down = threading.Thread(target=connection.down, daemon=True)
        down.start()
        connection.up()
        down.join()
        client.close()
        server.close()
