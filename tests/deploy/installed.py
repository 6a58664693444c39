"""What an installed tree must hold, however it came about: `meson install` or the packages."""
import os
import re
import subprocess

import kit

PROGRAMS = ("kubectl-ome", "ome-homesim", "ome-observer", "ome-trafficmap")
COMMANDS = {  # some of each, by hand: what is generated must not judge itself alone
    "kubectl-ome": ["get", "placement endpoint", "traffic why", "traffic drain-cluster"],
    "ome-homesim": [],
    "ome-observer": ["serve", "status", "replay", "check", "bundle"],
    "ome-trafficmap": ["run", "render", "check", "diff"],
}
WORST_EXPOSURE = 2.0  # of systemd-analyze security, from 0 to 10


def find(root, name):
    found = [path for path in root.rglob(name) if path.is_file()]
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def help_of(program, *words):
    code, out, err = kit.run(program, *words, "--help")
    assert code == 0, err
    return out


def flags(text):
    """Those that a help or a page has options for, and not those that its sentences name."""
    heads = re.findall(r"^ {1,8}(-{1,2}[A-Za-z][^ ,\n]*(?:, ?-{1,2}[A-Za-z][^ ,\n]*)*)", text, re.MULTILINE)
    return {flag for head in heads for flag in re.split(r",\s*", head)}


def all_flags(program):
    name = os.path.basename(program)
    texts = [help_of(program)] + [help_of(program, *words.split()) for words in COMMANDS[name]]
    return set().union(*(flags(text.split("\nExamples:")[0]) for text in texts))


