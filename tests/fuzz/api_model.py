#!/usr/bin/env python3
"""Says sequences of requests to an observer of its own and compares every answer with a model of it.

Usage: tests/fuzz/api_model.py [--seconds N] [--seed N] [--observer PATH] [--json FILE]

  --seconds N     how long (60)
  --seed N        of all choices, printed (random)
  --observer PATH the program
  --json FILE     what was done and found

The model is a dictionary of what is declared. Requests declare, declare wrongly, suspend, forget, bring
the whole set (with wrong lines, services named twice, bodies cut short), list in pages while the set
changes, read single services, ask for attempts and histories, and use methods, parameters and tokens that
are refused. A watch beside it must arrive at the same set. Nothing is contacted but loopback. Exit code 1:
an answer was another than the model's; the last requests are printed then.

Example: tests/fuzz/api_model.py --seconds 600 --seed 7
"""
import argparse
import collections
import http.client
import json
import pathlib
import random
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program_scripts import OBSERVER, Observer  # noqa: E402

NAMESPACES = ("a", "b", "team-c")
NAMES = ("x", "y", "z", "long-name-1", "s.dotted")
CLUSTERS = ("c-1", "c-2", "c-3", "c-4")
ENDPOINTS = ("http://127.0.0.1:9/h", "http://127.0.0.1:9", "https://127.0.0.1:9/a?b=c", "ftp://x", "http://%")
PATIENCE = 30


class Wrong(Exception):
    """An answer is not what the model says."""


def want(holds, told):
    if not holds:
        raise Wrong(told)


