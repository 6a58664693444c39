"""How often a run is made, in which order, and which of them count."""
import time

from . import machine
from .programs import Missing
from .results import Run


# Of attempts that should all succeed: beyond it, others held up the client or the homes so often that
# the run tells of that.
MOST_FAILED_PERCENT = 1


class Bench:
    """Everything that rows share. `folder`: for files of a run."""

    def __init__(self, options, programs, folder, say):
        self.options = options
        self.programs = programs
        self.folder = folder
        self.say = say
        self.missing = set()
        self.ends = time.monotonic() + 60 * options.limit

    @property
    def quick(self):
        return self.options.quick

    def seconds(self, usual, quick):
        return quick if self.options.quick else usual

    def over(self):
        """Whether the time for all rows together has passed."""
        return time.monotonic() > self.ends

    def interleave(self, row, subjects, times):
        """Runs every subject once a round; [(name, function that gives figures)]. A peer that is not
        there is left out, by name. A noisy run is made again while the row has repeats left, and the
        quieter one counts. When the time for all rows is over, no further round begins."""
        left = self.options.repeats
        for number in range(1, times + 1):
            if number > 1 and self.over():
                row.notes.append(f"the time is over after {number - 1} of {times} rounds")
                break
            for name, run in subjects:
                if (row.name, name) in self.missing:
                    continue
                try:
                    taken = self._run(row, name, run, f"{number}/{times}")
                    while taken.noisy and left > 0:
                        left -= 1
                        again = self._run(row, name, run, f"{number}/{times} again: others used "
                                                          f"{taken.foreign:.0f} %")
                        taken = min(taken, again, key=lambda one: one.foreign)
                except Missing as problem:
                    self.missing.add((row.name, name))
                    row.notes.append(f"without {name}: {problem}")
                    continue
                row.runs.append(taken)

    def _run(self, row, name, run, which):
        self.say(f"row {row.name}: {name} {which}")
        foreign = machine.Foreign(self.programs.pids)
        figures = run()
        percent = foreign.percent()
        cut_off = (figures.get("failedPercent") or 0) > MOST_FAILED_PERCENT
        return Run(name, figures, round(percent, 1), percent > self.options.noise or cut_off)


class Progress:
    """Lines with the time since the beginning."""

    def __init__(self, stream):
        self.begun = time.monotonic()
        self.stream = stream

    def __call__(self, text):
        elapsed = int(time.monotonic() - self.begun)
        print(f"[{elapsed // 60}:{elapsed % 60:02d}] {text}", file=self.stream, flush=True)
