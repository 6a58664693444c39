"""Between a controller and its API server: names each write, and has something done right before it
is passed on, or when its answer is there and the controller has not seen it."""
import json
import re
import select
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


class Connection:
    """Requests one by one: the answer to the last is through before the next one comes. One thread
    for both ways, since a TLS connection is not for two."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.rest = b""   # what the client has sent of its next request
        self.hold = None  # what is to be done with the next answer

    def run(self):
        try:
            while self.turn():
                pass
        except OSError:
            pass

    def turn(self):
        ready = [side for side in (self.client, self.server) if side.pending()]
        if not ready:
            ready, _, _ = select.select([self.client, self.server], [], [])
        return ((self.client not in ready or self.up())
                and (self.server not in ready or self.down()))

    @staticmethod
    def read(side):
        """None: what was there is of TLS itself."""
        side.settimeout(0)
        try:
            return side.recv(65536)
        except ssl.SSLWantReadError:
            return None
        finally:
            side.settimeout(None)

    def up(self):
        data = self.read(self.client)
        if data is None:
            return True
        self.rest += data
        going = bool(data)
        while going and (request := self.next_request()):
            going = self.pass_on(*request)
        return going

    def next_request(self):
        head, end, after = self.rest.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        size = int(length[1]) if length else 0
        if not end or len(after) < size:
            return None
        self.rest = after[size:]
        return head, after[:size]

    def pass_on(self, head, body):
        method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        step = step_of(method, path, body)
        passed = not step or self.proxy.before(step, self)
        if passed is None:
            self.client.sendall(REFUSAL)
        elif passed:
            self.server.sendall(head + b"\r\n\r\n" + body)
        return passed is not False

    def down(self):
        data = self.read(self.server)
        if data is None:
            return True
        hold, self.hold = self.hold, None
        if not data or (hold is not None and not hold()):
            return False
        self.client.sendall(data)
        return True


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
        Connection(self, client, server).run()
        client.close()
        server.close()
