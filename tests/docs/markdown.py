"""What the tests of the documentation read of a Markdown page: blocks, headings, links, tables.

A block of commands is fenced as `sh`, what it prints as `output` behind it. Comments directly before a
block of commands say how it is run (`run` here explains them); a comment that begins with `run:` is a
command of its own, which the reader does not see.
"""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(`{3,})\s*(\S*)\s*$")
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
ALL_OF_A_PAGE = "not run, all of this page:"
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#*$")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
CODE = re.compile(r"(`+)(.+?)\1")


@dataclasses.dataclass
class Block:
    line: int          # where its fence is, counted from 1
    language: str      # of the fence; "" for none
    text: str
    marks: list        # the comments directly before it
    heading: str       # of the section that it is in


@dataclasses.dataclass
class Page:
    path: pathlib.Path
    text: str

    @property
    def name(self):
        return str(self.path.relative_to(ROOT))


def pages():
    """Those for people, in the order in which they are read."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "deploy").glob("*/README.md"))]
    return [Page(path, path.read_text(encoding="utf-8")) for path in found]


def all_markdown():
    """Every Markdown file of the project, for links."""
    skipped = {"build", ".git", "node_modules", "subprojects"}
    for path in sorted(ROOT.rglob("*.md")):
        parts = path.relative_to(ROOT).parts
        if not any(part in skipped or part.startswith("build") for part in parts[:-1]):
            yield Page(path, path.read_text(encoding="utf-8"))


def blocks(page):
    """Its fenced blocks; and each hidden command as a block of the language `run`."""
    found, marks, heading, of_page = [], [], "", []
    lines = page.text.split("\n")
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() == fence[1]), len(lines))
            found.append(Block(at + 1, fence[2], "\n".join(lines[at + 1:end]), of_page + marks, heading))
            at, marks = end + 1, []
        elif lines[at].startswith("<!--"):
            end = next((i for i in range(at, len(lines)) if "-->" in lines[i]), len(lines) - 1)
            said = COMMENT.search("\n".join(lines[at:end + 1]))
            text = said[1].strip() if said else ""
            if text.startswith("run:"):
                found.append(Block(at + 1, "run", text[len("run:"):].strip(), [], heading))
            elif text.startswith(ALL_OF_A_PAGE):
                of_page = ["not run:" + text[len(ALL_OF_A_PAGE):]]
            else:
                marks.append(text)
            at = end + 1
        else:
            title = HEADING.match(lines[at])
            heading = title[2] if title else heading
            marks = [] if lines[at].strip() else marks
            at += 1
    return found


def prose(text):
    """The page without its fenced blocks and comments; lines keep their places."""
    kept, fence = [], None
    for line in COMMENT.sub(lambda said: "\n" * said[0].count("\n"), text).split("\n"):
        begins = FENCE.match(line)
        if fence is None and begins:
            fence = begins[1]
            kept.append("")
        elif fence is not None:
            fence = None if line.rstrip() == fence else fence
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


def anchor_of(title):
    """As GitHub makes it of a heading."""
    plain = CODE.sub(lambda code: code[2], re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title))
    plain = re.sub(r"[^\w\- ]", "", plain.replace("*", "").lower())
    return plain.replace(" ", "-")


def anchors(text):
    seen, found = {}, set()
    for line in prose(text).split("\n"):
        title = HEADING.match(line)
        if title:
            name = anchor_of(title[2])
            found.add(name if name not in seen else f"{name}-{seen[name]}")
            seen[name] = seen.get(name, 0) + 1
    return found


def links(text):
    """(line, target) of each link and picture."""
    for number, line in enumerate(prose(text).split("\n"), 1):
        for link in LINK.finditer(CODE.sub("``", line)):
            yield number, link[1]


def code_spans(text):
    """(line, text) of what stands in backticks in the prose."""
    for number, line in enumerate(prose(text).split("\n"), 1):
        for code in CODE.finditer(line):
            yield number, code[2].strip()


def cells(row):
    """Of a row of a table; a `|` in a cell is written `\\|`."""
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def tables(text):
    """{heading: [cells of each row]}, without heads and rules, in the order of the page."""
    found, heading, above = {}, "", ""
    for line in prose(text).split("\n"):
        title = HEADING.match(line)
        if title:
            heading = title[2]
        elif line.startswith("|") and above.startswith("|") and not re.fullmatch(r"[|\s:-]+", line):
            found.setdefault(heading, []).append(cells(line))
        above = line
    return found


def first_codes(rows):
    """What stands in backticks in the first cells."""
    return [code[2] for row in rows for code in CODE.finditer(row[0])]
