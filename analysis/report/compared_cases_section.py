"""Cases of a campaign compared in the same networks, as a section of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign import comparison
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import column_of, label, without_mathematics
from analysis.campaign.comparison import RESAMPLES, Interval
from analysis.campaign.numbers import digits, is_number
from analysis.figures import palette, style
from analysis.figures.data import MPTCP_METRICS, networks
from analysis.report.markdown import markdown

NAME = "cases-compared"
"""The picture's file, without suffix."""
MOST_CASES = 4
"""Up to this many cases, every two are compared; of more, each with the first."""
LEAST_NETWORKS = 3
MOST_PANELS = 6
"""The picture shows the first metrics only; the table shows all."""
ROUNDING = 1e-9
"""Values of two cases that are relatively closer than this are the same."""
SEED = 1
"""Of the bootstrap, so that the same results give the same page."""
WIDTH_INCHES, LINE_INCHES, FRAME_INCHES = 7.16, 0.24, 0.75


@dataclass(frozen=True)
class Difference:
    """A metric in two cases, network by network.

    column : of the metric in the table of runs
    differences : second less first, one per network, shape (n,), the metric's unit
    first, second : medians of the two cases over these networks
    median : of the differences
    """

    metric: str
    column: str
    cases: tuple[str, str]
    differences: np.ndarray
    first: float
    second: float
    median: Interval

    @property
    def above(self) -> int:
        """The number of networks in which the second case has more."""
        return int((self.differences > 0).sum())

    @property
    def below(self) -> int:
        return int((self.differences < 0).sum())

    @property
    def name(self) -> str:
        first, second = self.cases
        return f"{second} - {first}"


def compared(campaign: Campaign) -> list[Difference]:
    """The differences of each metric, metrics in the experiment's order.

    Repetitions of a network are averaged first; of a single network, the repetitions
    are compared. Two cases with fewer than LEAST_NETWORKS networks in common that are
    ok in both are left out.
    """
    runs, rng = campaign.ok_runs, np.random.default_rng(SEED)
    if runs.empty:
        return []
    found = []
    for metric in dict.fromkeys(campaign.metrics):
        if not is_number(runs, column_of(metric, runs)):
            continue
        for cases in _pairs_of_cases(runs, metric):
            made = _difference(runs, metric, cases, rng)
            found += [made] if made else []
    return found


def _pairs_of_cases(runs: pd.DataFrame, metric: str) -> list[tuple[str, str]]:
    """The cases to compare; those without the metric take no part."""
    known = runs[runs[column_of(metric, runs)].notna()]
    if metric in MPTCP_METRICS:
        known = known[known["protocol"] == "mptcp"]
    # In the order of the campaign, in which the first one is the reference.
    with_metric = set(known["case"])
    cases = [str(case) for case in runs["case"].unique() if case in with_metric]
    if len(cases) <= MOST_CASES:
        return list(combinations(cases, 2))
    return [(cases[0], other) for other in cases[1:]]


def _difference(
    runs: pd.DataFrame, metric: str, cases: tuple[str, str], rng: np.random.Generator
) -> Difference | None:
    first, second = cases
    pairs = comparison.pairs(runs, runs, ["point"], {first: second}, metric)
    if len(pairs) < LEAST_NETWORKS:
        return None
    by_network = networks(pairs, ["case"])
    alone = len(pairs["point"].unique()) == 1
    if alone and len(by_network.drop_duplicates(["first", "second"])) == 1:
        by_network = by_network.iloc[:1]  # identical repetitions tell one thing
    differences = by_network["difference"].to_numpy(float)
    # A mean over repetitions may differ in its last digit where nothing differs.
    same = np.isclose(by_network["second"], by_network["first"], rtol=ROUNDING, atol=0)
    differences = np.where(same, 0.0, differences)
    return Difference(
        metric=metric,
        column=column_of(metric, runs),
        cases=cases,
        differences=differences,
        first=float(by_network["first"].median()),
        second=float(by_network["second"].median()),
        median=comparison.interval(differences, np.median, rng),
    )