class Tree:
    """Checks for a test case whose `tree` is the root of an installed system, and `prefix` where in it."""

    def page(self, program):
        return find(self.tree / self.prefix / "share/man", f"{program}.[18]*")

    def text_of(self, program):
        code, out, err = kit.run(kit.tool("man"), "--warnings", "-l", self.page(program),
                                 env={**os.environ, "MANWIDTH": "4000", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""})
        self.assertEqual((code, err), (0, ""), program)
        return out

    def test_versions_tell_the_commit(self):
        for program in PROGRAMS:
            code, out, err = kit.run(self.tree / self.prefix / "bin" / program, "--version")
            self.assertEqual(code, 0, err)
            self.assertRegex(out, rf"^{program} \d+\.\d+\.\d+{self.commit}\n$")

    def test_manual_pages_have_every_option_and_no_other(self):
        for program in PROGRAMS:
            told = all_flags(str(self.tree / self.prefix / "bin" / program))
            shown = flags(self.text_of(program))
            self.assertLessEqual(told, shown, program)
            if all(len(words.split()) == 1 for words in COMMANDS[program]):
                self.assertEqual(told, shown, program)

    def test_manual_pages_name_files_that_are_there(self):
        for program, least in (("ome-observer", 2), ("ome-trafficmap", 3)):
            text = self.text_of(program)
            listed = re.search(r"(?ms)^FILES$(.*?)^SEE ALSO$", text)[1]
            paths = re.findall(r"(?m)^ {7}(\S+)$", listed)
            self.assertGreaterEqual(len(paths), least, listed)
            for path in paths:
                if path.startswith("/var/"):   # systemd makes it
                    continue
                there = (self.tree / path.lstrip("/")).is_file() if path.startswith("/") else find(self.tree, path)
                self.assertTrue(there, f"{program}: {path}")

    def test_manual_pages_are_well_formed(self):
        """A page without a date is one: it would change with every build."""
        for program in PROGRAMS:
            _, out, _ = kit.run(kit.tool("mandoc"), "-T", "lint", "-W", "warning", self.page(program))
            self.assertEqual([line for line in out.splitlines() if "missing date" not in line], [])

    def test_manual_pages_name_every_command(self):
        for program in PROGRAMS:
            text = self.text_of(program)
            for words in COMMANDS[program]:
                name = "kubectl ome" if program == "kubectl-ome" else program
                self.assertRegex(text, rf"(?m)^ +{name} {words}\b")
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(text, rf"(?m)^{section}$")

    def complete(self, program, *words):
        """What bash offers for the last of the words."""
        script = find(self.tree / self.prefix / "share/bash-completion/completions", f"{program}.bash")
        line = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }\n' \
               'function=$(complete -p "$1"); function=${function#*-F }; "${function%% *}"; ' \
               'printf "%s\\n" "${COMPREPLY[@]}"'
        code, out, err = kit.run("bash", "-c", line, "bash", script, program, *words, cwd=self.tree,
                                 env={**os.environ, "PATH": f"{self.tree / self.prefix / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual((code, err), (0, ""))
        return out.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete("ome-observer", "st"), ["status"])
        self.assertIn("--watch", self.complete("ome-observer", "status", "--w"))
        self.assertEqual(self.complete("ome-observer", "serve", "--log-level", "d"), ["debug"])
        self.assertEqual(self.complete("ome-observer", "serve", "--log-format", "=", "j"), ["json"])
        self.assertEqual(self.complete("ome-observer", "status", "--output", ""), ["table", "json"])
        self.assertEqual(self.complete("ome-observer", "serve", "--grid", ""), [])
        first = self.prefix.split("/")[0]
        self.assertIn(first, self.complete("ome-observer", "check", first[:1]))
        self.assertIn("--dry-run", self.complete("ome-trafficmap", "run", "--dry"))
        self.assertEqual(self.complete("ome-homesim", "--per"), ["--per-service", "--period"])
        self.assertIn("drain-cluster", self.complete("kubectl-ome", "traffic", "dr"))

    def test_zsh_and_fish_read_their_completions(self):
        for program in PROGRAMS:
            for shell, name in (("zsh", f"_{program}"), ("fish", f"{program}.fish")):
                script = find(self.tree / self.prefix / "share", name)
                code, _, err = kit.run(kit.tool(shell), "-n", script)
                self.assertEqual((code, err), (0, ""), script)

    def test_fish_completes(self):
        script = find(self.tree / self.prefix / "share", "ome-observer.fish")
        for line, wanted in (("ome-observer sta", "status"), ("ome-observer serve --log-level de", "debug"),
                             ("ome-observer status --wat", "--watch")):
            code, out, err = kit.run(kit.tool("fish"), "--no-config", "-c", f"source {script}; complete -C '{line}'",
                                     env={**os.environ, "HOME": str(self.tree)})
            self.assertEqual(code, 0, err)
            self.assertIn(wanted, out.split(), line)

    def units(self):
        return [find(self.tree, f"{name}.service") for name in ("ome-observer", "ome-trafficmap")]

    def test_units_are_right(self):
        analyze = kit.tool("systemd-analyze")
        for unit in self.units():
            text = unit.read_text()
            program = re.search(r"(?m)^ExecStart=(\S+)", text)[1]
            self.assertTrue((self.tree / program.lstrip("/")).is_file(), program)
            settings = re.search(r"(?m)^EnvironmentFile=-(\S+)", text)[1]
            self.assertTrue((self.tree / settings.lstrip("/")).is_file(), settings)
            self.assertNotIn("@", re.sub(r"(?m)^(#|SystemCallFilter=).*$", "", text))
            # Where the program is in the tree and nowhere else, that is all that may be found.
            here = self.scratch / unit.name
            here.write_text(text.replace(program, str(self.tree / program.lstrip("/"))))
            code, out, err = kit.run(analyze, "verify", "--man=no", "--recursive-errors=no", here)
            self.assertEqual((code, out + err), (0, ""), unit.name)

    def test_units_are_confined(self):
        for unit in self.units():
            code, out, err = kit.run(kit.tool("systemd-analyze"), "security", "--offline=true", "--no-pager",
                                     f"--threshold={int(WORST_EXPOSURE * 10)}", unit)
            print(out.strip().split("\n")[-1], flush=True)
            self.assertEqual(code, 0, out + err)

    def test_settings_of_units_are_settings(self):
        """Those that are commented out, too."""
        for unit in self.units():
            name = unit.name.removesuffix(".service")
            known = help_of(str(self.tree / self.prefix / "bin" / name), "serve" if name == "ome-observer" else "run")
            named = re.findall(r"(?m)^#?(OME_[A-Z_]+)=", self.settings(name).read_text())
            self.assertTrue(named)
            for variable in named:
                self.assertIn(f"({variable})", known)

    def settings(self, name):
        """Of a unit: in /etc, or below a prefix of its own."""
        return self.tree / ("" if self.prefix == "usr" else self.prefix) / "etc/default" / name

    def test_the_observer_starts_with_the_settings_of_its_unit(self):
        values = dict(line.split("=", 1) for line in self.settings("ome-observer").read_text().splitlines()
                      if line and not line.startswith("#"))
        self.assertEqual(list(values), ["OME_OBSERVER_CONFIG"])
        config = self.tree / values["OME_OBSERVER_CONFIG"].lstrip("/")
        code, out, err = kit.run(self.tree / self.prefix / "bin/ome-observer", "serve", "--print-config",
                                 env={**os.environ, "OME_OBSERVER_CONFIG": str(config)})
        self.assertEqual(code, 0, out + err)
        self.assertIn(str(config), out)


def commit():
    """` (commit ...)` as the build must tell it, as a regular expression."""
    found = subprocess.run([kit.ROOT / "tools/commit"], capture_output=True, text=True, check=False)
    return r" \(commit [0-9a-f]{12}(-dirty)?\)" if found.returncode == 0 else ""