class Watcher(threading.Thread):
    """What a watch makes of it: {(namespace, name): {cluster}}."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.known, self.revision, self.problem = {}, 0, None
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request("GET", "/v1/watch?holder=model")
        self.answer = self.connection.getresponse()

    def take(self, line):
        service = line.get("service", {})
        key = service.get("namespace"), service.get("name")
        if line["type"] == "Reading":
            self.known.setdefault(key, set()).update(home["cluster"] for home in service["homes"])
        elif line["type"] == "Forgotten":
            if "clusters" in service:
                self.known.get(key, set()).difference_update(service["clusters"])
            else:
                self.known.pop(key, None)
        elif line["type"] != "Bookmark":
            raise Wrong(f"the watch says {line}")
        if line["revision"] < self.revision:
            raise Wrong(f"the watch goes back from {self.revision}: {line}")
        self.revision = line["revision"]

    def run(self):
        try:
            while line := self.answer.readline():
                self.take(json.loads(line))
        except (Wrong, KeyError, ValueError) as problem:
            self.problem = problem
        except (OSError, http.client.HTTPException):
            pass  # the observer has ended


class Model:
    def __init__(self, choose, port):
        self.choose, self.port = choose, port
        self.declared = {}  # (namespace, name) -> {"owner", "suspended", "homes": [(cluster, endpoint)]}
        self.instance, self.revision = None, 0
        self.counts = collections.Counter()
        self.statuses = collections.Counter()
        self.said = collections.deque(maxlen=12)
        self.pages = None  # a list that is being read: (query, token, last key, revision)

    # -- one request ------------------------------------------------------------------------------

    def ask(self, method, target, body=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Content-Type": kind} if body is not None else {}
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        self.said.append(f"{method} {target} {(body or b'')[:400]!r} -> {answer.status} {text[:400]!r}")
        self.statuses[answer.status] += 1
        document = json.loads(text) if text else {"instance": answer.headers["Ome-Observer-Instance"]}
        self.instance = self.instance or document["instance"]
        want(document["instance"] == self.instance, "another instance")
        return answer.status, document

    def refused(self, got, status):
        want(got[0] == status, f"status {got[0]}, not {status}")
        want(got[1]["error"]["code"] and got[1]["error"]["message"], "a refusal says why")

    # -- declarations -----------------------------------------------------------------------------

    def key(self):
        return self.choose.choice(NAMESPACES), self.choose.choice(NAMES)

    def policies(self):
        made = {}
        if self.choose.random() < 0.7:
            made["probe"] = {"path": self.choose.choice(("/p", "/q")), "method": "GET", "acceptStatuses": [200],
                             "gateStatuses": [404, 503], "period": "1h", "timeout": "1s", "failureThreshold": 3,
                             "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}
        if self.choose.random() < 0.7:
            made["capacity"] = {"path": "/c", "method": "GET", "format": "Report", "period": "1h",
                                "timeout": "1s", "maxAge": "3h", "samples": 3, "quorum": self.choose.randint(1, 3)}
        return made

    def good(self, key):
        homes = self.choose.sample(CLUSTERS, self.choose.randint(0, len(CLUSTERS)))
        made = {"namespace": key[0], "name": key[1], "ownerUID": self.choose.choice(("u1", "u2")),
                "suspended": self.choose.random() < 0.2,
                "homes": [{"cluster": one, "endpoint": self.choose.choice(ENDPOINTS)} for one in homes],
                **self.policies()}
        if self.choose.random() < 0.2:
            made["laterMember"] = {"of": ["a", "newer", "controller"]}
        return made

    def bad(self, key):
        """A declaration that is refused with 422."""
        made = self.good(key)
        made["suspended"] = False
        kind = self.choose.randrange(5)
        if kind == 0:
            made["homes"] = [{"cluster": "c", "endpoint": "http://127.0.0.1:9"}] * 2
        elif kind == 1:
            made["probe"] = {"path": "/p", "period": "10s", "timeout": "10s"}
        elif kind == 2:
            made["capacity"] = {"path": "no slash"}
        elif kind == 3:
            made["homes"] = "none"
        else:
            made["homes"] = [{"endpoint": "http://127.0.0.1:9"}]
        return made

    def adopt(self, document):
        """What a declaration that is taken makes of what there was."""
        key = document["namespace"], document["name"]
        before = self.declared.get(key, {"homes": []})
        homes = [(home["cluster"], home["endpoint"]) for home in document["homes"]]
        self.declared[key] = {"owner": document["ownerUID"], "suspended": document["suspended"],
                              "homes": before["homes"] if document["suspended"] else homes}

    def compare(self, service):
        key = service["namespace"], service["name"]
        mine = self.declared.get(key)
        want(mine is not None, f"{key} is not declared")
        got = {"owner": service["ownerUID"], "suspended": service["suspended"],
               "homes": [(home["cluster"], home["endpoint"]) for home in service["homes"]]}
        want(got == mine, f"{key} is {got}, not {mine}")

    def put(self):
        key = self.key()
        target = f"/v1/services/{key[0]}/{key[1]}"
        kind = self.choose.random()
        if kind < 0.7:
            document = self.good(key)
            status, answer = self.ask("PUT", target, json.dumps(document).encode())
            want(status == 200, f"status {status} for a good declaration")
            self.adopt(document)
            self.compare(answer)
            want(answer["revision"] > self.revision, "the revision does not rise")
            self.revision = answer["revision"]
        elif kind < 0.85:
            self.refused(self.ask("PUT", target, json.dumps(self.bad(key)).encode()), 422)
        elif kind < 0.9:
            self.refused(self.ask("PUT", target, b'{"homes":['), 400)
        elif kind < 0.95:
            self.refused(self.ask("PUT", target, b"{}", "text/plain"), 415)
        else:
            other = self.good((key[0], "another"))
            self.refused(self.ask("PUT", target, json.dumps(other).encode()), 422)

    def bulk(self):
        """A whole set; what it must come to is worked out line by line."""
        keys = self.choose.sample([(ns, name) for ns in NAMESPACES for name in NAMES], self.choose.randint(0, 9))
        if keys and self.choose.random() < 0.3:
            keys.append(keys[0])
        lines, applied, rejected, named, whole = [], [], [], set(), True
        for key in keys:
            kind = self.choose.random()
            document = self.bad(key) if kind < 0.15 else self.good(key)
            if kind > 0.97:
                lines.append(b"{not json")
                rejected.append(len(lines))
                whole = False
                continue
            lines.append(json.dumps(document).encode())
            if key in named or kind < 0.15:
                rejected.append(len(lines))
            else:
                applied.append(document)
            named.add(key)
        status, answer = self.ask("PUT", "/v1/services", b"\n".join(lines) + b"\n", "application/x-ndjson")
        want(status == 200, f"status {status} for a set")
        for document in applied:
            self.adopt(document)
        gone = [key for key in self.declared if key not in named] if whole else []
        for key in gone:
            del self.declared[key]
        got = answer["applied"], answer["forgotten"], [one["line"] for one in answer["rejected"]]
        want(got == (len(applied), len(gone), rejected),
             f"the set came to {got}, not {(len(applied), len(gone), rejected)}")

    def cut_bulk(self):
        """A set whose end never comes forgets nothing; its whole lines may count."""
        documents = [self.good(key) for key in self.choose.sample([(ns, name) for ns in NAMESPACES for name in NAMES], 3)]
        body = b"".join(json.dumps(one).encode() + b"\n" for one in documents)
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(b"PUT /v1/services HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                               b"Content-Length: %d\r\n\r\n" % (len(body) + 100) + body)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(PATIENCE)
            while connection.recv(65536):
                pass
        self.said.append(f"a set cut short: {body[:300]!r}")
        before = set(self.declared)
        status, answer = self.ask("GET", "/v1/services")
        keys = {(one["namespace"], one["name"]) for one in answer["services"]}
        want(status == 200 and keys >= before, f"a set cut short forgot {before - keys}")
        for document in documents:  # taken or not: as it is now
            key = document["namespace"], document["name"]
            now = next((one for one in answer["services"] if (one["namespace"], one["name"]) == key), None)
            if now is not None:
                self.declared[key] = {"owner": now["ownerUID"], "suspended": now["suspended"],
                                      "homes": [(home["cluster"], home["endpoint"]) for home in now["homes"]]}

    def delete(self):
        key = self.key()
        status, _ = self.ask("DELETE", f"/v1/services/{key[0]}/{key[1]}")
        want(status == 204, f"status {status} for forgetting")
        self.declared.pop(key, None)

    # -- reading ----------------------------------------------------------------------------------

    def get(self):
        key = self.key()
        got = self.ask("GET", f"/v1/services/{key[0]}/{key[1]}")
        if key not in self.declared:
            return self.refused(got, 404)
        want(got[0] == 200, f"status {got[0]} for what is declared")
        self.compare(got[1])

    def begin_list(self):
        ns = self.choose.choice(("", *NAMESPACES, "nobody"))
        limit = self.choose.choice((0, 1, 2, 5, 1000))
        self.pages = ((f"namespace={ns}" if ns else "") + (f"&limit={limit}" if limit else ""), ns, limit,
                      "", ("", ""), None)
        self.next_page()

    def next_page(self):
        """A page is what comes behind the last key now, however the set has changed since."""
        query, ns, limit, token, last, revision = self.pages
        status, page = self.ask("GET", "/v1/services?" + "&".join(
            part for part in (query.strip("&"), f"continue={token}" if token else "") if part))
        want(status == 200, f"status {status} for a page")
        rest = [key for key in sorted(self.declared) if key > last and ns in ("", key[0])]
        expected = rest[:limit] if limit else rest
        got = [(one["namespace"], one["name"]) for one in page["services"]]
        want(got == expected, f"the page holds {got}, not {expected}")
        for service in page["services"]:
            self.compare(service)
        want(bool(page["continue"]) == (len(rest) > len(expected)), f"continue is {page['continue']!r}")
        want(revision in (None, page["revision"]), "a page has another revision than the first")
        self.pages = (query, ns, limit, page["continue"], expected[-1], page["revision"]) \
            if page["continue"] else None

    def list(self):
        if self.pages is not None:
            self.next_page()
        else:
            self.begin_list()

    def attempts(self):
        key = self.key()
        got = self.ask("POST", f"/v1/services/{key[0]}/{key[1]}/attempts")
        mine = self.declared.get(key)
        if mine is None:
            self.refused(got, 404)
        elif mine["suspended"]:
            self.refused(got, 409)
        elif got[0] == 429:
            self.refused(got, 429)
        else:
            want(got[0] == 202 and "started" in got[1], f"status {got[0]} for attempts")

    def history(self):
        key = self.key()
        got = self.ask("GET", f"/v1/services/{key[0]}/{key[1]}/history")
        if key not in self.declared:
            self.refused(got, 404)
        else:
            want(got[0] == 200, f"status {got[0]} for a history")

    def nonsense(self):
        method, target, status = self.choose.choice((
            ("GET", "/v1/services?limit=0", 400), ("GET", "/v1/services?limit=x", 400),
            ("GET", "/v1/services?continue=x", 400), ("GET", "/v1/services?unknown=1", 400),
            ("GET", f"/v1/services?continue=0000:1:a/b", 410), ("GET", "/v1/nothing", 404),
            ("PATCH", "/v1/services/a/x", 405), ("DELETE", "/v1/services", 405), ("GET", "/v1/services/a", 404)))
        self.refused(self.ask(method, target), status)

    def step(self):
        name = self.choose.choices(("put", "bulk", "cut_bulk", "delete", "get", "list", "attempts", "history",
                                    "nonsense"), (30, 8, 1, 12, 15, 20, 5, 4, 5))[0]
        self.counts[name] += 1
        getattr(self, name)()


def settle(model, watcher):
    """The watch arrives where the model is."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and watcher.problem is None:
        known = {key: homes for key, homes in dict(watcher.known).items()}
        mine = {key: {cluster for cluster, _ in one["homes"]} for key, one in model.declared.items()}
        # Of a service without homes a watch need not speak.
        if {key: homes for key, homes in known.items() if homes} == \
                {key: homes for key, homes in mine.items() if homes}:
            return
        time.sleep(0.1)
    raise watcher.problem or Wrong(f"the watch arrives at {known}, not at {mine}")


