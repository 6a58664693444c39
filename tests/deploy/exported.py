"""Which metrics the programs export, and with which labels: as their sources say it, and as they answer."""
import re

import kit

SOURCES = ("src/observer", "src/controller", "src/telemetry")
CALL = re.compile(r'(?:\.(gauge|counter|histogram)|\badd)\(\s*"((?:ome|process)_\w+)"')
LABEL = re.compile(r'\{"(\w+)",')
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$")
PAIR = re.compile(r'(\w+)="(?:[^"\\]|\\.)*"')
SUFFIX = re.compile(r"_(?:bucket|sum|count)$")
# What Prometheus adds to each sample, or a panel that looks at one process needs.
OF_A_TARGET = {"job", "instance"}


def call_from(text, begin):
    """A call as it stands in the source, up to its closing parenthesis; texts may hold any sign."""
    depth, place = 0, text.index("(", begin)
    for piece in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', text[place:]):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0:
            return text[begin:place + piece.end()]
    raise ValueError("a call without an end")


def told_in_sources():
    """{name: labels that stand in the call itself}. Those that come from a variable are seen in answers only."""
    found = {}
    for folder in SOURCES:
        for path in sorted((kit.ROOT / folder).glob("*.cpp")):
            text = path.read_text()
            for call in CALL.finditer(text):
                labels = LABEL.findall(call_from(text, call.start()))
                found.setdefault(call[2], set()).update(labels)
    return found


def samples(text):
    """{name of the family: labels} of an answer of /metrics."""
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    found = {}
    for line in text.splitlines():
        sample = SAMPLE.match(line)
        if not sample or line.startswith("#"):
            continue
        name = sample[1] if sample[1] in kinds else SUFFIX.sub("", sample[1])
        found.setdefault(name, set()).update(PAIR.findall(sample[2] or ""))
        found[name].discard("le")
    return found


NAME = re.compile(r"\b((?:ome|process|probe)_\w+)\b(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"')
GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")


def named(expression):
    """[(metric, labels that it is asked for)] of a PromQL expression or a query for label values."""
    grouped = {label.strip() for labels in GROUPING.findall(expression) for label in labels.split(",")} - {""}
    of_values = re.findall(r"label_values\(.*,\s*(\w+)\)", expression)
    return [(name, set(MATCHER.findall(matchers or "")) | grouped | set(of_values))
            for name, matchers in NAME.findall(expression)
            if name not in grouped | set(of_values)]
