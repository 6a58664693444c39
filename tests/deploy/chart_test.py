#!/usr/bin/env python3
"""The Helm chart: the configuration that it renders, against the chart cases, and its words.

Usage: tests/deploy/chart_test.py [WORD...]   only tests whose name contains a word

    tests/deploy/chart_test.py
    OME_HELM=/usr/local/bin/helm tests/deploy/chart_test.py Cases

Needs Helm (tools/helm) and PyYAML; the cases about a start need our programs as well. What is missing
is skipped by name, or fails with OME_DEPLOY=required. Exit code 1: a test failed."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import kit
from chart import CHART, ROUTED, VALID, checksum, configuration, only, render, rendered
from program_scripts import end, fetch, free_port

CASES = [case for case in json.loads((kit.ROOT / "tests/cases/publisher-cli.json").read_text())
         if case["group"] == "chart_values"]
INVALID = 78  # exit code of a configuration that cannot be used


def set_path(values, path, value):
    *folders, last = path.split(".")
    for folder in folders:
        values = values.setdefault(folder, {})
    values[last] = value


def values_of(case):
    """The chart's values for the shorthand of a case."""
    values = {}
    for key, value in case["input"].items():
        if key.startswith(("routing.", "endpoint.")):
            set_path(values, "ome.multicluster.config." + key, value)
        elif key in ("enabled", "role"):
            set_path(values, "ome.multicluster." + key, value)
        elif key.startswith("ome."):
            set_path(values, key, value)
        elif key not in ("values", "otherProbeFields", "otherCapacityFields"):
            raise AssertionError(f"a case with an unknown key {key}")
    for key, block in (("otherProbeFields", "probe"), ("otherCapacityFields", "capacity")):
        if key in case["input"]:
            members = values["ome"]["multicluster"]["config"]["routing"][block]
            members.update({name: value for name, value in VALID[block].items() if name not in members})
    return values


class Starts:
    """The controller with a configuration, on an empty folder."""

    def __init__(self, text):
        self.folder = tempfile.TemporaryDirectory(prefix="ome-chart-")
        self.file = pathlib.Path(self.folder.name, "multicluster")
        self.file.write_text(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def complaint(self):
        """What it ends with; empty: it starts."""
        port = free_port()
        store = pathlib.Path(self.folder.name, "store")
        store.mkdir()
        with open(self.file.with_name("log"), "w+", encoding="utf-8") as log:
            process = subprocess.Popen([kit.trafficmap(), "run", f"--store=dir:{store}", f"--config={self.file}",
                                        f"--listen=127.0.0.1:{port}"], stdout=log, stderr=log)
            try:
                kit.until(lambda: process.poll() is not None or self.lives(port))
            finally:
                end(process)
            log.seek(0)
            return log.read() if process.returncode == INVALID else ""

    @staticmethod
    def lives(port):
        try:
            return fetch(f"http://127.0.0.1:{port}/livez")
        except OSError:
            return ""


class Cases(unittest.TestCase):
    """Every chart case; what a group of them has in common is said once."""

    def judged(self, wanted):
        found = [case for case in CASES if wanted(case["expect"])]
        self.assertTrue(found, "no case of this kind: were they renamed?")
        return found

    def test_defaults(self):
        for case in self.judged(lambda expect: any(key.startswith("multicluster.") for key in expect)):
            with self.subTest(case["name"]):
                made = configuration(rendered(values_of(case)))
                for key, value in case["expect"].items():
                    if key == "absentKeys":
                        for name in value:
                            self.assertNotIn(name, made["routing"])
                    else:
                        self.assertEqual(made[key.removeprefix("multicluster.")], value)

    def test_what_cannot_be_rendered(self):
        for case in self.judged(lambda expect: expect.get("templateFails")):
            with self.subTest(case["name"]):
                things, trouble = render(values_of(case))
                self.assertEqual(things, [])
                self.assertIn(case["expect"]["messageContains"], trouble)

    def test_changed_limits_replace_the_pods(self):
        for case in self.judged(lambda expect: "annotation checksum/config" in expect):
            with self.subTest(case["name"]):
                self.assertNotEqual(checksum(values_of(case)), checksum({}))

    def test_what_is_rendered_starts_or_says_why_not(self):
        kit.trafficmap()
        for case in self.judged(lambda expect: "managerStarts" in expect and "renderedJSONValid" not in expect):
            with self.subTest(case["name"]):
                text = only(rendered(values_of(case)), "ConfigMap")["data"]["multicluster"]
                with Starts(text) as start:
                    complaint = start.complaint()
                if case["expect"]["managerStarts"]:
                    self.assertEqual(complaint, "")
                else:
                    self.assertIn(case["expect"]["error"], complaint)

    def test_a_quote_in_the_template_stays_a_quote(self):
        # Otherwise than OME's chart on purpose: that one copies it unescaped, and its manager ends.
        for case in self.judged(lambda expect: "renderedJSONValid" in expect):
            with self.subTest(case["name"]):
                made = configuration(rendered(values_of(case)))
                self.assertEqual(made["endpoint"]["globalHostTemplate"], case["input"]["endpoint.globalHostTemplate"])

    def test_rights_on_a_workload_cluster(self):
        for case in self.judged(lambda expect: "clusterRole" in expect):
            with self.subTest(case["name"]):
                role = only(rendered(values_of(case)), "ClusterRole", case["expect"]["clusterRole"])
                group = "gateway.networking.k8s.io"
                self.assertIn({"apiGroups": [group], **case["expect"][group]}, role["rules"])

    def test_every_case_is_judged(self):
        known = ("templateFails", "annotation checksum/config", "managerStarts", "clusterRole", "absentKeys",
                 "multicluster.endpoint")
        for case in CASES:
            self.assertTrue(any(key in case["expect"] for key in known), case["name"])


class Configuration(unittest.TestCase):
    def test_old_values_files_say_none_with_a_list(self):
        values = {"ome": {"multicluster": {"config": {"routing": {"publisher": [], "probe": [], "capacity": []}}}}}
        self.assertEqual(configuration(rendered(values)), configuration(rendered()))

    def test_null_is_none(self):
        values = {"ome": {"multicluster": {"config": {"routing": {"publisher": None, "probe": None}}}}}
        self.assertEqual(configuration(rendered(values)), configuration(rendered()))

    def test_policies_come_through_whole(self):
        values = {"ome": {"multicluster": {"config": {"routing": VALID}}}}
        routing = configuration(rendered(values))["routing"]
        self.assertEqual(routing["probe"], VALID["probe"])
        self.assertEqual(routing["capacity"], {**VALID["capacity"], "options": {}})

    def test_what_only_ome_knows_passes(self):
        values = {"ome": {"multicluster": {"placementControlPlaneID": "x", "execCredentials": {"enabled": True},
                                           "config": {"placement": {"someInterval": "30s"}}}}}
        self.assertEqual(configuration(rendered(values))["placement"], {"someInterval": "30s"})

    def test_numbers_stay_whole(self):
        values = {"ome": {"multicluster": {"config": {"routing": {"observer": {"maxResponseBytes": 16777216}}}}}}
        text = only(rendered(values), "ConfigMap")["data"]["multicluster"]
        self.assertIn('"maxResponseBytes": 16777216', text)

    def test_the_schema_leaves_words_to_the_programs_and_finds_slips_in_the_rest(self):
        for values, said in (({"replica": 2}, "replica"), ({"image": {"digest": "latest"}}, "digest"),
                             ({"observer": {"logLevel": "verbose"}}, "logLevel"),
                             ({"ome": {"multicluster": {"enabled": "yes"}}}, "enabled")):
            with self.subTest(said):
                things, trouble = render(values)
                self.assertEqual(things, [])
                self.assertIn(said, trouble)

    def test_both_programs_take_what_is_rendered(self):
        with Starts(only(rendered(ROUTED), "ConfigMap")["data"]["multicluster"]) as start:
            self.assertEqual(start.complaint(), "")
            code, out, err = kit.run(kit.observer(), "serve", "--config", start.file, "--print-config")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"max-samples\s+100\b")


