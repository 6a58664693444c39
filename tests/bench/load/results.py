"""What was measured, as plain values that go to JSON and back."""
import dataclasses
import datetime

from . import figures

OURS = "ome-observer"


@dataclasses.dataclass
class Run:
    subject: str
    figures: dict
    foreign: float
    noisy: bool


@dataclasses.dataclass
class Goal:
    """`value` is None when nothing could be measured, and `met` then, too."""
    text: str
    value: float | None
    limit: float
    most: bool = True   # the limit is the most that is allowed, else the least

    @property
    def met(self):
        if self.value is None:
            return None
        return self.value <= self.limit if self.most else self.value >= self.limit


@dataclasses.dataclass
class Row:
    name: str
    work: str
    runs: list = dataclasses.field(default_factory=list)
    goals: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    measured: str = ""
    command: str = ""
    seconds: float = 0

    def series(self, subject, figure):
        return [run.figures.get(figure) for run in self.runs if run.subject == subject]

    def median(self, subject, figure):
        return figures.median(self.series(subject, figure))

    def ratio(self, above, below, figure="cpuMicroseconds"):
        """Median over the pairs; the first run of one belongs to the first of the other."""
        return figures.ratio_of_pairs(self.series(above, figure), self.series(below, figure))

    def subjects(self):
        return list(dict.fromkeys(run.subject for run in self.runs))

    def most(self, text, value, limit):
        self.goals.append(Goal(text, value, limit))

    def least(self, text, value, limit):
        self.goals.append(Goal(text, value, limit, most=False))


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def to_json(row):
    made = dataclasses.asdict(row)
    for goal, plain in zip(row.goals, made["goals"]):
        plain["met"] = goal.met
    return made


def from_json(plain):
    """ValueError when it is not what `to_json` made."""
    try:
        row = Row(**{**plain, "runs": [Run(**run) for run in plain["runs"]], "goals": []})
        for goal in plain["goals"]:
            row.goals.append(Goal(**{key: value for key, value in goal.items() if key != "met"}))
    except (TypeError, KeyError) as problem:
        raise ValueError(f"not a row of tools/loadtest: {problem}") from problem
    return row
