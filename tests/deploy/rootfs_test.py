#!/usr/bin/env python3
"""The container image without a container engine: its root file system, made as deploy/docker/Dockerfile makes it
and used as a kubelet would: as user 65532, read-only, without privileges, with nothing else in sight.

Usage: tests/deploy/rootfs_test.py [WORD...]   only tests whose name contains a word

    sudo tests/deploy/rootfs_test.py

Needs Debian 12, our programs, and root for what is run inside. What is missing is skipped by name, or fails with
OME_DEPLOY=required. Exit code 1: a test failed."""
import hashlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import tempfile
import unittest

import kit
from program_scripts import Simulator, end, fetch, free_port

DOCKER = kit.DEPLOY / "docker"
USER = 65532
EPOCH = 1790000000
LARGEST = 40_000_000


def build_folder():
    """Where both programs are, as Meson puts them."""
    return pathlib.Path(kit.observer()).parents[2]


def make(folder):
    kit.tool("dpkg-query")
    if not re.search(r'VERSION_ID="12"', pathlib.Path("/etc/os-release").read_text()):
        kit.lacking("not Debian 12")
    kit.trafficmap()
    code, out, err = kit.run(DOCKER / "make-rootfs", build_folder(), folder, timeout=300,
                             env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
    if code != 0:
        raise AssertionError(out + err)
    return out


def files(root):
    return sorted(path for path in root.rglob("*"))


def digest(root):
    done = subprocess.run(["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-C", root, "-c", "."],
                          capture_output=True, check=True)
    return hashlib.sha256(done.stdout).hexdigest()


# As the pod has it: a root that cannot be written, /proc of its own, the configuration and the
# node's names mounted, no new privileges.
ENTER = """set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --bind "$2" "$1/etc/ome"
for file in resolv.conf hosts hostname; do mount --bind /etc/$file "$1/etc/$file"; done
mount -o remount,ro,bind "$1"
root=$1
shift 2
exec setpriv --no-new-privs chroot --userspec=%d:%d "$root" "$@"
""" % (USER, USER)


class RootFileSystem(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ome-rootfs-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name, "root")
        os.chmod(cls.folder.name, 0o755)
        cls.said = make(cls.root)
        cls.configuration = pathlib.Path(cls.folder.name, "configuration")
        cls.configuration.mkdir(mode=0o755)
        (cls.configuration / "multicluster").write_text(
            (kit.DEPLOY / "examples/multicluster.json").read_text())

    def inside(self, *command):
        """The words that run a command in it."""
        if os.geteuid() != 0:
            kit.lacking("not root: nothing can be run in it")
        for name in ("unshare", "setpriv", "chroot"):
            kit.tool(name)
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", str(self.root),
                str(self.configuration), *command]

    def test_it_is_small(self):
        size = sum(path.stat().st_size for path in files(self.root) if path.is_file() and not path.is_symlink())
        print(f"{size / 1e6:.1f} MB in {len(files(self.root))} files and folders")
        self.assertLess(size, LARGEST)

    def test_nothing_in_it_is_a_tool(self):
        programs = {path.name for path in files(self.root)
                    if path.is_file() and not path.is_symlink() and path.stat().st_mode & stat.S_IXUSR
                    and ".so" not in path.name}
        self.assertEqual(programs, {"ome-observer", "ome-trafficmap"})

    def test_nobody_gains_rights_in_it(self):
        for path in files(self.root):
            if path.is_symlink():
                continue
            mode = path.stat().st_mode
            self.assertFalse(mode & (stat.S_ISUID | stat.S_ISGID), path)
            if path != self.root / "tmp":
                self.assertFalse(mode & stat.S_IWOTH, path)

    def test_the_same_programs_make_the_same_tree(self):
        again = pathlib.Path(self.folder.name, "again")
        make(again)
        self.assertEqual(digest(again), digest(self.root))
        for path in files(self.root):
            self.assertEqual(path.lstat().st_mtime, EPOCH, path)

    def test_the_bill_of_materials_is_complete(self):
        bill = json.loads((self.root / "usr/share/ome-observer/sbom.spdx.json").read_text())
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        named = {package["name"]: package for package in bill["packages"]}
        identities = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual(len(identities), len(named) + 1)
        for relation in bill["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, identities)
        libraries = ["/" + str(path.relative_to(self.root)) for path in (self.root / "usr").rglob("*.so*")]
        real = [os.path.realpath(path) for path in libraries]
        _, out, _ = kit.run("dpkg-query", "-S", *real, *(path.removeprefix("/usr") for path in real))
        owners = {line.split(":")[0] for line in out.splitlines()}
        self.assertGreater(len(owners), 5)
        self.assertLessEqual(owners, set(named))
        for program in ("ome-observer", "ome-trafficmap"):
            expected = hashlib.sha256((self.root / "usr/bin" / program).read_bytes()).hexdigest()
            self.assertEqual(named[program]["checksums"][0]["checksumValue"], expected)
        for package in set(named) - {"ome-observer", "ome-trafficmap"}:
            self.assertRegex(named[package]["externalRefs"][0]["referenceLocator"], r"^pkg:deb/debian/\S+@\S+\?arch=")

    def test_scanners_and_lawyers_find_what_they_look_for(self):
        packages = {path.name for path in (self.root / "var/lib/dpkg/status.d").iterdir()}
        self.assertIn("libssl3", packages)
        for package in packages:
            self.assertTrue((self.root / "usr/share/doc" / package / "copyright").is_file(), package)

    def test_both_programs_run_in_it(self):
        for program in ("ome-observer", "ome-trafficmap"):
            code, out, err = kit.run(*self.inside(program, "--version"))
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"\d+\.\d+\.\d+")
        code, out, err = kit.run(*self.inside("ome-trafficmap", "check", "/etc/ome/multicluster"))
        self.assertEqual(code, 0, out + err)
        self.assertIn("ok", out)

    def test_there_is_no_shell_to_run(self):
        code, _, err = kit.run(*self.inside("/bin/sh", "-c", "true"))
        self.assertEqual(code, 127, err)

    def test_the_observer_observes_in_it(self):
        homes = Simulator(kit.homesim(), "--home", "worker-a", "--port", "0", "--control", "0")
        self.addCleanup(homes.stop)
        (self.configuration / "services.json").write_text(json.dumps([{
            "namespace": "chat", "name": "qwen", "ownerUID": "u",
            "probe": {"path": "/v1/models", "method": "GET", "acceptStatuses": [200], "gateStatuses": [503],
                      "period": "1s", "timeout": "500ms", "failureThreshold": 2, "successThreshold": 2,
                      "allFailedPolicy": "Drain"},
            "homes": [{"cluster": "worker-a", "endpoint": f"http://127.0.0.1:{homes.ports()[0]}/h/worker-a"}]}]))
        port, health = free_port(), free_port()
        with open(pathlib.Path(self.folder.name, "log"), "w+", encoding="utf-8") as log:
            process = subprocess.Popen(
                self.inside("ome-observer", "serve", "--config=/etc/ome/multicluster",
                            "--services=/etc/ome/services.json", "--allow-loopback", f"--listen=127.0.0.1:{port}", f"--health-listen=0.0.0.0:{health}",
                            "--log-format=json"), stdout=log, stderr=log)
            try:
                self.look(process, port, health)
            finally:
                self.end_inside(process)
                log.seek(0)
                print(log.read())

    def look(self, process, port, health):
        def passing():
            """a good probe is told of"""
            self.assertIsNone(process.poll(), "it has ended")
            try:
                return 'Passing' in fetch(f"http://127.0.0.1:{port}/v1/services/chat/qwen")
            except OSError:
                return False
        kit.until(passing)
        self.assertTrue(fetch(f"http://127.0.0.1:{health}/readyz"))
        self.assertRegex(fetch(f"http://127.0.0.1:{health}/metrics"), r"(?m)^process_resident_memory_bytes [1-9]")
        children = [pathlib.Path("/proc", pid, "status").read_text() for pid in self.children(process.pid)]
        running = [text for text in children if "ome-observer" in text.split("\n")[0]]
        self.assertTrue(running)
        for text in running:
            self.assertRegex(text, rf"(?m)^Uid:\s+{USER}\s+{USER}\s")
            self.assertRegex(text, r"(?m)^CapEff:\s+0+$")
            self.assertRegex(text, r"(?m)^NoNewPrivs:\s+1$")

    def end_inside(self, process):
        """unshare's --kill-child has no effect on who has become another user."""
        if process.poll() is None:
            for pid in self.children(process.pid):
                os.kill(int(pid), signal.SIGTERM)
        end(process)

    @staticmethod
    def children(pid):
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


