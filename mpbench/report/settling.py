"""More designs, or larger ones, until the figures of a campaign settle."""

from collections.abc import Callable, Sequence
from math import ceil

import pandas as pd

from analysis.campaign import sensitivity
from analysis.campaign.sensitivity import Line
from mpbench.engine.designs import Designs
from mpbench.errors import UserError

SIGNALLED = 128
GROWTH = 1.5
"""Points after a step by points before it. The deviation falls about as the inverse
root of the points, so a step takes off a fifth."""


class Interrupted(Exception):
    """A campaign was stopped by a signal; `status` is its exit status."""

    def __init__(self, status: int) -> None:
        self.status = status


class Study:
    """Designs that were run so far, and what came out.

    status : the worst exit status of a campaign
    points : of each design
    frames : one of every size of the designs, for the file
    """

    def __init__(
        self,
        series: Designs,
        wanted: Sequence[str],
        groups: Sequence[str],
        until_percent: float | None,
        say: Callable[[str], None],
    ) -> None:
        self.series, self.say = series, say
        self.wanted, self.groups = wanted, groups
        self.until_percent = until_percent
        self.status = 0
        self.points = series.points
        self.tables: list[pd.DataFrame] = []
        self.found: list[Line] = []
        self.frames: list[pd.DataFrame] = []

    def repeat(self, designs: int, most: int) -> str:
        """Run `designs`, and more until their mean is sure; empty, or why not."""
        self.say(self.series.outlook(range(1, designs + 1), self.points))
        self._run(range(1, designs + 1))
        while True:
            self._compute()
            worst = 100 * sensitivity.worst_error(self.found)
            if self.until_percent is None or worst <= self.until_percent:
                return ""
            if len(self.tables) >= most:
                return (
                    f"after {len(self.tables)} designs the standard error is"
                    f" {worst:.3f} %, above {self.until_percent:g} %; --add points, or"
                    " a larger --most"
                )
            self.say(
                f"Standard error of {worst:.3f} %, above {self.until_percent:g} %: one"
                " more"
            )
            self._run(range(len(self.tables) + 1, len(self.tables) + 2))

    def grow(self, designs: int, most: int) -> str:
        """Run `designs`, and add points until one is like another; empty or why not."""
        assert self.until_percent is not None
        while True:
            self.say(self.series.outlook(range(1, designs + 1), self.points))
            self.tables = []
            self._run(range(1, designs + 1))
            self._compute()
            worst = 100 * sensitivity.worst_deviation(self.found)
            if worst <= self.until_percent:
                return ""
            reached = (
                f"with {self.points} points the standard deviation is {worst:.3f} %,"
                f" above {self.until_percent:g} %"
            )
            if self.points >= most:
                return f"{reached}; a larger --most, or --add designs"
            more = min(most, ceil(GROWTH * self.points))
            try:
                self.series.outlook(range(1, designs + 1), more)
            except UserError as error:
                return f"{reached}; no more points can be had: {error}"
            self.say(f"{reached[0].upper()}{reached[1:]}: half as many again")
            self.points = more

    def _run(self, numbers: range) -> None:
        for number in numbers:
            self.say(f"Design {number}, {self.points} points:")
            status, table = self.series.run(number, self.points)
            self.status = max(self.status, status)
            if status >= SIGNALLED:
                raise Interrupted(status)
            self.tables.append(table)

    def _compute(self) -> None:
        """The figures of the designs as they are; earlier ones of this size go."""
        self.found = sensitivity.lines(self.tables, self.wanted, self.groups)
        frame = sensitivity.frame(self.found)
        frame.insert(0, "experiment", self.series.spec.name)
        frame.insert(1, "points", self.points)
        kept = [each for each in self.frames if each["points"].iloc[0] != self.points]
        self.frames = [*kept, frame] if len(frame) else kept
