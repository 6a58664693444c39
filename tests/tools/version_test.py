#!/usr/bin/env python3
"""Tests of --version and of tools/commit, which tells it the commit.

Usage: tests/tools/version_test.py PROGRAM...   the built programs

Needs git. Exit code 1: a test failed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
PROGRAMS = sys.argv[1:]


def run(*words, folder=None):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.strip()


class Version(unittest.TestCase):
    def test_each_program_tells_version_and_commit(self):
        """The commit is that of the build: it may be older than the checkout, and a tarball has none."""
        in_checkout = run(ROOT / "tools/commit")[0] == 0
        commit = r" \(commit [0-9a-f]{12}(-dirty)?\)" if in_checkout else r"( \(commit \S+\))?"
        self.assertTrue(PROGRAMS)
        for program in PROGRAMS:
            code, out = run(program, "--version")
            self.assertEqual(code, 0)
            self.assertRegex(out, rf"^{os.path.basename(program)} {re.escape(VERSION)}{commit}$")


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ome-commit-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "tools").mkdir()
        shutil.copy(ROOT / "tools/commit", self.folder / "tools")

    def git(self, *words, folder=None):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], timeout=60,
                              cwd=folder or self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self):
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")

    def test_is_that_of_the_checkout(self):
        self.commit()
        head = self.git("rev-parse", "HEAD")[:12]
        self.git("tag", "-a", "-m", "a tag changes nothing", "v9")
        self.assertEqual(run(self.folder / "tools/commit"), (0, head))
        (self.folder / "more").write_text("not known yet: it changes nothing")
        self.assertEqual(run(self.folder / "tools/commit"), (0, head))
        with open(self.folder / "tools/commit", "a", encoding="utf-8") as file:
            file.write("\n")
        self.assertEqual(run(self.folder / "tools/commit"), (0, head + "-dirty"))

    def test_is_none_outside_of_a_checkout(self):
        self.assertEqual(run(self.folder / "tools/commit"), (1, ""))

    def test_is_not_that_of_a_checkout_around_it(self):
        inner = self.folder / "inner"
        (inner / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools/commit", inner / "tools")
        self.commit()
        self.assertEqual(run(inner / "tools/commit"), (1, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
