"""A name server that answers as told: late, wrong, cut short, or not at all."""
import random
import socket
import struct
import threading
import time

A, AAAA = 1, 28
PATIENCE = 5
TTL = 1


def question_of(query):
    """(name, type, where the question ends)."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("ascii", "replace"))
        at += 1 + query[at]
    return ".".join(labels).lower(), struct.unpack_from("!H", query, at + 1)[0], at + 5


def record(kind, address):
    family = socket.AF_INET if kind == A else socket.AF_INET6
    data = socket.inet_pton(family, address)
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, TTL, len(data)) + data


def answer(query, addresses, rcode=0, truncated=False, number=None, end=None):
    """`addresses`: of the type that is asked for."""
    _, kind, question_end = question_of(query)
    flags = 0x8180 | rcode | (0x0200 if truncated else 0)
    head = struct.pack("!HHHHHH", number if number is not None else struct.unpack_from("!H", query)[0],
                       flags, 1, len(addresses), 0, 0)
    question = query[12:question_end] if end is None else end
    return head + question + b"".join(record(kind, address) for address in addresses)


class Names:
    """On port 53 of an address, in the namespace of the thread that makes it.

    `table`: name to the addresses of both families. `ways`: name to one of `late:SECONDS`, `never`,
    `no-aaaa` (that family is never answered), `servfail`, `truncated` (whole over TCP),
    `truncated-only` (and nothing over TCP), `forged` (a wrong number, then another name's answer;
    both point to FORGED)."""

    def __init__(self, address, forged):
        self.table, self.ways, self.forged = {}, {}, forged
        self.asked = {}
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((address, 53))
        self.tcp = socket.create_server((address, 53))
        for target in (self.serve_udp, self.serve_tcp):
            threading.Thread(target=target, daemon=True).start()

    def way_of(self, query, transport):
        name, kind, _ = question_of(query)
        self.asked[name, transport] = self.asked.get((name, transport), 0) + 1
        way = self.ways.get(name, "plain")
        if way == "no-aaaa":
            way = "never" if kind == AAAA else "plain"
        return way

    def whole(self, query):
        name, kind, _ = question_of(query)
        found = self.table.get(name)
        if found is None:
            return answer(query, [], rcode=3)
        return answer(query, [one for one in found if (":" in one) == (kind == AAAA)
                              and kind in (A, AAAA)])

    def serve_udp(self):
        while True:
            query, peer = self.udp.recvfrom(4096)
            for after, reply in self.replies(query):
                if after:
                    threading.Timer(after, self.udp.sendto, (reply, peer)).start()
                else:
                    self.udp.sendto(reply, peer)

    def replies(self, query):
        """Pairs of seconds and what is sent after them."""
        way = self.way_of(query, "udp")
        if way == "never":
            return []
        if way.startswith("late:"):
            return [(float(way[5:]), self.whole(query))]
        if way == "servfail":
            return [(0, answer(query, [], rcode=2))]
        if way.startswith("truncated"):
            return [(0, answer(query, [], truncated=True))]
        if way == "forged":
            kind = question_of(query)[1]
            lies = [self.forged] if kind == A else []
            number = (struct.unpack_from("!H", query)[0] + random.randrange(1, 65535)) % 65536
            other = b"\x05other\x04test\x00" + struct.pack("!HH", kind, 1)
            return [(0, answer(query, lies, number=number)), (0, answer(query, lies, end=other))]
        return [(0, self.whole(query))]

    def serve_tcp(self):
        while True:
            client, _ = self.tcp.accept()
            threading.Thread(target=self.serve_one, args=(client,), daemon=True).start()

    def serve_one(self, client):
        with client:
            client.settimeout(PATIENCE)
            try:
                while head := client.recv(2, socket.MSG_WAITALL):
                    query = client.recv(struct.unpack("!H", head)[0], socket.MSG_WAITALL)
                    if self.way_of(query, "tcp") == "truncated-only":
                        time.sleep(PATIENCE)
                        return
                    reply = self.whole(query)
                    client.sendall(struct.pack("!H", len(reply)) + reply)
            except OSError:
                return
