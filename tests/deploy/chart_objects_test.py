#!/usr/bin/env python3
"""The Helm chart: its pods, rights and what is around them, against the manifests that are shipped.

Usage: tests/deploy/chart_objects_test.py [WORD...]   only tests whose name contains a word

    tests/deploy/chart_objects_test.py
    OME_HELM=/usr/local/bin/helm tests/deploy/chart_objects_test.py Rights

Needs Helm (tools/helm) and PyYAML, and our programs for their flags. What is missing is skipped by name, or
fails with OME_DEPLOY=required. Exit code 1: a test failed."""
import json
import re
import unittest

import kit
from chart import CHART, VALID, checksum, manifests, only, pod, rendered


class Pods(unittest.TestCase):
    def test_only_limits_replace_them(self):
        probe = {"ome": {"multicluster": {"config": {"routing": {"probe": VALID["probe"]}}}}}
        self.assertEqual(checksum(probe), checksum({}))
        period = {"ome": {"multicluster": {"config": {"routing": {"observer": {"minPeriod": "2s"}}}}}}
        self.assertNotEqual(checksum(period), checksum({}))

    def test_they_are_those_of_the_manifests(self):
        ours, theirs = pod(rendered())["spec"], pod(manifests())["spec"]
        for key in ("securityContext", "terminationGracePeriodSeconds", "automountServiceAccountToken", "affinity",
                    "volumes", "serviceAccountName"):
            self.assertEqual(ours[key], theirs[key], key)
        for group in ("initContainers", "containers"):
            for mine, other in zip(ours[group], theirs[group], strict=True):
                for key in set(other) - {"image", "args"}:
                    self.assertEqual(mine[key], other[key], f"{mine['name']} {key}")
                self.assertLessEqual(set(other["args"]), set(mine["args"]))

    def test_they_pass_the_restricted_standard(self):
        spec = pod(rendered())["spec"]
        self.assertTrue(spec["securityContext"]["runAsNonRoot"])
        self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        for container in spec["initContainers"] + spec["containers"]:
            context = container["securityContext"]
            self.assertFalse(context["allowPrivilegeEscalation"])
            self.assertTrue(context["readOnlyRootFilesystem"])
            self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
            self.assertIn("limits", container["resources"])
            for probe in ("livenessProbe", "readinessProbe"):
                self.assertIn(container[probe]["httpGet"]["path"], ("/livez", "/readyz"))
            self.assertEqual(container["livenessProbe"]["httpGet"]["path"], "/livez")
            self.assertEqual(container["readinessProbe"]["httpGet"]["path"], "/readyz")

    def test_the_programs_know_their_flags(self):
        values = {"observer": {"metricsPerHome": True}, "controller": {"namespaces": ["a", "b"]}}
        spec = pod(rendered(values))["spec"]
        for container, program, command in ((spec["initContainers"][0], kit.observer(), "serve"),
                                            (spec["containers"][0], kit.trafficmap(), "run")):
            _, out, _ = kit.run(program, command, "--help")
            for argument in container["args"]:
                self.assertIn(argument.split("=")[0] + " ", out.replace("=", " ").replace(",", " ") + " ", argument)

    def test_image(self):
        digest = "sha256:" + "0" * 64
        for image, expected in (({}, "registry.example.com/ome-observer:0.1.0"),
                                ({"repository": "r/x", "tag": "v2"}, "r/x:v2"),
                                ({"repository": "r/x", "tag": "v2", "digest": digest}, "r/x@" + digest)):
            spec = pod(rendered({"image": image}))["spec"]
            self.assertEqual({c["image"] for c in spec["initContainers"] + spec["containers"]}, {expected})

    def test_the_version_is_that_of_the_project(self):
        version = re.search(r"version: '([^']+)'", (kit.ROOT / "meson.build").read_text())[1]
        self.assertEqual(kit.yaml().safe_load((CHART / "Chart.yaml").read_text())["appVersion"], version)


def rights(things):
    """Of each role: its rules in one order."""
    return {(thing["kind"], thing["metadata"]["name"]):
            sorted(json.dumps(rule, sort_keys=True) for rule in thing["rules"])
            for thing in things if thing["kind"] in ("Role", "ClusterRole")}


def bindings(things):
    return {(thing["kind"], thing["metadata"].get("namespace"), thing["metadata"]["name"]):
            (thing["roleRef"], thing["subjects"])
            for thing in things if thing["kind"] in ("RoleBinding", "ClusterRoleBinding")}


