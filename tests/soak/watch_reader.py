"""Reads an observer's watch for as long as wanted and hands every line to a checker."""
import http.client
import json
import socket
import threading
import time


class WatchReader:
    """Opens the watch again where it ended, from the revision that was read last."""

    def __init__(self, port, checker):
        self.port, self.checker = port, checker
        self.ended = threading.Event()
        self.connections = 0

    def run(self):
        while not self.ended.is_set():
            try:
                self.read()
            except (OSError, http.client.HTTPException):
                self.ended.wait(0.2)

    def path(self):
        since = ""
        if self.checker.revision >= 0:
            since = f"since={self.checker.instance}:{self.checker.revision}&"
        return f"/v1/watch?{since}timeoutSeconds=86400"

    def read(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", self.path())
            answer = connection.getresponse()
            self.connections += 1
            rest = b""
            while not self.ended.is_set():
                data = answer.read1(1 << 18)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                now = time.time()
                for line in lines:
                    if line.strip():
                        self.checker.line(json.loads(line), now)
        except socket.timeout as late:
            self.checker.broken("a watch says something every second", repr(late))
        finally:
            connection.close()
