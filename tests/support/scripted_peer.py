"""Peers that act as a test says, byte by byte, plain or in TLS: on asyncio, in a thread of their own."""
import asyncio
import pathlib
import socket
import ssl
import struct
import subprocess
import threading

GONE = (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, TimeoutError, OSError)
NO_LINGER = struct.pack("ii", 1, 0)


def make_certificate(folder, names="DNS:localhost,IP:127.0.0.1,DNS:*.faults.test"):
    """A certificate that is its own authority: the paths of it and of its key."""
    certificate, key = pathlib.Path(folder, "peer.crt"), pathlib.Path(folder, "peer.key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=peer", "-days", "2",
                    "-addext", f"subjectAltName={names}", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return str(certificate), str(key)


def server_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    return context


class Wire:
    """One connection of a peer. With a context, read() and write() are those of TLS once
    start_tls() is done; raw_read() and raw_write() never are."""

    def __init__(self, reader, writer, context=None):
        self.reader, self.writer, self.context = reader, writer, context
        self.tls = None

    async def raw_read(self):
        data = await self.reader.read(65536)
        if not data:
            raise ConnectionResetError("the other side has closed")
        return data

    async def raw_write(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def first_flight(self):
        """Begins a handshake; what a server says first, not sent."""
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = self.context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        while not self.outgoing.pending:
            self.incoming.write(await self.raw_read())
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                pass
        return self.outgoing.read()

    async def start_tls(self):
        if self.context is None:
            return
        await self.raw_write(await self.first_flight())
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await self.flush()
                self.incoming.write(await self.raw_read())
        await self.flush()

    async def flush(self):
        if self.outgoing.pending:
            await self.raw_write(self.outgoing.read())

    async def read(self):
        if self.tls is None:
            return await self.raw_read()
        while True:
            try:
                data = self.tls.read(65536)
                if not data:
                    raise ConnectionResetError("the other side has closed")
                return data
            except ssl.SSLWantReadError:
                self.incoming.write(await self.raw_read())

    async def write(self, data):
        if self.tls is None:
            return await self.raw_write(data)
        self.tls.write(data)
        await self.flush()

    async def drip(self, data, pause, piece=1):
        for at in range(0, len(data), piece):
            await self.write(data[at:at + piece])
            await asyncio.sleep(pause)

    async def read_head(self):
        """One request's head; bytes behind it are dropped, since no client here pipelines."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += await self.read()
        return data.split(b"\r\n\r\n")[0]

    def stop_reading(self):
        self.writer.transport.pause_reading()

    async def close(self):
        """Says good-bye, in TLS too."""
        if self.tls is not None:
            try:
                self.tls.unwrap()
            except ssl.SSLError:
                pass
            await self.flush()
        self.writer.close()

    def reset(self):
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.writer.transport.abort()


class Peers:
    """The loop and the listeners. Use as a context; its end closes everything."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.servers, self.sockets = [], []
        self.worst_lag = 0.0
        self.odd = []  # what went wrong in a script, not on a connection

    def __enter__(self):
        self.thread.start()
        self.call(self.begin_clock())
        return self

    def __exit__(self, *_):
        self.call(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        for one in self.sockets:
            one.close()

    def call(self, coroutine, patience=30):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(patience)

    async def begin_clock(self):
        self.clock = asyncio.ensure_future(self.watch_lag())

    async def watch_lag(self):
        """How late this script itself was, since a busy machine makes peers late too."""
        while True:
            due = self.loop.time() + 0.05
            await asyncio.sleep(0.05)
            self.worst_lag = max(self.worst_lag, self.loop.time() - due)

    async def end(self):
        for server in self.servers:
            server.close()
        for _ in range(5):  # a connection that was accepted meanwhile has a task by the next round
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)

    def listen(self, serve, context=None, host="127.0.0.1", port=0):
        """The port. `await serve(wire)` runs for each connection, which is closed behind it."""
        async def begin():
            async def accepted(reader, writer):
                wire = Wire(reader, writer, context)
                try:
                    await serve(wire)
                except GONE:
                    pass
                except asyncio.CancelledError:
                    pass
                except Exception as error:  # noqa: BLE001 - told at the end of the test
                    self.odd.append(repr(error))
                finally:
                    writer.close()
            server = await asyncio.start_server(accepted, host, port, backlog=256)
            self.servers.append(server)
            return server.sockets[0].getsockname()[1]
        return self.call(begin())

    def refusing_port(self):
        """A port that is taken and where nobody listens."""
        taken = socket.socket()
        taken.bind(("127.0.0.1", 0))
        self.sockets.append(taken)
        return taken.getsockname()[1]

    def silent_port(self):
        """A port whose backlog is full: the kernel answers no more connects."""
        full = socket.socket()
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        self.sockets.append(full)
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
            self.sockets.append(filler)
        return full.getsockname()[1]
