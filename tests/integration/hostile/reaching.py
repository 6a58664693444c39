"""Homes that want us elsewhere, want what is not theirs, or want to be another home."""
import asyncio
import collections
import itertools
import pathlib
import re
import subprocess
import tempfile
import time

from checking import Skipped, wait
from homes import answer, declared, readings, report
from program_scripts import Observer, fetch
from scripted_names import Names
from scripted_peer import Peers, make_certificate, server_context

REFUSED_PROBE = "probe could not run: address refused by policy"
REFUSED_POLL = "capacity endpoint unreachable: address refused by policy"
SECRET = "hunter2-secret"


class Trap:
    """Somebody else's port: counts who comes."""

    def __init__(self, peers):
        self.visits = 0
        self.port = peers.listen(self.serve)

    async def serve(self, wire):
        self.visits += 1


def other_hosts(case):
    """Redirects, Alt-Svc, Refresh, Link, absolute URLs: nobody else is contacted"""
    with Peers() as peers:
        trap = Trap(peers)
        there = f"http://127.0.0.1:{trap.port}/"
        fields = (f"Location: {there}\r\nAlt-Svc: h2=\":{trap.port}\", h3=\":{trap.port}\"\r\n"
                  f"Refresh: 0; url={there}\r\nLink: <{there}>; rel=preload\r\n"
                  f"Content-Location: {there}\r\nProxy: {there}\r\nUpgrade: h2c\r\n"
                  f"Set-Cookie: a={SECRET}\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
                  f"Report-To: {{\"endpoints\":[{{\"url\":\"{there}\"}}]}}\r\n")
        requests = collections.Counter()

        def serve(status):
            async def one(wire):
                while True:
                    requests[await wire.read_head()] += 1
                    await wire.write(answer(f"<meta http-equiv=refresh content='0;{there}'>".encode(),
                                            status, fields))
            return one
        statuses = ("200 OK", "201 Created", "300 Many", "301 Moved", "302 Found", "303 See", "305 Proxy",
                    "307 Temporary", "308 Permanent", "401 Unauthorized", "407 Proxy", "421 Misdirected",
                    "426 Upgrade", "101 Switching", "503 Later")
        homes = {f"s{status[:3]}": f"http://127.0.0.1:{peers.listen(serve(status))}"
                 for status in statuses}
        observer = Observer(case.options.observer, file=False)
        try:
            observer.put_all([declared("elsewhere", homes, probe={}, capacity={})])
            case.check("every home was tried twice", wait(
                lambda: sum(requests.values()) >= 4 * len(homes)), sum(requests.values()))
            for (_, cluster), home in readings(observer).items():
                case.check(f"{cluster} is told as it is",
                           home["probe"]["message"].startswith(f"HTTP {cluster[1:]}"), home["probe"])
        finally:
            observer.stop()
        case.check("nobody came to the trap", trap.visits == 0, trap.visits)
        heads = b"".join(requests)
        case.check("no cookie comes back", SECRET.encode() not in heads, heads)
        case.show(f"{sum(requests.values())} answers, {trap.visits} visits elsewhere")


def secrets(case):
    """Userinfo, the API's token and clients' keys stay with us"""
    with Peers() as peers, tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder)
        context = server_context(certificate, key)
        context.load_verify_locations(certificate)
        context.verify_mode = 1  # asks for a certificate, and takes none for an answer
        heads, shown = [], collections.defaultdict(set)

        def serve(name):
            async def one(wire):
                await wire.start_tls()
                if wire.tls is not None:
                    shown[name].add(wire.tls.getpeercert(True) is not None)
                while True:
                    heads.append(await wire.read_head())
                    await wire.write(answer(report(), "401 Unauthorized" if name == "asks" else "200 OK",
                                            "WWW-Authenticate: Basic realm=\"x\"\r\n"))
            return one
        tls = pathlib.Path(folder, "clusters")
        tls.mkdir()
        (tls / "known.crt").write_bytes(pathlib.Path(certificate).read_bytes())
        (tls / "known.key").write_bytes(pathlib.Path(key).read_bytes())
        (tls / "known.key").chmod(0o600)
        homes = {"known": f"https://user:{SECRET}@127.0.0.1:{peers.listen(serve('known'), context)}",
                 "other": f"https://127.0.0.1:{peers.listen(serve('other'), context)}",
                 "asks": f"http://user:{SECRET}@127.0.0.1:{peers.listen(serve('asks'))}/x"}
        observer = Observer(case.options.observer, "--ca-file", certificate, "--tls-dir", str(tls),
                            file=False)
        try:
            observer.put_all([declared("secrets", homes, probe={}, capacity={})])
            case.check("all were asked", wait(lambda: len(heads) >= 12 and len(shown) == 2), len(heads))
            told = [fetch_all(observer), observer.log()]
        finally:
            observer.stop()
        said = b"\n".join(heads).lower()
        for word in (SECRET.encode(), b"authorization", b"cookie", b"user:"):
            case.check(f"no request says {word.decode()}", word not in said, said[:500])
        case.check("its own cluster sees the client certificate", shown["known"] == {True}, shown)
        case.check("another cluster does not", shown["other"] == {False}, shown)
        for text in told:
            case.check("no output has the password", SECRET not in text,
                       text[max(0, text.find(SECRET) - 200):][:400])
        case.show(f"{len(heads)} requests")