def paths(values, path=""):
    for name, value in values.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, dict) and value:
            yield from paths(value, here)
        else:
            yield here


class Words(unittest.TestCase):
    def test_lint(self):
        for values in ({}, ROUTED):
            code, out, err = kit.run(kit.helm(), "lint", "--strict", CHART, "-f", "-", text=json.dumps(values))
            self.assertEqual(code, 0, out + err)

    def test_every_value_is_in_the_readme_and_in_the_schema(self):
        values = kit.yaml().safe_load((CHART / "values.yaml").read_text())
        table = set(re.findall(r"^\| `([^`]+)` \|", (CHART / "README.md").read_text(), re.MULTILINE))
        schema = json.loads((CHART / "values.schema.json").read_text())
        for path in paths(values):
            above = [path.rsplit(".", times)[0] for times in range(path.count("."))]
            self.assertTrue(table & {path, *above}, f"{path} is not in the table")
            self.assertTrue(self.knows(schema, path), path)
        for path in table - {"ome.multicluster.config", "ome.multicluster.config.routing.observer"}:
            self.assertTrue(any(known == path or known.startswith(path + ".") for known in paths(values)), path)

    def knows(self, schema, path):
        for name in path.split("."):
            if name in schema.get("properties", {}):
                schema = schema["properties"][name]
            else:
                return isinstance(schema.get("additionalProperties", {}), dict)
        return True

    def test_the_example_of_the_readme_starts(self):
        text = (CHART / "README.md").read_text().split("## A fleet of some size")[1].split("\n## ")[0]
        values = kit.yaml().safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
        things = rendered(values)
        only(things, "ServiceMonitor")
        with Starts(only(things, "ConfigMap")["data"]["multicluster"]) as start:
            self.assertEqual(start.complaint(), "")
            code, out, err = kit.run(kit.trafficmap(), "check", "-", text=json.dumps(values))
        self.assertEqual(code, 0, out + err)

    def test_notes_say_whether_routing_is_on(self):
        off, on = self.notes({}), self.notes({**ROUTED, "image": {"repository": "r/x"}})
        self.assertIn("Routing is OFF", off)
        self.assertIn("WARNING: image.repository", off)
        self.assertIn("Routing is on", on)
        self.assertNotIn("WARNING", on)

    def notes(self, values):
        """Helm prints them only where it installs something: a manifest of a copy has them instead."""
        with tempfile.TemporaryDirectory(prefix="ome-chart-") as folder:
            copy = shutil.copytree(CHART, pathlib.Path(folder, "chart"))
            (copy / "templates/notes.yaml").write_text(
                'kind: Notes\ntext: {{ include "ome-observer.notes" . | toJson }}\n')
            code, out, err = kit.run(kit.helm(), "template", "ome-observer", copy, "-f", "-", "--show-only",
                                     "templates/notes.yaml", text=json.dumps(values))
        self.assertEqual(code, 0, err)
        return kit.yaml().safe_load(out)["text"]


if __name__ == "__main__":
    kit.main(__doc__)
