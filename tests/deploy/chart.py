"""The Helm chart as its tests look at it: what it renders, and the manifests that are shipped beside it."""
import json

import kit

CHART = kit.DEPLOY / "chart"
EXAMPLES = kit.DEPLOY / "examples/kubernetes"
ROUTED = {"ome": {"multicluster": {"enabled": True, "role": "control-plane",
                                   "config": {"routing": {"enabled": True}}}}}
VALID = {
    "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503], "period": "10s",
              "timeout": "3s", "failureThreshold": 3, "successThreshold": 2, "allFailedPolicy": "Drain"},
    "capacity": {"path": "/capacity", "method": "GET", "format": "Report", "period": "10s", "timeout": "3s",
                 "samples": 4, "quorum": 3, "maxAge": "40s"},
}


def render(values=None, *flags):
    """(the objects in their order, what Helm says when it renders none)"""
    code, out, err = kit.run(kit.helm(), "template", "ome-observer", CHART, "-n", "ome-observer", "-f", "-", *flags,
                             text=json.dumps(values or {}))
    if code != 0:
        return [], err
    return [thing for thing in kit.yaml().safe_load_all(out) if thing], ""


def rendered(values=None, *flags):
    things, trouble = render(values, *flags)
    if trouble:
        raise AssertionError(trouble)
    return things


def only(things, kind, name=None):
    found = [thing for thing in things if thing["kind"] == kind and name in (None, thing["metadata"]["name"])]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} of {kind} {name or ''}")
    return found[0]


def configuration(things):
    return json.loads(only(things, "ConfigMap")["data"]["multicluster"])


def pod(things):
    return only(things, "Deployment")["spec"]["template"]


def checksum(values):
    return pod(rendered(values))["metadata"]["annotations"]["checksum/config"]


def manifests():
    return [thing for path in sorted(EXAMPLES.glob("*.yaml"))
            for thing in kit.yaml().safe_load_all(path.read_text()) if thing]