def fetch_all(observer):
    paths = ["/v1/services", "/v1/status", "/status", "/metrics", "/v1/watch?timeoutSeconds=1"]
    paths += [f"/v1/services/{one['namespace']}/{one['name']}/history" for one in observer.services()]
    return "\n".join(fetch(observer.address + path) for path in paths)


POISON = answer(report(999))


def other_homes(case):
    """Two homes at one address: a second answer that nobody asked for is nobody's"""
    with Peers() as peers, tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder)
        paths = collections.defaultdict(set)
        served = collections.Counter()

        numbers = itertools.count()

        async def serve(wire):
            await wire.start_tls()
            number = next(numbers)
            while True:
                target = (await wire.read_head()).split()[1].decode()
                home = target.split("/")[1]
                paths[number].add(home)
                served[home] += 1
                good = answer(report())
                if home == "victim":
                    await wire.write(good)
                elif home == "glued":
                    await wire.write(good + POISON)
                elif home == "late":
                    await wire.write(good)
                    await asyncio.sleep(0.1)
                    await wire.write(POISON)
                elif home == "split":
                    await wire.write(good + POISON[:20])
                    await asyncio.sleep(0.2)
                    await wire.write(POISON[20:] * 3)
                elif home == "both":
                    await wire.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
                                     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + POISON)
                elif home == "twice":
                    await wire.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                                     b"Content-Length: 70\r\n\r\n" + POISON)
                elif home == "nobody":
                    await wire.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 70\r\n\r\n" + POISON)
                elif home == "interim":
                    await wire.write(b"HTTP/1.1 100 Continue\r\n\r\n" + good + POISON * 2)
        ports = {"http": peers.listen(serve),
                 "https": peers.listen(serve, server_context(certificate, key))}
        names = ("victim", "glued", "late", "split", "both", "twice", "nobody", "interim")
        observer = Observer(case.options.observer, "--ca-file", certificate,
                            "--probe-connections", "reuse", file=False)
        seen = collections.defaultdict(set)
        try:
            observer.put_all([declared(scheme, {
                name: f"{scheme}://127.0.0.1:{ports[scheme]}/{name}" for name in names},
                probe={}, capacity={}) for scheme in ports])
            until = time.monotonic() + 7
            while time.monotonic() < until:
                for (scheme, cluster), home in readings(observer).items():
                    seen[scheme, cluster].add(home["capacity"].get("ceiling"))
                    for sample in home["capacity"].get("samples", []):
                        seen[scheme, cluster].add(sample["servable"])
                time.sleep(0.1)
            for (scheme, cluster), counts in seen.items():
                case.check(f"{scheme} {cluster} never has what was not asked for",
                           counts <= {None, 4}, counts)
            for scheme in ports:
                home = readings(observer)[scheme, "victim"]
                case.check(f"{scheme} victim has its own", home["capacity"].get("ceiling") == 4 and
                           home["probe"]["result"] == "Passing", home)
        finally:
            observer.stop()
        case.check("no connection serves two homes", all(len(one) == 1 for one in paths.values()),
                   [one for one in paths.values() if len(one) > 1])
        case.check("each was asked again and again", min(served[name] for name in names) >= 6, served)
        case.show(f"{sum(served.values())} answers on {len(paths)} connections")


# Ways to write this machine. What is no address is a name, and this name server says 127.0.0.1.
LOCAL = ("127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "0127.0.0.1",
         "0127.0.0.01", "0177.0.0.1", "017700000001", "127.0.0.1.", "localhost", "LOCALHOST", "localhost.",
         "a.localhost", "a.b.localhost.", "0", "0.0.0.0", "0.1.2.3", "127.255.255.254", "[::1]", "[::]",
         "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]",
         "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "", "rebound.test", "ip6-localhost",
         "localhost.localdomain", "1.0.0.127.in-addr.arpa")
METADATA = ("169.254.169.254", "169.254.0.1", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
            "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[fe80::1]", "[fd00:ec2::254]",
            "100.100.100.200", "168.63.129.16", "metadata.test", "0xa9fea9fe", "2852039166",
            "0251.0376.0251.0376", "169.254.43518", "169.254.169.254.",
            "0169.0254.0169.0254")
# With leading zeros c-ares reads decimal numbers: no loopback, and nobody of ours either.
DENIED = ("169.254.0.0/16,fe80::/10,fd00:ec2::/32,100.100.100.200/32,168.63.129.16/32,"
          "177.0.0.0/8")
