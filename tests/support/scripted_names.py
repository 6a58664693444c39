"""A name server on loopback, UDP and TCP, whose every reply is a test's own."""
import asyncio
import socket
import struct

from scripted_peer import Wire

A, AAAA = 1, 28
REFUSED = 5


class Question:
    def __init__(self, query):
        self.id, at, labels = query[:2], 12, []
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
            at += query[at] + 1
        self.name = ".".join(labels).lower()
        self.kind = struct.unpack(">H", query[at + 1:at + 3])[0]
        self.bytes = query[12:at + 5]

    def reply(self, addresses=(), rcode=0, truncated=False, ttl=0):
        """Those of `addresses` that are of the family asked for."""
        family = socket.AF_INET6 if self.kind == AAAA else socket.AF_INET
        wanted = [socket.inet_pton(family, text) for text in addresses
                  if (":" in text) == (self.kind == AAAA)]
        flags = 0x8180 | rcode | (0x0200 if truncated else 0)
        head = self.id + struct.pack(">HHHHH", flags, 1, len(wanted), 0, 0)
        records = b"".join(struct.pack(">HHHIH", 0xc00c, self.kind, 1, ttl, len(address)) + address
                           for address in wanted)
        return head + self.bytes + records


class Names(asyncio.DatagramProtocol):
    """`reply(question, send)` answers over UDP and may call `send(bytes)` any number of times, also
    later; `await over_tcp(question, wire)` does over TCP, and says whether the connection goes on."""

    def __init__(self, peers, reply, over_tcp=None):
        self.peers, self.reply, self.over_tcp = peers, reply, over_tcp
        while True:
            port = peers.listen(self.serve_tcp)
            try:
                peers.call(self.bind(port))
                break
            except OSError:  # what TCP picked is taken in UDP
                continue
        self.address = f"127.0.0.1:{port}"

    async def bind(self, port):
        await self.peers.loop.create_datagram_endpoint(lambda: self,
                                                       local_addr=("127.0.0.1", port))

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        self.reply(Question(data), lambda answer: self.transport.sendto(answer, address))

    async def serve_tcp(self, wire: Wire):
        data = b""
        while True:
            while len(data) < 2 or len(data) < 2 + struct.unpack(">H", data[:2])[0]:
                data += await wire.raw_read()
            size = 2 + struct.unpack(">H", data[:2])[0]
            query, data = data[2:size], data[size:]
            if self.over_tcp is None or not await self.over_tcp(Question(query), wire):
                return
