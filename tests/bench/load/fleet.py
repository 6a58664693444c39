"""Homes as the observer, the Go observer and HAProxy are told of them."""
import json


def by_address(index, port, path):
    """The URL of a home of `ome-homesim --by-address`; connections of two homes then never share a
    pool, whatever the client."""
    return f"http://{address(index)}:{port}{path}"


def address(index):
    return f"127.{1 + index // 62500}.{index // 250 % 250}.{1 + index % 250}"


def capacity(period, timeout, samples=4, quorum=2):
    return {"path": "/capacity", "method": "GET", "format": "Report", "samples": samples,
            "quorum": quorum, "period": period, "timeout": timeout, "maxAge": "300s"}


def probe(period, timeout):
    return {"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503],
            "period": period, "timeout": timeout, "failureThreshold": 3, "successThreshold": 2,
            "allFailedPolicy": "PreserveTraffic"}


def services(endpoints, per_service=10, **kinds):
    """Declarations of all endpoints; `kinds`: capacity and probe."""
    made = []
    for first in range(0, len(endpoints), per_service):
        homes = [{"cluster": f"home-{first + at}", "endpoint": endpoint}
                 for at, endpoint in enumerate(endpoints[first:first + per_service])]
        made.append({"namespace": "bench", "name": f"service-{first // per_service}",
                     "ownerUID": "bench", **kinds, "homes": homes})
    return made


def plain(count, port):
    """Endpoints of homes at addresses of their own."""
    return [by_address(index, port, "") for index in range(count)]


def below_paths(count, base):
    """Endpoints of homes at one address: where certificates are checked, they hold no more names."""
    return [f"{base}/h/home-{index}" for index in range(count)]


def declare(observer, declared):
    """All of them at once; RuntimeError when one was refused."""
    answer = observer.put_all(declared)
    if answer["rejected"] or answer["applied"] != len(declared):
        raise RuntimeError(f"the observer refused declarations: {json.dumps(answer)[:1000]}")


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines))
    return path
