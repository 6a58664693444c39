"""Homes for the scripts of this folder, and their declarations."""
import datetime
import json

PROBE = {"path": "/p", "method": "GET", "acceptStatuses": [200], "gateStatuses": [404, 503],
         "period": "1s", "timeout": "900ms", "failureThreshold": 2, "successThreshold": 1,
         "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/c", "method": "GET", "format": "Report", "samples": 3, "quorum": 1,
            "period": "1s", "timeout": "900ms", "maxAge": "20s"}


def declared(name, homes, probe=None, capacity=None):
    """`homes`: {cluster: endpoint}. None leaves an observation off; a dict changes its policy."""
    made = {"namespace": "hostile", "name": name, "ownerUID": f"uid-{name}",
            "homes": [{"cluster": cluster, "endpoint": endpoint}
                      for cluster, endpoint in homes.items()]}
    if probe is not None:
        made["probe"] = {**PROBE, **probe}
    if capacity is not None:
        made["capacity"] = {**CAPACITY, **capacity}
    return made


def readings(observer):
    """{(service, cluster): reading}"""
    return {(service["name"], home["cluster"]): home
            for service in observer.services() for home in service["homes"]}


def report(servable=4):
    now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(milliseconds=20)
    return json.dumps({"servable": servable,
                       "observedAt": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}).encode()


def answer(body=b"", status="200 OK", fields=""):
    return (f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n").encode() + body
