#!/usr/bin/env python3
"""The chart against a real Kubernetes API server: installed as a dry run, and what it says when it is not let in.

Usage: tests/deploy/chart_server_test.py [WORD...]   only tests whose name contains a word

    tools/kube-tools && ninja -C build tests/kube/kube_servers && OME_KUBE=required tests/deploy/chart_server_test.py

Needs Helm (tools/helm) and the Kubernetes servers (tools/kube-tools): without them it is skipped, or fails with
OME_KUBE=required. Exit code 1: a test failed; 77: there are no servers."""
import json
import pathlib
import unittest

import kit
from kube_scripts import KubeServers

CHART = kit.DEPLOY / "chart"
ALL = {"image": {"repository": "registry.example.com/x"}, "controller": {"namespaces": ["chat"]},
       "ome": {"multicluster": {"enabled": True, "role": "control-plane",
                                "config": {"routing": {"enabled": True}}},
               "multiclusterAccess": {"enabled": True, "subjects": [
                   {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "controllers"}]}},
       "dashboards": {"enabled": True}}


class OnAServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = kit.helm()
        cls.servers = KubeServers()
        cls.addClassCleanup(cls.servers.stop)
        cls.servers.kubectl("apply", "-f", str(kit.DEPLOY / "examples/kubernetes/00-namespace.yaml"))
        cls.servers.kubectl("create", "namespace", "chat")
        # With -n, kubectl takes no object that names another namespace, as the controller's roles in its
        # own namespaces do.
        cls.servers.kubectl("config", "set-context", "--current", "--namespace=ome-observer")

    def helm(self, *words, values=None):
        return kit.run(self.program, *words, "-n", "ome-observer", "--kubeconfig", self.servers.kubeconfig, "-f", "-",
                       text=json.dumps(values or {}), timeout=120)

    def test_the_server_takes_everything(self):
        for values in ({}, ALL):
            code, out, err = self.helm("install", "ome-observer", CHART, "--dry-run=server", values=values)
            self.assertEqual(code, 0, err)
            self.assertIn("NOTES:", out)
            manifest = pathlib.Path(self.servers.folder, "chart.yaml")
            code, out, err = self.helm("template", "ome-observer", CHART, values=values)
            self.assertEqual(code, 0, err)
            manifest.write_text(out)
            # Strict: a field that the server does not know is an error, and the pod security of the
            # namespace warns of what it would refuse.
            code, out, err = kit.run(self.servers.program, f"--kubeconfig={self.servers.kubeconfig}", "apply",
                                     "--dry-run=server", "--validate=strict", "-f", manifest)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("deployment.apps/ome-trafficmap created (server dry run)", out)

    def test_installed_and_changed_and_taken_away(self):
        code, _, err = self.helm("install", "ome-observer", CHART)
        self.assertEqual(code, 0, err)
        before = self.deployment()
        code, _, err = self.helm("upgrade", "ome-observer", CHART, values=ALL)
        self.assertEqual(code, 0, err)
        annotation = "checksum/config"
        self.assertEqual(self.deployment()["metadata"]["annotations"][annotation],
                         before["metadata"]["annotations"][annotation])
        code, _, err = kit.run(self.program, "uninstall", "ome-observer", "-n", "ome-observer", "--kubeconfig",
                               self.servers.kubeconfig, timeout=120)
        self.assertEqual(code, 0, err)
        left = self.servers.kubectl("-n", "ome-observer", "get", "deployments,roles,rolebindings,networkpolicies",
                                    "-o", "name")
        self.assertEqual(left, "")

    def deployment(self):
        told = self.servers.kubectl("-n", "ome-observer", "get", "deployment", "ome-trafficmap", "-o", "json")
        return json.loads(told)["spec"]["template"]


if __name__ == "__main__":
    kit.main(__doc__)
