#!/usr/bin/env python3
"""`meson install`: programs, manual pages, completions, units and examples, in a folder of their own.

Usage: tests/deploy/install_test.py [WORD...]   only tests whose name contains a word

Needs a build. What is missing is skipped by name, or fails with OME_DEPLOY=required. Exit code 1: a test failed."""
import json
import os
import pathlib
import tempfile
import unittest

import installed
import kit


def build_folder():
    return pathlib.Path(kit.observer()).parents[2]


class Install(installed.Tree, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ome-install-")
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = pathlib.Path(folder.name, "scratch")
        cls.tree = pathlib.Path(folder.name, "tree")
        cls.scratch.mkdir()
        code, out, err = kit.run(kit.tool("meson"), "install", "-C", build_folder(), "--no-rebuild",
                                 "--destdir", cls.tree, timeout=300)
        if code != 0:
            raise AssertionError(out + err)
        cls.prefix = cls.prefix_of_build()
        cls.commit = installed.commit()

    @staticmethod
    def prefix_of_build():
        options = json.loads((build_folder() / "meson-info/intro-buildoptions.json").read_text())
        return next(one["value"] for one in options if one["name"] == "prefix").strip("/")

    def test_links_of_the_plugin_lead_to_it(self):
        links = [path for path in (self.tree / self.prefix / "bin").iterdir() if path.is_symlink()]
        self.assertIn("kubectl_complete-ome", {path.name for path in links})
        for path in links:
            self.assertEqual(os.readlink(path), "kubectl-ome")

    def test_examples_and_resources_are_there(self):
        documents = self.tree / self.prefix / "share/doc/ome-observer"
        for name in ("README.md", "LICENSE", "examples/multicluster.json", "crds/trafficmaps.ome.io.yaml"):
            self.assertTrue((documents / name).is_file(), name)


if __name__ == "__main__":
    kit.main(__doc__)
