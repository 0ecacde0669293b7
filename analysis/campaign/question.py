"""The question of a campaign: which case is better than the baseline, and in what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analysis.campaign.columns import column_of, metric_columns, of_tool, plain
from analysis.campaign.directions import HIGHER, NONE, Direction, direction
from analysis.run.number_columns import UNITS

if TYPE_CHECKING:
    import pandas as pd

EQUAL_WITHIN_PERCENT = 2.0
"""The margin of an experiment that gives none."""
USUAL_METRICS = 2
"""The most metrics of a question that the experiment does not ask itself."""
OF_MPTCP = ("aggregation_benefit", "experimental_aggregation_benefit")
"""Metrics that no TCP has; the usual question has one of them only if it must."""
MOST_NAMED = 6
"""The most cases that the question names."""


@dataclass(frozen=True)
class Question:
    """A comparison of all other cases with one.

    baseline : the case that the others are compared with
    baselines : by case, where each has a baseline of its own; a case that is neither
        here nor a baseline is not compared. Empty: all have `baseline`
    unpaired : whether cases with other kernels may meet other losses and delays
    kernels : the label of each case's kernel, where kernels are compared
    better : the direction that is good, more or less, of each metric
    equal_within_percent : a difference that counts as none
    asked : whether the experiment asks it; otherwise it is the usual one
    points : the number of points that the experiment's own file spreads, if its design
        can grow
    grown : whether the campaign has more points than that file
    """

    baseline: str
    better: Mapping[str, Direction]
    equal_within_percent: float = EQUAL_WITHIN_PERCENT
    asked: bool = False
    points: int | None = None
    grown: bool = False
    baselines: Mapping[str, str] = field(default_factory=dict)
    kernels: Mapping[str, str] = field(default_factory=dict)
    unpaired: bool = False

    def baseline_of(self, case: str) -> str | None:
        """The case that a case is compared with; None for none."""
        if self.baselines:
            return self.baselines.get(case)
        return self.baseline if case != self.baseline else None

    def named(self, case: str) -> str:
        """A case in a page: its name, and its kernel where kernels are compared."""
        label = self.kernels.get(case)
        return f"`{case}`" if label is None else f"kernel `{label}` (`{case}`)"

    def sentence(self, cases: Sequence[str], quote: str = "") -> str:
        """The question in words.

        cases : all cases of the experiment
        quote : stands on both sides of each case's name
        """
        if self.kernels:
            return self._of_kernels(quote)
        others = [f"{quote}{case}{quote}" for case in cases if case != self.baseline]
        who = "do the other cases" if len(others) > MOST_NAMED else _which(others)
        return f"{who} have {self._wanted()} than {quote}{self.baseline}{quote}?"

    def _of_kernels(self, quote: str) -> str:
        """The question where kernels are compared."""
        labels = dict.fromkeys(self.kernels[case] for case in self.baselines)
        base = self.kernels[self.baseline]
        others = [f"{quote}{label}{quote}" for label in labels]
        few = len(others) <= MOST_NAMED
        many = len(others) > 1
        verb, kernels = ("do", "kernels") if many else ("does", "kernel")
        who = f"{verb} {kernels} {joined(others)}" if few else "do the other kernels"
        have = f"{who} have {self._wanted()} than kernel {quote}{base}{quote}"
        each = len(set(self.baselines.values())) > 1
        return f"{have}, under each transport?" if each else f"{have}?"

    def _wanted(self) -> str:
        """`higher goodput and lower smoothed RTT`."""
        better = self.better.items()
        return joined([f"{HIGHER[good]} {metric_words(name)}" for name, good in better])


def _which(cases: Sequence[str]) -> str:
    return f"{'does' if len(cases) == 1 else 'do'} {joined(cases)}"


def usual(
    cases: Sequence[str], metrics: Sequence[str], own: Mapping[str, Direction]
) -> Question | None:
    """The question of an experiment that asks none; None if there is nothing to ask.

    The first case is the baseline, and the first metrics count whose good direction is
    known. own : the directions of metrics of the user's own
    """
    known = {name: direction(name, own) for name in metrics}
    good = {name: way for name, way in known.items() if way != NONE}
    of_all = {name: way for name, way in good.items() if name not in OF_MPTCP}
    good = of_all or good
    if len(cases) < 2 or not good:
        return None
    return Question(cases[0], dict(list(good.items())[:USUAL_METRICS]))


def metric_words(name: str) -> str:
    """`goodput in handover` for the metric `handover.goodput`.

    A tool's own column has the tool's words: `exchange time max` for
    `pingpong.max_ms`.
    """
    part, label = of_tool(name)
    if label:
        words = label.partition(" [")[0]
    else:
        part, _, rest = name.rpartition(".")
        if part and column_of(rest) == rest and rest.rpartition("_")[2] in UNITS:
            part, _, tool = part.rpartition(".")
            rest = f"{tool}.{rest}"
        words = plain(column_of(rest))
    return f"{words} in {part.replace('.', ', ')}" if part else words


def joined(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    *most, final = words
    return f"{', '.join(most)} {last} {final}" if most else final


def columns(name: str, runs: "pd.DataFrame", entries: Sequence[str]) -> list[str]:
    """The columns of a metric of a question: of the run, or else of its entries.

    name : of a metric; or of a metric in a part of the run, `handover.goodput`
    """
    if name in runs.columns:
        return [name]
    part, _, rest = name.rpartition(".")
    if part:
        column = f"{part}.{column_of(rest, runs)}"
        return [column] if column in runs.columns else []
    whole = column_of(name, runs)
    found = metric_columns(name, runs, entries)
    known = whole in runs.columns and bool(runs[whole].notna().any())
    return [whole] if known or found == [whole] else [c for c in found if c != whole]
