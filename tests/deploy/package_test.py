#!/usr/bin/env python3
"""The Debian packages: built by tools/package, unpacked into an empty root, and run from there.

Usage: tests/deploy/package_test.py [WORD...]   only tests whose name contains a word

    tools/package --output DIR && OME_PACKAGES=DIR tests/deploy/package_test.py    without building them again

Needs Debian 12 and what tools/setup deploy installs, and compiles the programs, which is quick with a compiler's
cache. What is missing is skipped by name, or fails with OME_DEPLOY=required. Exit code 1: a test failed."""
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import installed
import kit

NAMES = ("kubectl-ome", "ome-homesim", "ome-observer")
BUILD_SECONDS = 1500  # without a cache
# What lintian calls errors and warnings and we do not: nobody uploads these packages to Debian.
KNOWN_TAGS = {"initial-upload-closes-no-bugs", "bogus-mail-host-in-debian-changelog"}


def build(folder):
    for name in ("dpkg-buildpackage", "dh", "fakeroot"):
        kit.tool(name)
    if not re.search(r'VERSION_ID="12"', pathlib.Path("/etc/os-release").read_text()):
        kit.lacking("not Debian 12")
    begin = time.monotonic()
    code, out, err = kit.run(kit.ROOT / "tools/package", "--output", folder, timeout=BUILD_SECONDS)
    if code != 0:
        raise AssertionError((out + err)[-20000:])
    print(f"built in {time.monotonic() - begin:.0f} s", flush=True)


class Package(installed.Tree, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ome-package-")
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = pathlib.Path(folder.name, "scratch")
        cls.scratch.mkdir()
        built = os.environ.get("OME_PACKAGES")
        if not built:
            build(folder.name)
        cls.packages = {path.name.split("_")[0]: path for path in pathlib.Path(built or folder.name).glob("*.deb")}
        cls.tree = pathlib.Path(folder.name, "root")
        for path in cls.packages.values():
            subprocess.run(["dpkg-deb", "-x", path, cls.tree], check=True)
        cls.prefix = "usr"
        cls.commit = installed.commit()

    def field(self, package, name):
        return kit.run("dpkg-deb", "-f", self.packages[package], name)[1].strip()

    def contents(self, package):
        _, out, _ = kit.run("dpkg-deb", "-c", self.packages[package])
        return {line.split(None, 5)[5].split(" -> ")[0].removeprefix("./") for line in out.splitlines()}

    def test_there_are_three(self):
        self.assertEqual(set(self.packages), set(NAMES))

    def test_their_version_is_that_of_the_project(self):
        version = re.search(r"version: '([^']+)'", (kit.ROOT / "meson.build").read_text())[1]
        self.assertEqual({self.field(name, "Version") for name in NAMES}, {version})

    def test_each_has_its_own(self):
        observer, plugin, homes = (self.contents(name) for name in ("ome-observer", "kubectl-ome", "ome-homesim"))
        self.assertLessEqual({"usr/bin/ome-observer", "usr/bin/ome-trafficmap", "lib/systemd/system/ome-observer.service",
                              "etc/default/ome-trafficmap", "usr/share/man/man8/ome-observer.8.gz"}, observer)
        self.assertLessEqual({"usr/bin/kubectl-ome", "usr/bin/kubectl_complete-ome"}, plugin)
        self.assertIn("usr/bin/ome-homesim", homes)
        for one, other in ((observer, plugin), (observer, homes), (plugin, homes)):
            self.assertFalse({name for name in one & other if name and not name.endswith("/")})

    def test_their_libraries_are_told(self):
        told = self.field("ome-observer", "Depends")
        for library in ("libssl3", "libc-ares2", "libsimdjson", "libspdlog", "ca-certificates"):
            self.assertIn(library, told)
        self.assertNotIn("libc-ares2", self.field("ome-homesim", "Depends"))

    def test_settings_stay_when_a_package_is_replaced(self):
        _, out, _ = kit.run("dpkg-deb", "--info", self.packages["ome-observer"], "conffiles")
        self.assertEqual(set(out.split()), {"/etc/default/ome-observer", "/etc/default/ome-trafficmap",
                                            "/etc/ome/multicluster.json"})

    def script(self, name):
        return kit.run("dpkg-deb", "--info", self.packages["ome-observer"], name)[1]

    def test_nothing_starts_by_itself_and_what_runs_goes_on(self):
        units = "'?ome-observer.service'? '?ome-trafficmap.service'?"
        for name in ("postinst", "preinst", "prerm", "postrm"):
            self.assertNotRegex(self.script(name), r"deb-systemd-invoke (\$_dh_action|start|restart)")
        self.assertRegex(self.script("postinst"), f"deb-systemd-invoke try-restart {units}")
        self.assertRegex(self.script("prerm"), rf'"\$1" = remove .*\n.*deb-systemd-invoke stop {units}')
        self.assertNotIn("deb-systemd-invoke stop", self.script("preinst"))

    def test_programs_are_stripped(self):
        for program in installed.PROGRAMS:
            _, out, _ = kit.run(kit.tool("readelf"), "-S", self.tree / "usr/bin" / program)
            self.assertNotIn(".debug_info", out)

    def test_lintian_finds_no_fault(self):
        _, out, err = kit.run(kit.tool("lintian"), "--no-cfg", "--allow-root", "--fail-on=none", "--tag-display-limit=0",
                              *self.packages.values(), timeout=300)
        found = [line for line in out.splitlines() if re.match(r"[EW]: ", line) and
                 line.split(": ")[2].split()[0] not in KNOWN_TAGS]
        self.assertEqual(found, [], out + err)

    def test_dpkg_takes_them(self):
        """Into a root with a database of its own; what they depend on is not in it."""
        root = self.scratch / "system"
        for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"):
            (root / name).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        code, out, err = kit.run("fakeroot", "dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--unpack",
                                 *self.packages.values())
        self.assertEqual(code, 0, out + err)
        _, out, _ = kit.run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Package} ${db:Status-Status}\n")
        self.assertEqual(set(out.splitlines()), {f"{name} unpacked" for name in NAMES})
        self.assertTrue((root / "usr/bin/ome-observer").is_file())


if __name__ == "__main__":
    kit.main(__doc__)
