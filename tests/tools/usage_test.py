#!/usr/bin/env python3
"""Exit codes of scripts and programs: 0 ok, 1 failure, 2 wrong usage, 78 bad configuration.

Usage: tests/tools/usage_test.py FOLDER

FOLDER has the programs: FOLDER/src/observer/ome-observer and so on. Exit code 1: a test failed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds
BUILD = ROOT / "build"

# Others are no commands of their own (lib.sh is sourced), or take no arguments (commit).
NO_COMMANDS = {"tools/commit", "tools/demo_record.sh", "tools/lib.sh", "tools/test_names.py"}
MORE_SCRIPTS = [
    ".ci/run", "deploy/grafana/generate", "tests/bench/controller", "tests/bench/kube_scale",
    "tests/bench/lateness_pairs", "tests/deploy/image_build", "tests/docs/reference", "tests/docs/run", "tests/field/run",
    "tests/fuzz/api_fuzz.py", "tests/fuzz/api_model.py", "tests/fuzz/run_targets.py",
    "tests/integration/faults/fault_matrix", "tests/integration/hostile/hardening",
    "tests/integration/hostile/hostile_clients", "tests/integration/hostile/hostile_homes",
    "tests/integration/netns/run", "tests/integration/process_rounds/rounds.py", "tests/integration/resources/run",
    "tests/kube/fault_rounds/run", "tests/kube/teardown_rounds/rounds.py", "tests/soak/churn", "tests/soak/soak",
    "web/build", "web/screenshots",
]

CONFIGURATION = """{"routing": {"enabled": true, "capacity": {"path": "/c", "quorum": 2, "maxAge": "10s"}}}"""


def scripts():
    own = [f"tools/{path.name}" for path in sorted((ROOT / "tools").iterdir()) if path.is_file()]
    return [name for name in own if name not in NO_COMMANDS] + MORE_SCRIPTS


def run(*words):
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    return done.returncode, done.stdout, done.stderr


class Scripts(unittest.TestCase):
    """Called as people do, from the root: a script that changes its folder must still find itself."""

    def test_help_is_an_answer(self):
        for name in scripts():
            with self.subTest(name):
                code, out, _ = run(name, "--help")
                self.assertEqual(code, 0)
                self.assertIn("sage:", out)

    def test_an_unknown_flag_is_wrong_usage_and_said_on_standard_error(self):
        for name in scripts():
            with self.subTest(name):
                code, out, err = run(name, "--no-such-flag")
                self.assertEqual((code, out), (2, ""))
                self.assertNotIn("Traceback", err)
                self.assertTrue(err)


class Programs(unittest.TestCase):
    """kubectl-ome has the codes of OME's plugin: 1 for what cannot be done, wrong usage included."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ome-usage-")
        self.addCleanup(folder.cleanup)
        self.bad = str(pathlib.Path(folder.name, "bad.json"))
        pathlib.Path(self.bad).write_text(CONFIGURATION, encoding="utf-8")
        self.good = str(ROOT / "deploy/examples/multicluster.json")
        self.store = f"dir:{folder.name}/store"

    def ends(self, code, place, *words):
        with self.subTest(" ".join([place, *words])):
            told, out, err = run(BUILD / place, *words)
            self.assertEqual(told, code, err)
            self.assertTrue(out if code == 0 else err or out)
            return err

    def test_observer(self):
        it = "src/observer/ome-observer"
        for command in ("serve", "status", "replay", "check", "bundle"):
            self.ends(0, it, command, "--help")
            self.ends(2, it, command, "--no-such-flag")
        self.ends(0, it, "--help")
        for words in ([], ["--no-such-flag"], ["no-such-command"], ["status", "--url", "foo"],
                      ["status", "--output", "xml"], ["status", "--watch", "--interval", "soon"],
                      ["serve", "one", "word"], ["serve", "--output", "json"], ["check"],
                      ["check", "-", "-"], ["replay", "--confirm", "x"], ["bundle", "--url", "foo"]):
            self.ends(2, it, *words)
        for words in (["status", "--url", "http://127.0.0.1:1"], ["check", "/nonexistent"],
                      ["bundle", "--url", "http://127.0.0.1:1", "-o", "/nonexistent/x"], ["replay", "/nonexistent"]):
            self.ends(1, it, *words)
        for words in (["check", self.bad], ["serve", "--config", self.bad], ["serve", "--services", self.bad, "--listen", "127.0.0.1:0"],
                      ["serve", "--config", self.bad, "--print-config"], ["serve", "--listen", "nowhere"],
                      ["serve", "--max-samples", "many"],
                      ["replay", "--policy", self.bad, "/dev/null"]):
            self.ends(78, it, *words)

    def test_controller(self):
        it = "src/controller/ome-trafficmap"
        for command in ("run", "render", "check", "diff"):
            self.ends(0, it, command, "--help")
            self.ends(2, it, command, "--no-such-flag")
        self.ends(0, it, "--help")
        for words in ([], ["--no-such-flag"], ["no-such-command"], ["diff", "--url", "foo"], ["diff", "-o", "xml"],
                      ["render"], ["render", "--isvc", self.bad, "--now", "soon"],
                      ["run", "one", "word"], ["check"]):
            self.ends(2, it, *words)
        for words in (["diff", "--url", "http://127.0.0.1:1"], ["render", "--isvc", "/nonexistent"],
                      ["check", "/nonexistent"]):
            self.ends(1, it, *words)
        for words in (["check", self.bad], ["run", "--store", self.store, "--config", self.bad],
                      ["run", "--store", "no"],
                      ["run", "--store", self.store, "--config", self.good, "--listen", "nowhere"],
                      ["render", "--isvc", "/dev/null", "--config", self.bad]):
            self.ends(78, it, *words)

    def test_plugin(self):
        it = "src/kubectl/kubectl-ome"
        self.ends(0, it, "--help")
        for words in (["get"], ["placement", "endpoint"], ["traffic", "why"], ["traffic", "top"], ["traffic", "watch"],
                      ["traffic", "drain"], ["traffic", "undrain"], ["traffic", "drain-cluster"],
                      ["traffic", "undrain-cluster"], ["completion"]):
            self.ends(0, it, *words, "--help")
            self.ends(1, it, *words, "--no-such-flag")
        for words in ([], ["--no-such-flag"], ["no-such-command"], ["get", "tm", "-o", "xml"],
                      ["get", "tm", "--store", "no"], ["get", "tm", "-n", "A", "--store", self.store],
                      ["get", "tm", "--store", self.store], ["completion", "cmd"],
                      ["traffic", "why", "x", "--store", self.store, "--config", self.bad]):
            self.ends(1, it, *words)

    def test_simulator(self):
        it = "tools/homesim/ome-homesim"
        self.ends(0, it, "--help")
        self.ends(0, it, "--list")
        for words in ([], ["--no-such-flag"], ["x"], ["--homes", "many"], ["--homes", "1", "--port", "70000"]):
            self.ends(2, it, *words)
        self.ends(1, it, "--homes", "1", "--script", "/nonexistent")
        self.ends(78, it, "--homes", "1", "--script", self.bad)

    def test_what_a_full_disk_cuts_off_is_a_failure_that_is_told(self):
        observer, controller = "src/observer/ome-observer", "src/controller/ome-trafficmap"
        homesim = "tools/homesim/ome-homesim"
        for place, *words in ([observer, "--help"], [observer, "--version"], [observer, "status", "--help"],
                              [observer, "serve", "--print-config"], [observer, "check", self.good],
                              [controller, "--help"], [controller, "--version"], [controller, "render", "--help"],
                              [controller, "run", "--store", "kube", "--print-config"], [controller, "check", self.good],
                              [homesim, "--help"], [homesim, "--version"], [homesim, "--list"],
                              [homesim, "--homes", "1", "--port", "7490", "--print-services"]):
            with self.subTest(" ".join([place, *words])), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([BUILD / place, *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output: No space left on device", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
