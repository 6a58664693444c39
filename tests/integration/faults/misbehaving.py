"""The peer of one combination, and the names of those whose fault is the lookup."""
import asyncio
import datetime
import json

from combinations import RESENT

LONG = 30  # seconds, far beyond any timeout here
MOMENT = 0.05  # for the other side to read what came before a reset
PADDING = "x" * 400


def stamp():
    now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(milliseconds=20)
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def report():
    return json.dumps({"servable": 4, "observedAt": stamp(), "padding": PADDING}).encode()


def head(length, status="200 OK", fields=""):
    return (f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{fields}"
            + (f"Content-Length: {length}\r\n" if length is not None else "") + "\r\n").encode()


class Peer:
    """Serves one combination; `begun` counts the attempts that must come to a result."""

    def __init__(self, one):
        self.one = one
        self.begun = 0
        self.script = getattr(self, f"{one.phase}_{one.fault}".replace("-", "_"), None)

    async def serve(self, wire):
        if self.one.phase == "connect":
            self.begun += 1
            return await self.script(wire)
        if self.one.phase == "tls":
            self.begun += 1
            return await self.script(wire)
        await wire.start_tls()
        if self.one.connection == "fresh":
            self.begun += 1
            if self.one.phase == "write":
                return await self.script(wire)
            await wire.read_head()
            return await self.good(wire) if self.one.phase == "resolve" else await self.script(wire)
        await wire.read_head()
        self.begun += 1
        await self.good(wire)
        if self.one.phase == "keep-alive":
            return await self.script(wire)
        if self.one.phase == "write":
            return await self.script(wire)
        await self.again(wire)
        return await self.script(wire)

    async def again(self, wire):
        """The second request on a connection; it is resent if this one dies of it."""
        await wire.read_head()
        self.begun += (self.one.phase, self.one.fault) not in RESENT

    async def good(self, wire):
        body = report()
        await wire.write(head(len(body)) + (b"" if self.one.method == "HEAD" else body))

    # resolve: the peer is healthy; see Lookups.

    async def connect_reset(self, wire):
        wire.reset()

    async def connect_close_early(self, wire):
        wire.writer.close()

    async def tls_refuse(self, wire):
        await wire.raw_read()
        await wire.raw_write(b"\x15\x03\x03\x00\x02\x02\x28")  # fatal: handshake_failure

    async def tls_reset(self, wire):
        await wire.raw_read()
        wire.reset()

    async def tls_stall(self, wire):
        await asyncio.sleep(LONG)

    async def tls_drip(self, wire):
        for byte in await wire.first_flight():
            await wire.raw_write(bytes([byte]))
            await asyncio.sleep(0.02)

    async def tls_truncate(self, wire):
        flight = await wire.first_flight()
        await wire.raw_write(flight[:len(flight) // 2])

    async def tls_oversize(self, wire):
        await wire.raw_read()
        await wire.raw_write(b"\x16\x03\x03\xff\xff" + b"x" * 65535)
        await asyncio.sleep(LONG)

    async def tls_garbage(self, wire):
        await wire.raw_read()
        await wire.raw_write(b"\x00\xff no handshake at all \x80" * 20)
        await asyncio.sleep(LONG)

    async def tls_close_early(self, wire):
        await wire.raw_read()

    async def tls_close_late(self, wire):
        await wire.start_tls()
        await wire.close()

    async def write_refuse(self, wire):
        wire.stop_reading()
        await self.meet_request(wire)
        wire.reset()

    async def write_reset(self, wire):
        await wire.read()
        wire.reset()

    async def write_stall(self, wire):
        wire.stop_reading()
        self.begun += self.one.connection == "reused"
        await asyncio.sleep(LONG)

    async def write_drip(self, wire):
        wire.stop_reading()
        await asyncio.sleep(MOMENT)
        wire.writer.transport.resume_reading()
        await wire.read_head()
        self.begun += self.one.connection == "reused"
        await self.good(wire)

    async def write_close_early(self, wire):
        await self.meet_request(wire)
        wire.writer.close()

    async def write_close_late(self, wire):
        await wire.read_head()
        self.begun += self.one.connection == "reused"
        await self.good(wire)
        await asyncio.sleep(MOMENT)
        await wire.close()

    async def meet_request(self, wire):
        """Waits until a request is under way, on a fresh connection for a moment only."""
        if self.one.connection == "reused":
            wire.writer.transport.resume_reading()
            await wire.raw_read()
        else:
            await asyncio.sleep(MOMENT)

    async def head_refuse(self, wire):
        await wire.write(head(0, "503 Service Unavailable", "Connection: close\r\n"))
        await asyncio.sleep(LONG)

    async def head_reset(self, wire):
        await wire.write(head(300)[:30])
        await asyncio.sleep(2 * MOMENT)
        wire.reset()

    async def head_stall(self, wire):
        await wire.write(head(300)[:30])
        await asyncio.sleep(LONG)

    async def head_drip(self, wire):
        await wire.drip(head(0, fields=f"X-Padding: {'y' * 900}\r\n"), 0.01)

    async def head_truncate(self, wire):
        await wire.write(head(300)[:30])
        await wire.close()

    async def head_oversize(self, wire):
        await wire.write(b"HTTP/1.1 200 OK\r\n" + b"X-Filler: " + b"z" * 200_000)
        await asyncio.sleep(LONG)

    async def head_garbage(self, wire):
        await wire.write(b"\x00\x01\xfe\xff this is no HTTP\r\n\r\n")
        await asyncio.sleep(LONG)

    async def head_close_early(self, wire):
        await wire.close()

    async def head_close_late(self, wire):
        await self.good(wire)
        await asyncio.sleep(2 * MOMENT)
        await wire.close()

    async def body_reset(self, wire):
        await wire.write(head(300) + b"x" * 150)
        await asyncio.sleep(2 * MOMENT)
        wire.reset()

    async def body_stall(self, wire):
        await wire.write(head(300) + b"x" * 150)
        await asyncio.sleep(LONG)

    async def body_drip(self, wire):
        await wire.write(head(900))
        await wire.drip(b"x" * 900, 0.01)

    async def body_truncate(self, wire):
        await wire.write(head(300) + b"x" * 150)
        await wire.close()

    async def body_oversize(self, wire):
        await wire.write(head(None, fields="Transfer-Encoding: chunked\r\n"))
        chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
        for _ in range(64):
            await wire.write(chunk)
        await asyncio.sleep(LONG)

    async def body_garbage(self, wire):
        await wire.write(head(None, fields="Transfer-Encoding: chunked\r\n") + b"zz\r\nno size\r\n")
        await asyncio.sleep(LONG)

    async def body_close_early(self, wire):
        await wire.write(head(300))
        await wire.close()

    async def body_close_late(self, wire):
        await wire.write(head(None, fields="Connection: close\r\n") + report())
        await asyncio.sleep(2 * MOMENT)
        await wire.close()

    # keep-alive: after a good answer, while the connection waits for its next request.

    async def keep_alive_refuse(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.write(head(0, "408 Request Timeout", "Connection: close\r\n"))
        await wire.close()

    async def keep_alive_reset(self, wire):
        await asyncio.sleep(MOMENT)
        wire.reset()

    async def keep_alive_stall(self, wire):
        await self.again(wire)
        await asyncio.sleep(LONG)

    async def keep_alive_drip(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.drip(head(0), 0.02)

    async def keep_alive_truncate(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.write(b"HTTP/1.1 20")
        await asyncio.sleep(LONG)

    async def keep_alive_oversize(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.write(b"HTTP/1.1 200 OK\r\n\r\n" * 50_000)
        await asyncio.sleep(LONG)

    async def keep_alive_garbage(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.write(b"\x15\x03\x03\xff\x00 what is this\n")
        await asyncio.sleep(LONG)

    async def keep_alive_close_early(self, wire):
        await asyncio.sleep(MOMENT)
        await wire.close()

    async def keep_alive_close_late(self, wire):
        await wire.read_head()
        await wire.close()


class Lookups:
    """Replies of the name server: each name's by the fault that its combination has."""

    def __init__(self, loop):
        self.loop, self.faults = loop, {}

    def reply(self, question, send):
        fault = self.faults.get(question.name)
        if fault in (None, "refuse"):
            return send(question.reply(rcode=5))
        if fault == "stall":
            return None
        if fault in ("reset", "drip", "close-early"):  # over TCP
            return send(question.reply(truncated=True))
        good = question.reply(["127.0.0.1"])
        if fault == "truncate":
            return send(good[:len(good) // 2])
        if fault == "oversize":  # more than a client takes without having said so
            return send(question.reply(["127.0.0.1"] * 200))
        if fault == "garbage":
            return send(question.id + b"\x81\x80\xff\xff\xff\xff" + bytes(range(1, 200)))
        self.loop.call_later(0.2, send, good)
        self.loop.call_later(0.4, send, good)
        return None

    async def over_tcp(self, question, wire):
        fault = self.faults.get(question.name)
        if fault == "reset":
            wire.reset()
        elif fault == "oversize":
            reply = question.reply(["127.0.0.1"] * 1000)
            await wire.raw_write(len(reply).to_bytes(2, "big") + reply)
        elif fault == "drip":
            await wire.drip(b"\x00\xff" + question.reply(["127.0.0.1"]), 0.1)
        return fault == "oversize"
