#!/usr/bin/env python3
"""What `run` and `reference` read of a page, and how they compare.

Usage: tests/docs/run_test.py [WORD...]"""
import os
import pathlib
import sys
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "deploy")]
os.environ["OME_DEPLOY"] = "required"   # `off` leaves out the tests of deploy/, and not these
import helps  # noqa: E402
import kit  # noqa: E402
import markdown  # noqa: E402
import page_session  # noqa: E402
import shell_commands  # noqa: E402


def page(text):
    return markdown.Page(markdown.ROOT / "README.md", text)


class Finding(unittest.TestCase):
    def test_programs_are_those_of_the_build_unless_others_are_named(self):
        for variable, find, place in (("OME_CONFORMANCE", helps.conformance, "build/tests/conformance"),
                                      ("OME_OBSERVER", lambda: helps.program("ome-observer"),
                                       "build/src/observer/ome-observer")):
            with unittest.mock.patch.dict(os.environ):
                os.environ.pop(variable, None)
                self.assertEqual(find(), markdown.ROOT / place)
                os.environ[variable] = "/elsewhere"
                self.assertEqual(find(), pathlib.Path("/elsewhere"))


class Comparing(unittest.TestCase):
    def test_three_dots_are_anything_in_a_line(self):
        self.assertTrue(page_session.matches("up ..., ready", "up 3 s, ready\n"))
        self.assertFalse(page_session.matches("up ..., ready", "up 3 s, not"))
        self.assertFalse(page_session.matches("up ... ready", "up 3 s,\nready"))

    def test_three_dots_alone_are_any_number_of_lines(self):
        for middle in ("", "b\n", "b\nc\n"):
            self.assertTrue(page_session.matches("a\n...\nz", f"a\n{middle}z\n"))
        self.assertFalse(page_session.matches("a\n...\nz", "b\nz\n"))

    def test_signs_are_themselves_and_spaces_at_the_end_do_not_count(self):
        self.assertTrue(page_session.matches("a.b (1|2)", "a.b (1|2)  \n"))
        self.assertFalse(page_session.matches("a.b", "axb\n"))

    def test_columns_may_be_wider_and_indents_may_not(self):
        self.assertTrue(page_session.matches("  a  b", "  a     b\n"))
        self.assertFalse(page_session.matches("  a  b", "  a b\n"))
        self.assertFalse(page_session.matches("  a  b", "   a  b\n"))

    def test_what_is_more_is_wrong(self):
        self.assertFalse(page_session.matches("a", "a\nb\n"))
        self.assertFalse(page_session.matches("a\nb", "a\n"))


class Splitting(unittest.TestCase):
    def test_lines_that_go_on_and_documents_are_one_command(self):
        text = "a \\\n  b\ncat << 'EOF'\nx &\nEOF\n# said\n'1\n2'"
        self.assertEqual(shell_commands.split(text), ["a \\\n  b", "cat << 'EOF'\nx &\nEOF", "'1\n2'"])

    def test_what_stays(self):
        self.assertTrue(shell_commands.is_background("serve &   # stays"))
        self.assertFalse(shell_commands.is_background("a && b"))
        self.assertEqual(shell_commands.without_ampersand("serve --x & # y"), "serve --x ")


class Looking(unittest.TestCase):
    def test_programs_are_found_where_a_command_begins(self):
        self.assertEqual(shell_commands.program_call(["build/src/ome-observer", "status"]), ("ome-observer", ["status"]))
        self.assertEqual(shell_commands.program_call(["kubectl", "exec", "p", "--", "ome-observer", "x"]),
                         ("ome-observer", ["x"]))
        self.assertEqual(shell_commands.program_call(["kubectl", "ome", "traffic"]), ("kubectl-ome", ["traffic"]))
        self.assertIsNone(shell_commands.program_call(["kubectl", "-n", "ome-observer", "get"]))

    def test_files_that_are_not_there_are_told(self):
        self.assertEqual(list(shell_commands.missing_files("kubectl apply -f deploy/crds/ -f deploy/crd")), ["deploy/crd"])


class Reading(unittest.TestCase):
    def test_marks_belong_to_the_next_block_alone(self):
        text = "<!-- not run: x -->\n```sh\na\n```\n\n```sh\nb\n```\n<!-- run: c -->\n```output\nd\n```\n"
        read = [(block.language, block.text, block.marks) for block in markdown.blocks(page(text))]
        self.assertEqual(read, [("sh", "a", ["not run: x"]), ("sh", "b", []), ("run", "c", []), ("output", "d", [])])

    def test_a_page_may_have_a_reason_for_all_of_its_blocks(self):
        text = "<!-- not run, all of this page: x -->\n# T\n```sh\na\n```\n```sh\nb\n```\n"
        self.assertEqual([block.marks for block in markdown.blocks(page(text))], [["not run: x"]] * 2)

    def test_anchors_are_those_of_github(self):
        text = "# A `b` c: d\n## Run, on\n## Run, on\n```\n# no\n```\n"
        self.assertEqual(markdown.anchors(text), {"a-b-c-d", "run-on", "run-on-1"})

    def test_links_in_blocks_and_code_are_none(self):
        text = "[a](b.md) `[c](d)` [`e`](f.md#g)\n```\n[h](i)\n```\n"
        self.assertEqual(sorted(target for _, target in markdown.links(text)), ["b.md", "f.md#g"])

    def test_rows_of_tables_by_section(self):
        self.assertEqual(markdown.tables("## S\n| h |\n| --- |\n| `a` |\n| b \\| c |\n"), {"S": [["`a`"], ["b | c"]]})


if __name__ == "__main__":
    kit.main(__doc__)
