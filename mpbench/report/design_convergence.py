"""Add designs, or points to designs, until the figures of a campaign converge."""

from collections.abc import Callable, Sequence
from math import ceil

import pandas as pd

from analysis.campaign import sensitivity
from analysis.campaign.sensitivity import Line
from mpbench.engine.designs import Designs
from mpbench.errors import UserError

SIGNAL_STATUS = 128
"""An exit status from here on means that a signal stopped the campaign."""
GROWTH = 1.5
"""Points after a step, divided by the points before it. The standard deviation falls
about as the inverse square root of the points, so each step takes off a fifth."""


class Interrupted(Exception):
    """A signal stopped a campaign; `status` is the exit status of that campaign."""

    def __init__(self, status: int) -> None:
        super().__init__(f"a signal stopped the campaign (exit status {status})")
        self.status = status


class ConvergenceStudy:
    """The designs that have run so far, and the figures that came out of them.

    designs : runs the experiment over design 1, 2, ...
    metrics : names as in an experiment file
    groups : columns that split each table of runs beside `case`
    say : prints one line of progress

    status : the highest exit status of all campaigns so far
    points : the present number of points per design
    tables : the table of runs of each design that has the present number of points
    lines : the figures over these designs, see `sensitivity.lines`
    frames : one frame of figures per number of points, for `sensitivity.csv`
    """

    def __init__(
        self,
        designs: Designs,
        metrics: Sequence[str],
        groups: Sequence[str],
        say: Callable[[str], None],
    ) -> None:
        self.designs, self.say = designs, say
        self.metrics, self.groups = metrics, groups
        self.status = 0
        self.points = designs.points
        self.tables: list[pd.DataFrame] = []
        self.lines: list[Line] = []
        self.frames: list[pd.DataFrame] = []

    def add_designs(
        self, count: int, most_designs: int, until_percent: float | None
    ) -> str:
        """Run designs until no figure has a relative standard error above a limit.

        count : designs to begin with, at least 2
        most_designs : the number of designs at which to give up, at least `count`
        until_percent : the limit in percent; None runs `count` designs and no more

        Returns "" if the limit was reached, and otherwise one line that says how far
        the figures are from it. Raises Interrupted if a signal stops a campaign.
        """
        self.say(self.designs.outlook(range(1, count + 1), self.points))
        self._run(range(1, count + 1))
        while True:
            self._compute()
            error_percent = 100 * sensitivity.worst_error(self.lines)
            if until_percent is None or error_percent <= until_percent:
                return ""
            done = len(self.tables)
            if done >= most_designs:
                return (
                    f"after {done} designs the standard error is"
                    f" {error_percent:.3f} %, above {until_percent:g} %; try --add"
                    " points, or a larger --most"
                )
            self.say(
                f"The standard error is {error_percent:.3f} %, above"
                f" {until_percent:g} %: running one more design"
            )
            self._run(range(done + 1, done + 2))

    def add_points(self, count: int, most_points: int, until_percent: float) -> str:
        """Add points until no figure's standard deviation is above a limit.

        The deviation is the one between designs, which all have as many points.

        count : designs, at least 2
        most_points : the number of points per design at which to give up, at least
            as many as the experiment file has
        until_percent : the limit in percent

        Returns "" if the limit was reached, and otherwise one line that says how far
        the figures are from it. Raises Interrupted if a signal stops a campaign.
        """
        numbers = range(1, count + 1)
        while True:
            self.say(self.designs.outlook(numbers, self.points))
            self.tables = []
            self._run(numbers)
            self._compute()
            deviation_percent = 100 * sensitivity.worst_deviation(self.lines)
            if deviation_percent <= until_percent:
                return ""
            reached = (
                f"with {self.points} points the standard deviation is"
                f" {deviation_percent:.3f} %, above {until_percent:g} %"
            )
            if self.points >= most_points:
                return f"{reached}; try a larger --most, or --add designs"
            more_points = min(most_points, ceil(GROWTH * self.points))
            try:
                self.designs.outlook(numbers, more_points)
            except UserError as error:
                return f"{reached}; no more points can be had: {error}"
            self.say(
                f"{reached[0].upper()}{reached[1:]}: growing each design to"
                f" {more_points} points"
            )
            self.points = more_points

    def _run(self, numbers: range) -> None:
        for number in numbers:
            self.say(f"Design {number}, {self.points} points:")
            status, table = self.designs.run(number, self.points)
            self.status = max(self.status, status)
            if status >= SIGNAL_STATUS:
                raise Interrupted(status)
            self.tables.append(table)

    def _compute(self) -> None:
        """Compute the figures of the present designs.

        They replace earlier figures of designs with the same number of points.
        """
        self.lines = sensitivity.lines(self.tables, self.metrics, self.groups)
        frame = sensitivity.frame(self.lines)
        frame.insert(0, "experiment", self.designs.spec.name)
        frame.insert(1, "points", self.points)
        others = [f for f in self.frames if f["points"].iloc[0] != self.points]
        self.frames = [*others, frame] if len(frame) else others