class Description(unittest.TestCase):
    """The Dockerfile itself, as far as it can be read without an engine."""

    def setUp(self):
        self.lines = [line for line in (DOCKER / "Dockerfile").read_text().replace("\\\n", " ").split("\n")
                      if line and not line.startswith("#")]

    def last_stage(self):
        begin = max(i for i, line in enumerate(self.lines) if line.startswith("FROM"))
        return self.lines[begin:]

    def test_nothing_but_the_tree_gets_into_the_image(self):
        stage = self.last_stage()
        self.assertEqual(stage[0], "FROM scratch")
        copied = [line for line in stage if line.startswith(("COPY", "ADD"))]
        self.assertEqual(copied, ["COPY --from=build /rootfs/ /"])
        self.assertFalse([line for line in stage if line.startswith("RUN")])
        self.assertIn(f"USER {USER}:{USER}", stage)

    def test_labels(self):
        text = "\n".join(self.last_stage())
        for label in ("title", "description", "licenses", "version", "revision"):
            self.assertIn(f"org.opencontainers.image.{label}=", text)

    def test_what_it_names_is_there(self):
        for line in self.lines:
            if line.startswith("COPY ") and "--from" not in line:
                for path in line.split()[1:-1]:
                    self.assertTrue((kit.ROOT / path).exists(), line)
        targets = re.findall(r"src/\S+/ome-\S+", "\n".join(self.lines))
        self.assertEqual(targets, ["src/observer/ome-observer", "src/controller/ome-trafficmap"])
        self.assertIn("deploy/docker/make-rootfs", "\n".join(self.lines))

    def test_the_version_is_that_of_the_project(self):
        version = re.search(r"version: '([^']+)'", (kit.ROOT / "meson.build").read_text())[1]
        self.assertEqual({line for line in self.lines if line.startswith("ARG VERSION=")}, {f"ARG VERSION={version}"})


if __name__ == "__main__":
    kit.main(__doc__)