class Rights(unittest.TestCase):
    def test_they_are_those_of_the_manifests(self):
        self.assertEqual(rights(rendered()), rights(manifests()))
        self.assertEqual(bindings(rendered()), bindings(manifests()))

    def test_without_a_publisher(self):
        names = {name for _, name in rights(rendered({"rbac": {"publisher": False}}))}
        self.assertEqual(names, {"ome-trafficmap"})

    def test_in_some_namespaces(self):
        values = {"controller": {"namespaces": ["chat", "code"]},
                  "ome": {"multicluster": {"config": {"endpoint": {"routeNamespace": "routes"}}}}}
        things = rendered(values)
        bound = {(kind, namespace, name) for kind, namespace, name in bindings(things)}
        self.assertEqual(bound, {
            ("RoleBinding", "chat", "ome-trafficmap"), ("RoleBinding", "code", "ome-trafficmap"),
            ("RoleBinding", "ome-observer", "ome-trafficmap"), ("RoleBinding", "chat", "ome-trafficmap-publisher"),
            ("RoleBinding", "code", "ome-trafficmap-publisher"),
            ("RoleBinding", "routes", "ome-trafficmap-publisher")})
        self.assertIn("--namespaces=chat,code", pod(things)["spec"]["containers"][0]["args"])

    def test_names_are_those_that_the_program_is_told(self):
        things = rendered({"fullnameOverride": "routing", "controller": {"existingConfigMap": "mine"}})
        role = only(things, "Role", "routing")
        named = {name for rule in role["rules"] for name in rule.get("resourceNames", [])}
        self.assertEqual(named, {"routing", "mine"})
        arguments = pod(things)["spec"]["containers"][0]["args"]
        self.assertIn("--lease-name=routing", arguments)
        self.assertIn("--config-map=mine", arguments)
        self.assertFalse([thing for thing in things if thing["kind"] == "ConfigMap"])


class Surroundings(unittest.TestCase):
    def test_they_are_those_of_the_manifests(self):
        ours, theirs = rendered(), manifests()
        for kind in ("PodDisruptionBudget", "NetworkPolicy", "Service"):
            self.assertEqual(only(ours, kind)["spec"], only(theirs, kind)["spec"], kind)

    def test_all_parts_can_be_left_out(self):
        off = {"podDisruptionBudget": {"enabled": False}, "networkPolicy": {"enabled": False},
               "rbac": {"create": False}, "serviceAccount": {"create": False, "name": "mine"}}
        things = rendered(off)
        self.assertEqual({thing["kind"] for thing in things}, {"ConfigMap", "Service", "Deployment"})
        self.assertEqual(pod(things)["spec"]["serviceAccountName"], "mine")

    def test_a_single_pod_can_be_moved(self):
        kinds = {thing["kind"] for thing in rendered({"replicas": 1})}
        self.assertNotIn("PodDisruptionBudget", kinds)

    def test_nobody_reads_metrics_when_no_namespace_is_named(self):
        policy = only(rendered({"networkPolicy": {"monitoringNamespaces": []}}), "NetworkPolicy")
        self.assertEqual(policy["spec"]["ingress"], [])

    def test_monitoring(self):
        things = rendered({"serviceMonitor": {"enabled": True}, "prometheusRule": {"enabled": True},
                           "dashboards": {"enabled": True}})
        ports = {port["name"] for port in only(things, "Service")["spec"]["ports"]}
        endpoints = only(things, "ServiceMonitor")["spec"]["endpoints"]
        self.assertEqual({endpoint["port"] for endpoint in endpoints}, ports)
        self.assertTrue(all(endpoint["honorLabels"] for endpoint in endpoints))
        rules = kit.yaml().safe_load((kit.DEPLOY / "prometheus/rules.yaml").read_text())
        self.assertEqual(only(things, "PrometheusRule")["spec"], rules)
        shipped = {path.name: json.loads(path.read_text()) for path in (kit.DEPLOY / "grafana").glob("*.json")}
        made = {name: json.loads(text) for thing in things if thing["kind"] == "ConfigMap"
                for name, text in thing["data"].items() if name.endswith(".json")}
        self.assertTrue(shipped)
        self.assertEqual(made, shipped)


if __name__ == "__main__":
    kit.main(__doc__)