def lines(found: Sequence[Difference], picture: str | None) -> Iterator[str]:
    """The section; nothing without differences. picture : the picture's file"""
    if not found:
        return
    yield "## Cases compared"
    yield ""
    if picture:
        yield f"![Differences between cases in the same network]({picture})"
        yield ""
    rows = [
        [
            without_mathematics(label(line.column)),
            line.name,
            str(len(line.differences)),
            digits(line.second),
            digits(line.first),
            _signed(line.median.estimate),
            _interval(line.median),
            str(line.above),
            str(line.below),
        ]
        for line in found
    ]
    head = ["metric", "cases A - B", "n", "A", "B", "median of A - B", "95 % interval"]
    yield from markdown([*head, "A > B", "A < B"], rows, numbers_from=2)
    yield (
        "Each row subtracts case B from case A in the same network, so what differs"
        " between networks cancels out. n counts the networks in which both cases are"
        " ok; repetitions of a network are averaged. For a single network, n counts"
        " repetitions, and repetitions that are all identical count as one. A and B are"
        " the medians over these networks. The interval is a bootstrap interval (BCa,"
        f" {RESAMPLES} resamples) of the median difference. It needs n of"
        f" {comparison.least_values(0.95)}, because with fewer even the range of all"
        " values misses the median too often. If it holds 0, these networks do not say"
        " which case has more. The last two columns count the networks in which A has"
        " more, and less. Each interval stands for itself: of twenty rows without any"
        " difference, one misses 0 on average."
    )
    yield ""


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{digits(value)}"


def _interval(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"needs {comparison.least_values(0.95)}"
    return f"{_signed(interval.low)} to {_signed(interval.high)}"


def draw(
    found: Sequence[Difference], campaign: Campaign, target: style.Target
) -> str | None:
    """Draw the differences, one panel per metric; the name of the picture's file."""
    metrics = list(dict.fromkeys(line.metric for line in found))[:MOST_PANELS]
    if not metrics:
        return None
    target = replace(target, name=NAME)
    numbers = palette.case_numbers(campaign.runs["case"])
    by_metric = [[line for line in found if line.metric == name] for name in metrics]
    heights = [len(panel) * LINE_INCHES + FRAME_INCHES for panel in by_metric]
    with style.styled(target.look):
        figure, panels = style.grid(1, len(metrics))
        figure.set_size_inches(WIDTH_INCHES, sum(heights))
        for axis, panel in zip(panels, by_metric, strict=True):
            _panel(axis, panel, numbers)
        style.save(figure, target)
    return f"{NAME}.{target.look.formats[0]}"


def _panel(axis: Axes, panel: Sequence[Difference], numbers: dict[str, int]) -> None:
    """A line per two cases: a dot per network, and the median with its interval."""
    axis.axvline(0, color=palette.GREY, linewidth=0.8, zorder=0)
    for place, line in enumerate(panel):
        colour = palette.colour(numbers[line.cases[1]])
        # A golden-ratio spread keeps dots apart, and the same in every drawing.
        apart = (np.arange(1, len(line.differences) + 1) * 0.618034) % 1 - 0.5
        order = np.argsort(line.differences, kind="stable")
        axis.scatter(
            line.differences[order],
            place + 0.6 * apart,
            s=10,
            color=colour,
            alpha=0.5,
            linewidths=0,
        )
        if line.median.low is not None and line.median.high is not None:
            ends = [line.median.low, line.median.high]
            axis.plot(ends, [place, place], color="black", linewidth=1.6)
        axis.plot(line.median.estimate, place, "D", color="black", markersize=3.5)
    axis.set_yticks(range(len(panel)), [line.name for line in panel])
    for name in axis.get_yticklabels():
        name.set_parse_math(False)
    axis.set_ylim(len(panel) - 0.45, -0.55)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel(f"difference of {label(panel[0].column)}")
