"""The tests that there are, for documents that name them; see check_field_cases.py, check_security.py."""
import re

TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
# Also the keys of a dictionary of tests, as for scripts.
MESON_TEST = re.compile(r"^\s*(?:test\()?'([a-z0-9-]+)'(?:,|: )", re.MULTILINE)


def tests_of(root):
    """{"Suite.Name", ...} of all sources of tests."""
    return {f"{suite}.{name}" for path in sorted((root / "tests").rglob("*_test.cpp"))
            for suite, name in TEST.findall(path.read_text(encoding="utf-8"))}


def suites_of(root):
    """{"fuzz-corpus", ...}: tests of meson.build that are no single case, as scripts are."""
    return {name for path in sorted((root / "tests").rglob("meson.build"))
            for name in MESON_TEST.findall(path.read_text(encoding="utf-8"))}


def named_in(cell):
    """The names in back quotes of a cell of a table."""
    return set(re.findall(r"`([^`]+)`", cell))
