#!/usr/bin/env python3
"""The status page: that its bundle is made of its sources, and what it does in a real browser.

Usage: tests/web/page_test.py [WORD...]   only tests whose name contains a word

    tests/web/page_test.py
    tests/web/page_test.py Drawer

Needs npm and Chromium (tools/setup deploy) and our programs. npm's modules go into the build folder
(OME_WEB_FOLDER). What is missing is skipped by name, or fails with OME_DEPLOY=required. Exit code 1: a test
failed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "deploy"))
import kit  # noqa: E402

WEB = kit.ROOT / "web"
FOLDER = pathlib.Path(os.environ.get("OME_WEB_FOLDER", kit.ROOT / "build/tests/web/npm"))
BROWSER_TESTS = pathlib.Path(__file__).resolve().parent / "browser_tests.mjs"
ENOUGH = 400


def modules():
    """A copy of web/ with its modules: nothing is written among the sources."""
    kit.tool("node")
    npm = kit.tool("npm")
    stamp = FOLDER / "installed.json"
    lock = (WEB / "package-lock.json").read_text()
    FOLDER.mkdir(parents=True, exist_ok=True)
    shutil.copytree(WEB, FOLDER, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))
    if not stamp.exists() or stamp.read_text() != lock:
        code, out, err = kit.run(npm, "ci", "--ignore-scripts", cwd=FOLDER, timeout=ENOUGH)
        if code != 0:
            kit.lacking(f"npm ci failed: {out}{err}")
        stamp.write_text(lock)
    return FOLDER


class Bundle(unittest.TestCase):
    def test_the_committed_one_is_that_of_the_sources(self):
        folder = modules()
        made = folder / "made.html"
        code, out, err = kit.run("node", "build.mjs", made, cwd=folder)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(made.read_bytes(), (WEB / "dist/status.html").read_bytes(),
                         "web/dist/status.html is not what web/src gives: run web/build and commit it")

    def test_text_of_homes_becomes_no_markup(self):
        for path in (path for path in (WEB / "src").rglob("*") if path.is_file()):
            self.assertNotRegex(path.read_text(), r"innerHTML|insertAdjacentHTML|document\.write|outerHTML", path.name)

    def test_the_lock_names_versions_and_no_registry(self):
        self.assertNotIn("resolved", (WEB / "package-lock.json").read_text())
        versions = re.findall(r'"(?:[^"]+)": "([~^><*\d][^"]*)"', (WEB / "package.json").read_text())
        for version in versions:
            self.assertRegex(version, r"^(\d+\.\d+\.\d+|>=\d+)$")


class Browser(unittest.TestCase):
    """One process has them all; it speaks as GoogleTest does, so each is counted."""

    def test_the_page_in_chromium(self):
        folder = modules()
        environment = {**os.environ, "OME_CHROMIUM": kit.tool("chromium"), "OME_MODULES": str(folder),
                       "OME_HOMESIM": kit.homesim(), "OME_OBSERVER": kit.observer(),
                       "OME_TRAFFICMAP": kit.trafficmap()}
        words = [word for word in sys.argv[1:] if not word.startswith("-")]
        sys.stdout.flush()
        done = subprocess.run(["node", str(BROWSER_TESTS), *words], env=environment, timeout=ENOUGH, check=False)
        self.assertEqual(done.returncode, 0, "tests in the browser failed")


if __name__ == "__main__":
    kit.main(__doc__)
