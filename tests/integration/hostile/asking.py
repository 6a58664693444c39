"""Clients of the local API that are not what they should be."""
import json
import pathlib
import re
import socket
import tempfile
import time

from checking import wait
from homes import declared
from program_scripts import Observer, fetch, free_port

TOKEN = "correct-horse-battery-staple"
VICTIM = "/v1/services/hostile/victim"
DELETION = f"DELETE {VICTIM} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def say(port, data, patience=20):
    """Everything that comes back until the other side closes, or the client has waited enough."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while piece := client.recv(65536):
                received += piece
        except ConnectionError:
            pass
    return received


def statuses(received):
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d\d\d) ", received)]


def request(target="/v1/status", fields="", method="GET", host="Host: localhost\r\n", version="1.1"):
    return f"{method} {target} HTTP/{version}\r\n{host}{fields}\r\n".encode()


def with_victim(case, *flags):
    observer = Observer(case.options.observer, *flags, file=False)
    observer.put(declared("victim", {"c": "http://127.0.0.1:1"}, probe={"period": "60s"}))
    return observer


def is_declared(observer):
    return [service["name"] for service in observer.services()] == ["victim"]


HOSTS = {
    200: ("localhost", "LOCALHOST", "LocalHost:1", "127.0.0.1", "127.0.0.1:99999", "[::1]", "[::1]:7460",
          "127.8.9.10", "localhost:"),
    403: ("evil.test", "localhost.", "localhost.evil.test", "127.0.0.1.evil.test", "evil.test:127",
          "evil.test#localhost", "localhost@evil.test", "localhost:80@evil.test", "localhost:x",
          "localhost:80:80", "[::1]evil.test", "[::1", "::1", "[::1].evil.test:80", "127.1", "0x7f.1",
          "2130706433", "localhost, evil.test", "localhost evil.test", "", ":80", "local\u0068ost%00",
          "%6cocalhost", "[::2]", "loc\u0430lhost", "a" * 5000)}


def hosts(case):
    """Host: ports, case, dots, brackets, duplicates, absolute targets"""
    observer = with_victim(case)
    try:
        for status, names in HOSTS.items():
            for name in names:
                got = statuses(say(observer.port, request(host=f"Host: {name}\r\n")))
                case.check(f"Host {name[:40]!r} gets {status}", got[:1] == [status], got)
        for what, data, status in (
                ("two of them", request(fields="Host: localhost\r\n"), 400),
                ("two, one foreign", request(fields="Host: evil.test\r\n"), 400),
                ("none", request(host=""), 400),
                ("a foreign absolute target", request("http://evil.test/v1/status"), 403),
                ("an absolute target of ours", request("http://localhost:1/v1/status"), 200),
                ("a foreign target with userinfo", request("http://localhost@evil.test/v1/status"), 403),
                ("another scheme", request("https://localhost/v1/status"), 400),
                ("an authority", request("localhost:80", method="CONNECT"), 400)):
            got = statuses(say(observer.port, data))
            case.check(f"{what} gets {status}", got[:1] == [status], got)
    finally:
        observer.stop()


def origins(case):
    """Origin: a page of another site may neither write nor read"""
    observer = with_victim(case)
    try:
        own = f"localhost:{observer.port}"
        for origin, status in ((f"http://{own}", 202), (f"HTTP://LOCALHOST:{observer.port}", 202),
                               ("http://evil.test", 403), ("null", 403), ("http://localhost:1", 403),
                               (f"http://{own}.evil.test", 403), (f"http://evil.test@{own}", 403),
                               (f"file://{own}", 403), ("http://", 403), (own, 403)):
            got = statuses(say(observer.port, request(
                VICTIM + "/attempts", f"Origin: {origin}\r\nContent-Length: 0\r\n", "POST",
                f"Host: {own}\r\n")))
            wanted = (status,) if status == 403 else (202, 429)  # once in a minPeriod
            case.check(f"Origin {origin} gets {wanted}", got[:1] and got[0] in wanted, got)
            got = statuses(say(observer.port, request(VICTIM, f"Origin: {origin}\r\n", "GET",
                                                      f"Host: {own}\r\n")))
            case.check(f"reading with Origin {origin}", got[:1] == [200 if status == 202 else 403], got)
        said = say(observer.port, request(VICTIM, "Origin: http://evil.test\r\nAccess-Control-Request-"
                                          "Method: DELETE\r\n", "OPTIONS"))
        case.check("no site is let in by CORS", b"access-control-allow" not in said.lower(), said[:300])
        case.check("the service is there", is_declared(observer))
    finally:
        observer.stop()


def framed(fields, body=b"", method="PUT", target=VICTIM + "x"):
    return request(target, "Content-Type: application/json\r\n" + fields, method) + body


CHUNKED = "Transfer-Encoding: chunked\r\n"
SMUGGLING = {
    "length and coding": framed("Content-Length: 4\r\n" + CHUNKED, b"0\r\n\r\n"),
    "coding and length": framed(CHUNKED + "Content-Length: 4\r\n", b"0\r\n\r\n"),
    "two lengths": framed("Content-Length: 0\r\nContent-Length: 5\r\n"),
    "a list of lengths": framed("Content-Length: 0, 5\r\n"),
    "a signed length": framed("Content-Length: +0\r\n"),
    "a negative length": framed("Content-Length: -1\r\n"),
    "a hexadecimal length": framed("Content-Length: 0x0\r\n"),
    "a length with a space": framed("Content-Length: 0 0\r\n"),
    "a huge length": framed("Content-Length: 18446744073709551616\r\n"),
    "an empty length": framed("Content-Length: \r\n"),
    "two codings": framed(CHUNKED + "Transfer-Encoding: identity\r\n", b"0\r\n\r\n"),
    "a list of codings": framed("Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n"),
    "an odd coding": framed("Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
    "a coding in quotes": framed("Transfer-Encoding: \"chunked\"\r\n", b"0\r\n\r\n"),
    "a coding with a tab": framed("Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"),
    "a space before the colon": framed("Content-Length : 5\r\n"),
    "a space before a coding's colon": framed("Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"),
    "a space before the first name": request(host=" Host: localhost\r\n"),
    "a name of no letters": framed(": 5\r\n"),
    "a name with a NUL": framed("Content-Length\0: 5\r\n"),
    "a value with a NUL": framed("X: a\0b\r\n"),
    "a bare carriage return": framed("X: a\rContent-Length: 5\r\n"),
    "a bare line feed": framed("X: a\nContent-Length: 5\n"),
    "a chunk size too large": framed(CHUNKED, b"fffffffffffffffff\r\n"),
    "a chunk size that wraps": framed(CHUNKED, b"10000000000000000\r\n\r\n"),
    "a signed chunk size": framed(CHUNKED, b"-1\r\n\r\n"),
    "a chunk size with a prefix": framed(CHUNKED, b"0x0\r\n\r\n"),
    "a chunk size of nothing": framed(CHUNKED, b"\r\n\r\n"),
    "a chunk ended too late": framed(CHUNKED, b"1\r\nab\r\n0\r\n\r\n"),
    "a line feed after a chunk": framed(CHUNKED, b"1\r\na\n0\r\n\r\n"),
    "no version": b"GET /v1/status\r\n",
    "HTTP/0.9": b"GET /v1/status HTTP/0.9\r\nHost: localhost\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a lower-case protocol": b"GET /v1/status http/1.1\r\nHost: localhost\r\n\r\n",
}


def request_smuggling(case):
    """Framing that two readers could take differently ends the connection"""
    observer = with_victim(case)
    try:
        for what, data in SMUGGLING.items():
            got = statuses(say(observer.port, data + DELETION))
            case.check(f"{what}: one refusal and no more", len(got) == 1 and 400 <= got[0] <= 505, got)
        # Folding is obsolete but has one meaning; what follows the request is the client's own.
        got = statuses(say(observer.port, framed("X: a\r\n Content-Length: 900\r\n", b"", "GET",
                                                 "/v1/status") + request("/livez")))
        case.check("folding is no length", got in ([200, 200], [400]), got)
        case.check("the service is there", is_declared(observer), observer.services())
        case.show(f"{len(SMUGGLING)} requests")
    finally:
        observer.stop()


PATHS = ("/v1/services/hostile%2fvictim", "/v1/services/hostile%2Fvictim", "/v1/services/hostile/victim%00",
         "/v1/services/hostile/victim%00.json", "/v1/services/hostile/%2e%2e/hostile/victim",
         "/v1/services/x/../hostile/victim", "/v1/services/./hostile/victim", "/../v1/services/hostile/victim",
         "//v1/services/hostile/victim", "/v1//services/hostile/victim", "/v1/services//hostile/victim",
         "/v1/services/hostile//victim", "/v1/services;a=b/hostile/victim", "/v1/services/hostile/victim;x",
         "/v1/services/Hostile/victim", "/V1/services/hostile/victim", "/v1/SERVICES/hostile/victim",
         "/v1/services/hostile/victim%20", "/v1/services/hostile/victim.", "/v1/services/hostile/victi%256d",
         "/v1/services/hostile/victim%", "/v1/services/hostile/victim%zz", "/v1/services/hostile/victim#x",
         "\\v1\\services\\hostile\\victim", "/v1/services/hostile\\victim", "/v1/services/hostile/%c0%ae",
         "/v1/services/hostile/victim/%2e", "/v1/services/hostile/victim/..;/victim", "v1/services",
         "/v1/services/hostile/victim\x7f", "/v1/services/hostile/vic\u0442im", "/metrics/../v1/status")


def paths(case):
    """Encoded slashes and dots, NUL, doubled slashes, semicolons, case: no way around a route"""
    port = free_port()
    observer = with_victim(case, "--health-listen", f"127.0.0.1:{port}")
    try:
        for path in PATHS:
            got = statuses(say(observer.port, request(path, method="DELETE")))
            case.check(f"DELETE {path!r}", len(got) == 1 and got[0] in (204, 400, 404, 405), got)
            case.check(f"DELETE {path!r} leaves the service", is_declared(observer))
        for path in ("/v1/status", "/livez/../v1/status", "/livez%2f..%2fv1%2fstatus", "/metrics/v1/status",
                     "//v1/status", "/metrics;/v1/status", "http://localhost/v1/status", "/status", "/"):
            got = statuses(say(port, request(path)))
            case.check(f"the health listener has no {path}", got in ([404], [400]), got)
    finally:
        observer.stop()


def limits(case):
    """Heads and bodies that are too large, heads and readers that are too slow"""
    observer = with_victim(case)
    try:
        resting, files = observer.resident(), observer.descriptors()
        for what, data, wanted in (
                ("a long target", request("/v1/" + "a" * 200_000), (414, 431)),
                ("a long field", request(fields=f"X: {'a' * 200_000}\r\n"), (431,)),
                ("many fields", request(fields="X: a\r\n" * 50_000), (431,)),
                ("a declared body", framed("Content-Length: 2000000\r\n", b" " * 2_000_000), (413,)),
                ("a chunked body", framed(CHUNKED, (b"10000\r\n" + b" " * 65536 + b"\r\n") * 20), (413,)),
                ("a chunk extension", framed(CHUNKED, b"1;" + b"a" * 300_000), (400, 413, 431)),
                ("trailers", framed(CHUNKED, b"0\r\n" + b"X: a\r\n" * 50_000), (400, 413, 422, 431))):
            got = statuses(say(observer.port, data))
            case.check(f"{what} gets {wanted}", len(got) == 1 and got[0] in wanted, got)
        slow = [socket.create_connection(("127.0.0.1", observer.port)) for _ in range(150)]
        for index, client in enumerate(slow):
            client.sendall((b"GET /v1/sta", framed("Content-Length: 100\r\n", b"{"),
                            request("/v1/watch") + request("/metrics") * 200)[index % 3])
        worst, begun = 0.0, time.monotonic()
        while time.monotonic() - begun < 3:
            before = time.monotonic()
            fetch(observer.address + "/livez", timeout=30)
            worst = max(worst, time.monotonic() - before)
            time.sleep(0.05)
        grown = (observer.resident() - resting) / 1024 / 1024
        case.check("the process answers beside slow clients", worst < 10, worst)
        case.check("slow clients cost little memory", case.options.sanitized or grown < 60,
                   f"{grown:.1f} MB")
        for client in slow:
            client.close()
        case.check("their descriptors come back", wait(lambda: observer.descriptors() <= files + 3),
                   observer.descriptors())
        case.show(f"150 slow clients: /livez in at most {worst * 1000:.0f} ms, RSS {grown:+.1f} MB")
    finally:
        observer.stop()


def token(case):
    """Only the whole token opens the API, and it is told to nobody"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "token")
        file.write_text(TOKEN + "\n")
        port = free_port()
        observer = Observer.__new__(Observer)  # /readyz of the API needs the token as well
        start_guarded(observer, case.options.observer, file, port)
        try:
            for shown, status in ((TOKEN, 200), (TOKEN[:-1], 401), (TOKEN + "x", 401), (TOKEN.upper(), 401),
                                  ("", 401), (TOKEN + "\t" + TOKEN, 401), (f"{TOKEN}, Bearer x", 401),
                                  ("\0" + TOKEN, 400), ("x" * 9000, 401)):
                got = statuses(say(observer.port, request(
                    fields=f"Authorization: Bearer {shown}\r\n")))
                case.check(f"{shown[:60]!r} gets {status}", got[:1] == [status], got)
            for fields in ("", f"Authorization: {TOKEN}\r\n", f"Authorization: Basic {TOKEN}\r\n",
                           f"Cookie: token={TOKEN}\r\n", f"X-Token: {TOKEN}\r\n",
                           f"Authorization: Bearer x\r\nAuthorization: Bearer {TOKEN}\r\n"):
                got = statuses(say(observer.port, request(f"/v1/status?token={TOKEN}", fields)))
                case.check(f"{fields!r} opens nothing", got[:1] == [401], got)
            got = statuses(say(observer.port, request(fields=f"authorization: bearer   {TOKEN}\r\n")))
            case.check("spelling of the scheme does not matter", got[:1] == [200], got)
            said = say(observer.port, request(fields=f"Authorization: Bearer {TOKEN}\r\n"))
            case.check("no answer shows it", TOKEN.encode() not in said)
            case.check("no log shows it", TOKEN not in observer.log())
            case.check("the health listener needs none", "ok" in fetch(f"http://127.0.0.1:{port}/livez"))
        finally:
            observer.stop()


