#!/usr/bin/env python3
"""Alert rules, dashboards and runbook: against each other, the sources, and a Prometheus that scrapes the programs.

Usage: tests/deploy/monitoring_test.py [WORD...]   only tests whose name contains a word

    tests/deploy/monitoring_test.py
    tests/deploy/monitoring_test.py Runbook

Needs promtool and prometheus (tools/setup deploy) and our programs. What is missing is skipped by name,
or fails with OME_DEPLOY=required. Exit code 1: a test failed."""
import json
import os
import pathlib
import re
import sys
import unittest

import exported
import kit
import world
from program_scripts import end

RULES = kit.DEPLOY / "prometheus/rules.yaml"
RULES_TEST = kit.DEPLOY / "prometheus/rules_test.yaml"
RUNBOOK = kit.ROOT / "docs/runbook.md"
# Exported in states that one process without an API server does not reach; their labels stand in the sources.
NOT_HERE = {"ome_trafficmap_lease_holder", "ome_trafficmap_lease_renewed_timestamp_seconds",
            "ome_trafficmap_lease_transitions", "ome_trafficmap_missing_right", "ome_trafficmap_dry_run_writes_total"}


def rules():
    return [rule for group in kit.yaml().safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def alerts():
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def dashboards():
    return {path.stem: json.loads(path.read_text()) for path in sorted((kit.DEPLOY / "grafana").glob("ome-*.json"))}


def panel_expressions():
    """[(where, expression)]"""
    return [(f"{name}: {panel['title']}", target["expr"]) for name, board in dashboards().items()
            for panel in board["panels"] for target in panel.get("targets", [])]


def expressions():
    queries = [(f"{name}: variable {variable['name']}", variable["query"]) for name, board in dashboards().items()
               for variable in board["templating"]["list"] if variable["type"] == "query"]
    return [(rule.get("alert", rule.get("record")), rule["expr"]) for rule in rules()] + panel_expressions() + queries


def family(name, known):
    return name if name in known else exported.SUFFIX.sub("", name)


class Rules(unittest.TestCase):
    def test_promtool_takes_them(self):
        for command, path in (("check", RULES), ("test", RULES_TEST)):
            # Each of its cases has a database of its own, which a busy disk is slow to sync.
            folder = {"TMPDIR": "/dev/shm"} if pathlib.Path("/dev/shm").is_dir() else {}
            code, out, err = kit.run(kit.tool("promtool"), command, "rules", path, env={**os.environ, **folder})
            self.assertEqual(code, 0, out + err)

    def test_the_configuration_is_valid(self):
        code, out, err = kit.run(kit.tool("promtool"), "check", "config", kit.DEPLOY / "prometheus/prometheus.yaml")
        self.assertEqual(code, 0, out + err)

    def test_each_alert_is_tried_with_a_series_that_fires_it_and_one_that_does_not(self):
        loud, quiet = set(), set()
        for case in kit.yaml().safe_load(RULES_TEST.read_text())["tests"]:
            for one in case.get("promql_expr_test", []):
                name = re.search(r'ALERTS{alertname="(\w+)"', one["expr"])
                if name and case["input_series"]:
                    (loud if one["exp_samples"] else quiet).add(name[1])
        self.assertEqual(loud, set(alerts()))
        self.assertEqual(quiet, set(alerts()))

    def test_each_says_what_a_pager_needs(self):
        for name, rule in alerts().items():
            self.assertIn(rule["labels"]["severity"], ("warning", "critical"), name)
            self.assertEqual(set(rule["annotations"]), {"summary", "description", "runbook_url"}, name)
            self.assertIn("for", rule, name)


class Names(unittest.TestCase):
    """What panels and alerts ask for is in the sources; `Live` looks at the labels."""

    def test_every_metric_is_exported(self):
        known = exported.told_in_sources()
        recorded = {rule["record"] for rule in rules() if "record" in rule}
        asked = 0
        for where, expression in expressions():
            for name, _ in exported.named(expression):
                asked += 1
                self.assertIn(family(name, known), set(known) | recorded, where)
        self.assertGreater(asked, 80)

    def test_every_metric_is_shown_or_known_to_be_left_out(self):
        """A new metric is to be put on a dashboard, or here."""
        known = exported.told_in_sources()
        shown = {family(name, known) for _, expression in expressions() for name, _ in exported.named(expression)}
        self.assertEqual(set(known) - shown, {
            "ome_observer_services", "ome_observer_idle_connections", "ome_observer_recorded_attempts_total",
            "ome_trafficmap_services", "ome_trafficmap_maps", "ome_trafficmap_passes_total",
            "ome_trafficmap_turn_seconds", "ome_trafficmap_writes_in_flight", "ome_trafficmap_readings_total",
            "ome_trafficmap_undeclared", "ome_trafficmap_unusable_files", "ome_trafficmap_dry_run_writes_total",
            "ome_trafficmap_observer_syncs_total", "ome_trafficmap_observer_declarations_total",
            "process_start_time_seconds", "process_threads", "process_virtual_memory_bytes"})

    def test_alerts_that_panels_speak_of_exist(self):
        spoken = {name for board in dashboards().values() for panel in board["panels"]
                  for name in re.findall(r"\bOme[A-Z]\w+", panel.get("description", ""))}
        self.assertLessEqual(spoken, set(alerts()))

    def test_files_that_are_made_are_up_to_date(self):
        code, _, err = kit.run(sys.executable, kit.DEPLOY / "grafana/generate", "--check")
        self.assertEqual(code, 0, err)

    def test_panels_do_not_lie_on_each_other(self):
        for name, board in dashboards().items():
            taken = set()
            for panel in board["panels"]:
                place = panel["gridPos"]
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(cells & taken, f"{name}: {panel['title']}")
                self.assertLessEqual(place["x"] + place["w"], 24)
                taken |= cells


class Runbook(unittest.TestCase):
    def sections(self):
        parts = re.split(r"^## ", RUNBOOK.read_text(), flags=re.MULTILINE)[1:]
        return {part.split("\n", 1)[0]: part for part in parts}

    def test_each_alert_has_a_section_and_links_to_it(self):
        sections = self.sections()
        for name, rule in alerts().items():
            self.assertIn(name, sections)
            self.assertEqual(rule["annotations"]["runbook_url"], f"docs/runbook.md#{name.lower()}")
        self.assertEqual({name for name in sections if name.startswith("Ome")}, set(alerts()))

    def test_each_section_says_what_to_do(self):
        for name, text in self.sections().items():
            if name.startswith("Ome"):
                for part in ("**Means.**", "**First.**", "**Fix.**"):
                    self.assertIn(part, text, name)
                self.assertRegex(text, r"(?m)^```sh\n\S", f"{name}: no command")

    def test_its_words_are_those_of_the_programs(self):
        """Metrics, alerts, files, and the flags and commands of our programs."""
        text = RUNBOOK.read_text()
        known = exported.told_in_sources()
        for name in re.findall(r"\bome_(?:observer|trafficmap)_\w+", text):
            self.assertIn(family(name, known), known)
        self.assertLessEqual(set(re.findall(r"\bOme[A-Z]\w+", text)), set(alerts()))
        for path in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            self.assertTrue((RUNBOOK.parent / path).exists(), path)
        said = re.findall(r"-- (ome-observer|ome-trafficmap) ([a-z]+)", text)
        self.assertTrue(said)
        for program, words in said:
            binary = kit.observer() if program == "ome-observer" else kit.trafficmap()
            code, _, err = kit.run(binary, words.split()[0], "--help")
            self.assertEqual(code, 0, f"{program} {words}: {err}")


class Live(unittest.TestCase):
    """The programs, a Prometheus, and what it makes of them."""

    @classmethod
    def setUpClass(cls):
        cls.programs = cls.prometheus = None
        kit.tool("prometheus")
        cls.programs = world.Programs()
        cls.addClassCleanup(cls.programs.stop)
        kit.until(cls.programs.settled)
        cls.prometheus = world.Prometheus({7460: cls.programs.observer.port, 7470: cls.programs.port})
        cls.addClassCleanup(cls.prometheus.stop)

    def exported(self):
        found = {}
        for text in self.programs.metrics().values():
            found.update(exported.samples(text))
        return found

    def test_1_labels_that_are_asked_for_are_exported(self):
        here, told = self.exported(), exported.told_in_sources()
        self.assertEqual(set(told) - set(here), NOT_HERE)
        self.assertEqual(set(here) - set(told), set())
        labels = {**told, **here, "probe_ssl_earliest_cert_expiry": here["ome_observer_home_gated"]}
        for where, expression in expressions():
            asked = exported.named(expression)
            for name, wanted in asked:
                there = labels[family(name, labels)] | exported.OF_A_TARGET
                there |= {"le"} if name.endswith("_bucket") else set()
                self.assertLessEqual(wanted, there, f"{where}: {name}")

    def test_2_rules_are_evaluated_and_the_right_ones_fire(self):
        expected = {"OmeHomesGated", "OmeHomesFallBack", "OmeMapFrozen", "OmeMapsUnpublished", "OmeReporterClockOff"}
        kit.until(lambda: expected <= set(self.prometheus.firing()))
        firing = self.prometheus.firing()
        self.assertEqual(set(firing), expected)
        self.assertEqual(firing["OmeHomesGated"]["annotations"]["summary"], "Gated homes: 1")
        frozen = firing["OmeMapFrozen"]["labels"]
        self.assertEqual((frozen["namespace"], frozen["trafficmap"]), ("chat", "broken"))
        self.assertEqual(firing["OmeHomesGated"]["labels"]["namespace"], "ome-observer")
        told = self.prometheus.ask("rules")
        for group in told["groups"]:
            for rule in group["rules"]:
                self.assertEqual(rule["health"], "ok", rule)

    def test_3_every_panel_has_an_answer(self):
        here = self.exported()
        for where, expression in panel_expressions():
            query = expression.replace("$__rate_interval", "30s")
            query = query.replace("$namespace", "chat").replace("$service", "llama")
            metrics = {family(name, here) for name, _ in exported.named(expression)}
            may_be_empty = metrics & NOT_HERE or re.search(r"[=>] ?[01]\b", expression) or "frozen" in expression

            def answer(query=query):
                """the answer to a panel's query"""
                return (self.prometheus.ask("query", query=query) or {}).get("result")
            with self.subTest(where):
                if may_be_empty:
                    self.prometheus.ask("query", query=query)
                else:
                    kit.until(answer, 30)

    def runnable(self, command):
        """As it runs here, without pods; None for what only kubectl can answer."""
        inside = re.search(r" -- (ome-(?:observer|trafficmap) .*)", command)
        if inside:
            command = command.split("kubectl")[0] + inside[1] if "|" not in command else None
        if command is None or not re.match(r"(ome-|curl -s localhost|kubectl ome )", command):
            return None
        ours = {"ome-observer": kit.observer(), "ome-trafficmap": kit.trafficmap()}
        for name, binary in ours.items():
            command = re.sub(rf"^{name}\b", binary, command)
        if command.startswith("kubectl ome "):
            command = command.replace("kubectl ome", kit.kubectl_ome())
            command += f" --store dir:{self.programs.path('store')}"
        if " status" in command and "curl" not in command:
            command += f" --url {self.programs.observer.address}"
        if "drain-cluster" in command:
            command = command.replace(" --wait", "") + " --dry-run=client"
        for word, here in (("localhost:7460", f"127.0.0.1:{self.programs.observer.port}"),
                           ("localhost:7470", f"127.0.0.1:{self.programs.port}"),
                           ("SERVICE", "qwen"), ("NAMESPACE", "chat"), ("CLUSTER", "worker-b")):
            command = command.replace(word, here)
        return command

    def test_3_the_commands_of_the_runbook_work(self):
        kit.tool("jq")
        tried = set()
        blocks = re.findall(r"^```sh\n(.*?)^```", RUNBOOK.read_text(), re.MULTILINE | re.DOTALL)
        for line in "".join(blocks).splitlines():
            command = self.runnable(line)
            if command and command not in tried:
                tried.add(command)
                with self.subTest(line):
                    code, out, err = kit.run("bash", "-o", "pipefail", "-c", command)
                    self.assertEqual(code, 0, f"{command}\n{out}{err}")
                    self.assertTrue(out.strip(), command)
                    if "notAfter" in command:
                        self.assertRegex(out, r"chat/llama worker-a 20\d\d-")
        self.assertGreaterEqual(len(tried), 7)

    def test_4_an_observer_that_ends_is_noticed(self):
        end(self.programs.observer.process)
        kit.until(lambda: {"OmeObserverAway", "OmeObserverNotScraped"} <= set(self.prometheus.firing()))

    def test_5_a_controller_that_ends_is_noticed(self):
        self.programs.parts[-1]()
        kit.until(lambda: "OmeNoLeader" in self.prometheus.firing())


if __name__ == "__main__":
    kit.main(__doc__)