# What does not even canonicalize, in the contract's words.
INVALID = ("127.0.0.1%2f", "%31%32%37.0.0.1", "127.0.0.1%00", "[127.0.0.1]", "::1", "[::1", "127.0.0.1:x",
           "[localhost]", "loc\u0430lhost", "127\u30020\u30020\u30021", "local host", "\t127.0.0.1")


def addresses(case):
    """Loopback and metadata services in every spelling, by rebinding, and our own API"""
    with Peers() as peers:
        trap = Trap(peers)

        def reply(question, send):
            metadata = "metadata" in question.name or question.name.startswith(
                ("0xa9", "2852", "0251", "169."))
            send(question.reply(["169.254.169.254"] if metadata else
                                ["127.0.0.1", "::1", "::ffff:127.0.0.1"]))
        names = Names(peers, reply)
        observer = Observer(case.options.observer, "--dns-servers", names.address,
                            "--deny-addresses", DENIED, file=False, loopback=False)
        try:
            homes = {f"local-{index}": f"http://{host}:{trap.port}/" for index, host in enumerate(LOCAL)}
            homes |= {f"metadata-{index}": f"http://{host}:{trap.port}/"
                      for index, host in enumerate(METADATA)}
            homes |= {f"tls-{index}": f"https://{host}:{trap.port}/" for index, host in enumerate(LOCAL)}
            homes |= {f"api-{index}": f"http://{host}:{observer.port}/v1/services"
                      for index, host in enumerate(LOCAL)}
            invalid = {f"invalid-{index}": f"http://{host}:{trap.port}/"
                       for index, host in enumerate(INVALID)}
            answered = observer.put_all([declared("addresses", homes | invalid, probe={}, capacity={})])
            case.check("the declaration is taken", answered["applied"] == 1, answered)

            def tried():
                return all(home.get("probe", {}).get("lastProbeTime") and
                           home["capacity"]["fallbackReason"] != "no capacity report yet"
                           for (_, cluster), home in readings(observer).items() if cluster in homes)
            case.check("all were tried", wait(tried))
            now = readings(observer)
            for cluster, endpoint in homes.items():
                home = now["addresses", cluster]
                case.check(f"{endpoint} is refused", home["probe"]["message"] == REFUSED_PROBE and
                           home["probe"]["result"] == "Unknown" and not home["probe"]["gated"] and
                           home["capacity"]["fallbackReason"] == REFUSED_POLL, home)
            for cluster, endpoint in invalid.items():
                home = now["addresses", cluster]
                reason = home["capacity"]["fallbackReason"]
                case.check(f"{endpoint!r} is no target", reason.startswith(
                    "capacity target is invalid: ") and "probe" not in home, home)
            case.check("nobody came to the trap", trap.visits == 0, trap.visits)
            case.show(f"{len(homes)} refused, {len(invalid)} invalid, {trap.visits} visits")
        finally:
            observer.stop()


def own_address():
    """An address of this machine that is not loopback; packets to it stay in the kernel."""
    said = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout
    found = [word for word in said.split() if re.fullmatch(r"[\d.]+", word)]
    if not found:
        raise Skipped("this machine has no address but loopback")
    return found[0]


def rebinding(case):
    """A name that leads to an allowed address first and to loopback later"""
    address = own_address()
    with Peers() as peers:
        trap = Trap(peers)
        state = {"address": address}
        visits = collections.Counter()

        async def serve(wire):
            visits["outside"] += 1
            await wire.read_head()
            await wire.write(answer(report()))
            await asyncio.sleep(20)
        try:
            peers.listen(serve, host=address, port=trap.port)
        except OSError as error:
            raise Skipped(f"cannot listen on {address}: {error}") from error
        names = Names(peers, lambda question, send: send(question.reply([state["address"]])))
        observer = Observer(case.options.observer, "--dns-servers", names.address,
                            "--connection-max-age", "1s", file=False, loopback=False)
        try:
            observer.put_all([declared("rebinding", {"c": f"http://rebound.test:{trap.port}"},
                                       probe={}, capacity={})])
            case.check("first it is let in", wait(
                lambda: visits["outside"] > 1 and readings(observer)["rebinding", "c"].get(
                    "probe", {}).get("result") == "Passing"), readings(observer))
            state["address"] = "127.0.0.1"
            case.check("then it is refused", wait(
                lambda: readings(observer)["rebinding", "c"]["probe"]["message"] == REFUSED_PROBE and
                readings(observer)["rebinding", "c"]["capacity"]["fallbackReason"] == REFUSED_POLL),
                readings(observer))
            time.sleep(1.5)
        finally:
            observer.stop()
        case.check("nobody came to loopback", trap.visits == 0, trap.visits)


CASES = [other_hosts, secrets, other_homes, addresses, rebinding]
