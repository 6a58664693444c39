"""What other programs print, read. Each function raises ValueError for what it cannot read."""
import re


def _find(pattern, text, of):
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"{of} said something else:\n{text[:500]}")
    return found


def wrk(text):
    """{"requests", "seconds", "errors"}: errors are those of sockets and statuses other than 2xx and 3xx."""
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}
    found = _find(r"(\d+) requests in ([\d.]+)(us|ms|s|m)\b", text, "wrk")
    errors = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    sockets = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    errors += sum(int(number) for number in sockets.groups()) if sockets else 0
    return {"requests": int(found[1]), "seconds": float(found[2]) * unit[found[3]], "errors": errors}


def h2load(text):
    """{"requests", "seconds", "errors"}"""
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}
    finished = _find(r"finished in ([\d.]+)(us|ms|s|m)\b", text, "h2load")
    found = _find(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", text, "h2load")
    return {"requests": int(found[1]), "seconds": float(finished[1]) * unit[finished[2]],
            "errors": sum(int(found[at]) for at in (3, 4, 5))}


def haproxy_servers(text):
    """How many servers of HAProxy's `show stat` are in each state: {"UP": 10000}."""
    lines = text.lstrip("# ").splitlines()
    if not lines or "svname" not in lines[0]:
        raise ValueError(f"HAProxy said something else:\n{text[:500]}")
    names = lines[0].split(",")
    states = {}
    for line in lines[1:]:
        row = dict(zip(names, line.split(",")))
        if row.get("svname") not in (None, "", "FRONTEND", "BACKEND"):
            state = row["status"].split(" ")[0]
            states[state] = states.get(state, 0) + 1
    return states


def prometheus(text):
    """{name with labels: value}; bucket labels stay in the name."""
    values = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            values[name] = float(value)
    return values


def total(values, name, **labels):
    """The sum of the series of that name that have these labels."""
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    return sum(value for series, value in values.items()
               if series.split("{")[0] == name and all(one in series for one in wanted))


def buckets(values, name):
    """{upper bound: cumulative count} of a histogram without other labels."""
    found = {}
    for series, value in values.items():
        bound = re.fullmatch(re.escape(name) + r'_bucket\{le="([^"]+)"\}', series)
        if bound:
            found[float(bound[1])] = value
    return found
