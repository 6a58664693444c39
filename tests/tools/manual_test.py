#!/usr/bin/env python3
"""Tests of tools/manual: what it makes of a help, and that it takes nothing for a help that is none.

Usage: tests/tools/manual_test.py

Exit code 1: a test failed."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/manual_parts"))
import completions  # noqa: E402
import help_text  # noqa: E402
import roff  # noqa: E402

TOP = """Does a thing. And more.
Usage: ome-homesim [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit
  --version                   Display program version information and exit

Subcommands:
  go, run                     Go there

Examples:
  ome-homesim go .              first
  ome-homesim go 'a\\b'

Exit codes: 0 there, 1 lost.
"""

GO = """Go there
Usage: ome-homesim go [OPTIONS]
    PLACE...

Positionals:
  PLACE TEXT ... REQUIRED     .hidden is a place

Options:
  -h,--help                   Print this help message and exit
  -o,--output TEXT:{table,json}=table Needs: --map
                              table or json
  --fast [true|false]         Fast. [false] (OME_HOMESIM_FAST)
  --a-very-long-name-of-an-option duration
                              How long: not short
                              [1s,
                              2s,3s]
                              (OME_HOMESIM_LONG)
  --depth meters              Of water, which is told
                              in two lines
  --wide TEXT with blanks it  Where one begins


Maps:
  --map file                  A map; it's old

It says:
  -- a dash is no option of it
'quoted' at its beginning.
Exit code: 0 there.
"""

PROGRAM = """#!/usr/bin/env python3
import sys
told = {("--help",): %r, ("go", "--help"): %r, ("--version",): "ome-homesim 1.2.3 (commit x)\\n"}
sys.stdout.write(told[tuple(sys.argv[1:])])
"""


class Manual(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ome-manual-")
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "ome-homesim")
        self.write(TOP, GO)

    def write(self, top, below):
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM % (top, below))
        os.chmod(self.program, 0o755)

    def tree(self):
        return help_text.read(self.program)

    def run_tool(self, *words):
        done = subprocess.run([ROOT / "tools/manual", *words], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_reads_options_with_all_that_is_told_of_them(self):
        go = self.tree().commands[0]
        self.assertEqual((go.words, go.aliases), (["go"], ["run"]))
        self.assertEqual([option.names for option in go.options],
                         [["-h", "--help"], ["-o", "--output"], ["--fast"], ["--a-very-long-name-of-an-option"], ["--depth"],
                          ["--wide"], ["--map"]])
        output, fast, long, depth, wide, chart = go.options[1:]
        self.assertEqual((output.choices, output.default, output.value), (["table", "json"], "table", "TEXT"))
        self.assertEqual((fast.choices, fast.optional, fast.variable), (["true", "false"], True, "OME_HOMESIM_FAST"))
        self.assertEqual((long.value, long.about, long.variable),
                         ("duration", "How long: not short [1s,2s,3s] (OME_HOMESIM_LONG)", "OME_HOMESIM_LONG"))
        self.assertEqual((depth.value, depth.about), ("meters", "Of water, which is told in two lines"))
        self.assertEqual((wide.value, wide.about), ("TEXT with blanks it", "Where one begins"))
        self.assertEqual(go.usage, "ome-homesim go [OPTIONS] PLACE...")
        self.assertEqual(chart.value, "file")
        self.assertEqual((go.positionals[0].names, go.positionals[0].repeated), (["PLACE"], True))
        self.assertTrue(go.footer.startswith("It says:\n  -- a dash"))

    def test_a_page_shows_all_of_it_and_obeys_none(self):
        page = roff.page("ome-homesim", self.tree(), "1.2.3")
        self.assertIn(".SH NAME\nome\\-homesim \\- does a thing\n", page)
        self.assertIn("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fBtable\\fR|\\fBjson\\fR\n", page)
        self.assertIn("Environment: \\fBOME_HOMESIM_FAST\\fR", page)
        self.assertIn("\n\\&.hidden is a place", page)
        self.assertIn("\n\\&\\(aqquoted\\(aq at its beginning.", page)
        self.assertIn("a\\eb", page)
        self.assertIn("Also called \\fBrun\\fR.", page)
        self.assertIn("0 there, 1 lost.", page)
        for line in page.split("\n"):
            self.assertNotRegex(line, r"^\.[a-z]{3,}")

    def test_a_page_names_files_where_they_are_installed(self):
        def files(settings):
            return roff.page("ome-trafficmap", self.tree(), "1.2.3", settings).partition(".SH FILES")[2]

        self.assertIn("\\fI/usr/local/etc/default/ome\\-trafficmap\\fR", files("/usr/local/etc"))
        self.assertIn("\\fI/usr/local/etc/ome/multicluster.json\\fR", files("/usr/local/etc"))
        self.assertEqual(files("none"), "")

    def test_completions_know_commands_flags_and_choices(self):
        for shell, write in completions.SCRIPTS.items():
            script = write("ome-homesim", self.tree())
            for word in ("go", "fast", "a-very-long-name-of-an-option", "table json"):
                self.assertIn(word, script, shell)

    def test_a_help_of_another_form_is_refused(self):
        for top, below in ((TOP.replace("Usage: ", "Use: "), GO), (TOP, GO.replace("  --fast", "    --fast")),
                           (TOP, "Nothing\nUsage: x\n")):
            self.write(top, below)
            code, out, err = self.run_tool("man", self.program)
            self.assertEqual((code, out), (1, ""))
            self.assertTrue(err.startswith("manual: "), err)

    def test_choices_in_a_sentence_must_still_be_told(self):
        self.write(TOP, GO.replace("  --map file                  A map; it's old", "  --log-level TEXT            debug or none"))
        code, _, err = self.run_tool("bash", self.program)
        self.assertEqual(code, 1)
        self.assertIn("tells of no choice info", err)

    def test_wrong_usage(self):
        self.assertEqual(self.run_tool("paper", self.program)[0], 2)
        self.assertEqual(self.run_tool("man")[0], 2)
        self.assertEqual(self.run_tool("man", self.program + "-none")[0], 1)
        self.assertEqual(self.run_tool("--help")[0], 0)


if __name__ == "__main__":
    unittest.main()