def start_guarded(observer, binary, file, port):
    observer.wait_ready = lambda: wait(lambda: answers(port))
    observer.__init__(binary, "--token-file", str(file), "--health-listen", f"127.0.0.1:{port}",
                      file=False)


def answers(port):
    try:
        return bool(fetch(f"http://127.0.0.1:{port}/readyz"))
    except OSError:
        return False


def shown_names(case):
    """What clients say comes back in answers and logs as text that is fit to show"""
    observer = with_victim(case, "--log-level", "debug")
    nasty = ("%1b[31mred", "%e2%80%aebidi", "%ff%fe", "%22quote", "%0aline", "%c2%9bcsi", "a" * 3000)
    try:
        for word in nasty:
            for target in (f"/{word}", f"/v1/services/{word}/x", f"/v1/services?{word}=1",
                           f"/v1/services?limit={word}", f"{VICTIM}/history?cluster={word}"):
                said = say(observer.port, request(target, f"X-{word[:20]}: x\r\n".replace("%", "")))
                body = said.split(b"\r\n\r\n", 1)[-1]
                if body.startswith(b"{"):
                    case.check_json(f"the answer to {target[:60]}", body)
        for body in (b'{"homes":"\x1b[31m"}', b'{"probe":{"method":"\\u001b[31m\\u202e"}}',
                     json.dumps({"namespace": "\u202ehostile", "name": "\x9bvictim"}).encode(),
                     b'{"\xff\xfe":1}', b'{"homes":[{"cluster":"\\u202ea\\u0007","endpoint":"http://h"}]}',
                     b'{"probe":{"path":"\\u202e/x\\u001b"}}'):
            said = say(observer.port, framed(f"Content-Length: {len(body)}\r\n", body))
            case.check(f"{body[:40]} is refused", statuses(said)[0] in (400, 422), said[:200])
            case.check_json(f"the answer to {body[:40]}", said.split(b"\r\n\r\n", 1)[-1])
        for target in ("/v1/services/%ff%fe/victim", "/v1/services/hostile/%e2%80%aevictim",
                       "/v1/services/hostile/%1b%5b31m", "/v1/services/hostile/a%0ab"):
            body = b'{"ownerUID":"u","homes":[]}'
            said = say(observer.port, framed(f"Content-Length: {len(body)}\r\n", body, target=target))
            case.check(f"{target} cannot be declared", statuses(said) == [422], said[:200])
            case.check_json(f"the answer to {target}", said.split(b"\r\n\r\n", 1)[-1])
        case.check("the service is alone", is_declared(observer))
        case.check_text("the log", observer.log())
    finally:
        observer.stop()


CASES = [hosts, origins, request_smuggling, paths, limits, token, shown_names]