def run(options, observer, model):
    watcher = Watcher(observer.port)
    watcher.start()
    begun = shown = time.monotonic()
    while time.monotonic() - begun < options.seconds:
        model.step()
        if sum(model.counts.values()) % 500 == 0:
            settle(model, watcher)
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"{shown - begun:5.0f} s  {sum(model.counts.values())} requests, {len(model.declared)} declared",
                  flush=True)
    settle(model, watcher)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--observer", default=OBSERVER)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    print(f"for {options.seconds:.0f} s with seed {options.seed}", flush=True)
    observer = Observer(options.observer, "--declaration-ttl", "0s", "--log-level", "error", file=False)
    model, problem = Model(random.Random(options.seed), observer.port), ""
    try:
        run(options, observer, model)
    except (Wrong, OSError, http.client.HTTPException, KeyError, ValueError) as found:
        problem = repr(found)
        print("FINDING  " + problem, *model.said, sep="\n   ")
        if not observer.alive():
            print(observer.log()[-4000:])
    finally:
        observer.stop()
    print("answers: " + ", ".join(f"{n} x {status}" for status, n in sorted(model.statuses.items())))
    print("steps: " + ", ".join(f"{n} {name}" for name, n in sorted(model.counts.items())))
    print(f"{sum(model.statuses.values())} requests, {1 if problem else 0} findings, seed {options.seed}")
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "requests": sum(model.statuses.values()),
                                            "statuses": model.statuses, "steps": model.counts,
                                            "finding": problem}) + "\n")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
