"""Results as JSON, as Markdown, and compared with earlier ones."""
import json
import pathlib

from . import figures, results

FORMAT = 1
BEGIN, END = "<!-- figures: tools/loadtest -->", "<!-- end of figures -->"

# Figure: heading and how it is shown.
SHOWN = {
    "cpuMicroseconds": ("CPU, us an attempt", "{:.1f}"),
    "perSecond": ("attempts/s", "{:,.0f}"),
    "busyPercent": ("% of a core", "{:.0f}"),
    "latenessP50": ("late p50, ms", "{:.2f}"),
    "latenessP99": ("late p99, ms", "{:.2f}"),
    "latenessP999": ("late p99.9, ms", "{:.2f}"),
    "latenessMax": ("late max, ms", "{:.1f}"),
    "rssMiB": ("memory, MiB", "{:.1f}"),
    "bytesPerHome": ("bytes a home", "{:,.0f}"),
}


def load(path):
    """The document of a file; ValueError when it is not one of ours."""
    try:
        document = json.loads(pathlib.Path(path).read_text())
    except ValueError as problem:
        raise ValueError(f"{path}: not JSON: {problem}") from problem
    if not isinstance(document, dict) or document.get("format") != FORMAT or "rows" not in document:
        raise ValueError(f"{path}: not a file of tools/loadtest --output")
    document["rows"] = [results.from_json(row) for row in document["rows"]]
    return document


def merged(document, earlier, order):
    """`document` with the rows of `earlier` that were not measured now."""
    measured = {row.name for row in document["rows"]}
    rows = document["rows"] + [row for row in earlier["rows"] if row.name not in measured]
    return {**document, "rows": sorted(rows, key=lambda row: order.index(row.name))}


def to_json(document):
    plain = {**document, "rows": [results.to_json(row) for row in document["rows"]]}
    return json.dumps(plain, indent=1) + "\n"


def _number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _shown(figure, value):
    return SHOWN[figure][1].format(value) if figure in SHOWN else _number(value)


def spread(row, subject, figure):
    """`median [least..most]`; empty where nothing was measured."""
    values = [value for value in row.series(subject, figure) if value is not None]
    if not values:
        return ""
    middle = _shown(figure, figures.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} [{_shown(figure, min(values))}..{_shown(figure, max(values))}]"


def _goal_line(row, goal):
    met = {True: "yes", False: "**no**", None: "not measured"}[goal.met]
    value = "-" if goal.value is None else _number(goal.value)
    sense = "<=" if goal.most else ">="
    return f"| {row.name} | {goal.text} | {sense} {_number(goal.limit)} | {value} | {met} |"


def goals_table(rows):
    return ["| Row | Goal | Limit | Measured | Met |", "| --- | --- | --- | --- | --- |",
            *(_goal_line(row, goal) for row in rows for goal in row.goals)]


def _figures_of(row):
    known = [figure for figure in SHOWN if any(figure in run.figures for run in row.runs)]
    other = [figure for run in row.runs for figure in run.figures if figure not in SHOWN]
    return known, list(dict.fromkeys(other))


def _row_section(row):
    known, other = _figures_of(row)
    heads = ["who", "runs", *(SHOWN[figure][0] for figure in known)]
    lines = [f"### {row.name}. {row.work}", "", "| " + " | ".join(heads) + " |",
             "|" + " --- |" * len(heads)]
    for subject in row.subjects():
        runs = [run for run in row.runs if run.subject == subject]
        cells = [subject, str(len(runs)), *(spread(row, subject, figure) for figure in known)]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    for subject in row.subjects():
        further = [f"{figure} {spread(row, subject, figure)}" for figure in other
                   if spread(row, subject, figure)]
        if further:
            lines.append(f"{subject}: {'; '.join(further)}.")
            lines.append("")
    noisy = sum(run.noisy for run in row.runs)
    most = max((run.foreign for run in row.runs), default=0)
    lines.append(f"Measured {row.measured} with `{row.command}`, in {row.seconds:.0f} s. Others used at most "
                 f"{most:.0f} % of the machine during a run; {noisy} of {len(row.runs)} runs count as noisy.")
    lines += [f"* {note}" for note in dict.fromkeys(row.notes)]
    return [*lines, ""]


def to_markdown(document):
    machine = document["machine"]
    lines = [f"{document['measured']}; below each row stands when and how it was measured.", "",
             f"Machine: {machine['cores']} cores ({machine['model']}), {machine['memoryGiB']} GiB, Linux "
             f"{machine['kernel']}, at most {machine['descriptors']} descriptors.", "",
             "Versions: " + "; ".join(text or f"no {name}"
                                      for name, text in document["versions"].items()) + ".", "",
             *goals_table(document["rows"]), ""]
    for row in document["rows"]:
        lines += _row_section(row)
    return "\n".join(lines)


def write_markdown(path, text):
    """Between the marks of a document that has them, else the whole file."""
    path = pathlib.Path(path)
    old = path.read_text() if path.exists() else ""
    if BEGIN in old and END in old:
        before, rest = old.split(BEGIN, 1)
        text = before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END, 1)[1]
    path.write_text(text)


def compare(new, old):
    """Lines with new / old for each figure that both have, of every subject of a row."""
    lines = ["| Row | Who | Figure | Before | Now | Ratio |", "| --- | --- | --- | --- | --- | --- |"]
    earlier = {row.name: row for row in old["rows"]}
    for row in new["rows"]:
        if row.name not in earlier:
            lines.append(f"| {row.name} | | not in the baseline | | | |")
            continue
        before = earlier[row.name]
        for subject in row.subjects():
            for figure in dict.fromkeys(name for run in row.runs if run.subject == subject
                                        for name in run.figures):
                pair = before.median(subject, figure), row.median(subject, figure)
                if None not in pair and pair[0]:
                    lines.append(f"| {row.name} | {subject} | {figure} | {_shown(figure, pair[0])} | "
                                 f"{_shown(figure, pair[1])} | {pair[1] / pair[0]:.2f} |")
        for goal, then in zip(row.goals, before.goals):
            if goal.text == then.text and goal.value is not None and then.value:
                lines.append(f"| {row.name} | goal | {goal.text} | {_number(then.value)} | {_number(goal.value)} | "
                             f"{goal.value / then.value:.2f} |")
    return lines
