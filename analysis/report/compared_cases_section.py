"""Cases of a campaign compared in the same networks, as a section of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign import comparison, listed, sample_sizes
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, metric_columns, plain, plain_label
from analysis.campaign.comparison import RESAMPLES, Interval
from analysis.campaign.numbers import bytes_text, digits, is_number
from analysis.campaign.observations import networks
from analysis.figures import palette, scales, style
from analysis.figures.data import MULTIPATH_METRICS, multipath
from analysis.report.markdown import markdown
from analysis.words import many
from jobs.protocol import ONE_PATH

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
MOST_TOLD = 12
"""The most reasons that the page lists."""
LEVEL = 0.95
"""Confidence of the intervals."""
READING = (
    "Each row subtracts case B from case A in the same network, so what differs"
    " between networks cancels out. n counts the networks in which both cases are"
    " ok; repetitions of a network are averaged. For a single network, n counts"
    " repetitions, and repetitions that are all identical count as one. A and B are"
    " the medians over these networks. The interval is a bootstrap interval (BCa,"
    f" {RESAMPLES} resamples) of the median difference. It needs n of"
    f" {sample_sizes.least_values(LEVEL)}, because with fewer even the range of all"
    " values misses the median too often. If it holds 0, these networks do not say"
    " which case has more. The last two columns count the networks in which A has"
    " more, and less. Each interval stands for itself: of twenty rows without any"
    " difference, one misses 0 on average."
)
LEAST_PART = 0.1
"""The part of an axis that its usual dots keep."""
WIDTH_INCHES, LINE_INCHES, FRAME_INCHES = 7.16, 0.24, 0.75


@dataclass(frozen=True)
class Difference:
    """A metric in two cases, network by network.

    column : of the metric in the table of runs
    place : value of each listed factor that splits the networks
    differences : second less first, one per network, shape (n,), the metric's unit
    first, second : medians of the two cases over these networks
    median : of the differences
    """

    metric: str
    column: str
    cases: tuple[str, str]
    place: tuple[str, ...]
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


@dataclass(frozen=True)
class TooFew:
    """Two cases with too few networks in common.

    cases : the two, in words, with the values of listed factors
    common : number of networks in common, in words
    """

    cases: str
    metric: str
    common: str


@dataclass(frozen=True)
class Comparison:
    """The cases of a campaign, compared.

    found : the differences, in the order of the experiment's metrics
    split : listed factors that split the networks
    left_out : sentences on cases that are not compared
    """

    found: tuple[Difference, ...]
    split: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def compared(campaign: Campaign) -> Comparison:
    """The differences of each metric, metrics in the experiment's order.

    Repetitions of a network are averaged first; of a single network, the repetitions
    are compared. A network comes with every value of a listed factor, so each value is
    compared by itself. Two cases with fewer than LEAST_NETWORKS networks in common that
    are ok in both are left out.
    """
    runs, rng = campaign.ok_runs, np.random.default_rng(SEED)
    if runs.empty:
        return Comparison(())
    every = listed.factors(runs, campaign.factors, campaign.listed)
    crossed = listed.crossed(runs, campaign.factors, every)
    split = listed.splitting(runs, crossed)
    found: list[Difference] = []
    left_out, few = list(_without_runs(campaign)), list[TooFew]()
    for metric in dict.fromkeys(campaign.metrics):
        for column in metric_columns(metric, runs, campaign.entries):
            if not is_number(runs, column) or runs[column].isna().all():
                continue
            pairs, why_not = _pairs_of_cases(runs, metric, column)
            left_out += why_not
            for place, part in _parts(runs, split):
                for cases in pairs:
                    made = _difference(part, metric, column, cases, place, rng)
                    if isinstance(made, TooFew):
                        few.append(made)
                    else:
                        found.append(made)
    left_out += _too_few(few)
    return Comparison(tuple(found), tuple(split), tuple(dict.fromkeys(left_out)))


def _too_few(pairs: Sequence[TooFew]) -> Iterator[str]:
    """One sentence per number of networks in common, with the pairs and the metrics."""
    by_pair: dict[tuple[str, str], list[str]] = {}
    for one in pairs:
        by_pair.setdefault((one.common, one.cases), []).append(one.metric)
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (common, cases), metrics in by_pair.items():
        grouped.setdefault((common, tuple(metrics)), []).append(cases)
    for (common, told), named in grouped.items():
        yield (
            f"{', '.join(told)}: {', '.join(named)}: {common} in common;"
            f" {LEAST_NETWORKS} can be compared, and an interval needs"
            f" {sample_sizes.least_values(LEVEL)}"
        )


def _without_runs(campaign: Campaign) -> Iterator[str]:
    there = set(campaign.ok_runs["case"])
    for case in campaign.runs["case"].unique():
        if case not in there:
            yield f"`{case}`: no run is ok"


def _parts(
    runs: pd.DataFrame, split: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The runs of each value of the listed factors, with the values in words."""
    if not split:
        yield (), runs
        return
    for values, part in runs.groupby(list(split), sort=False):
        yield tuple(map(listed.value_text, values)), part


def _pairs_of_cases(
    runs: pd.DataFrame, metric: str, column: str
) -> tuple[list[tuple[str, str]], list[str]]:
    """The cases to compare, and why others are not."""
    what = plain(column)
    known = runs[runs[column].notna()]
    why_not = []
    # In the order of the campaign, in which the first one is the reference.
    every = [str(case) for case in runs["case"].unique()]
    if metric in MULTIPATH_METRICS:
        known = multipath(known)
        for protocol in ONE_PATH:
            of_it = set(runs[runs["protocol"] == protocol]["case"].map(str))
            if single := [case for case in every if case in of_it]:
                why_not.append(
                    f"{what}: {_named(single)}: {protocol.upper()} has one path"
                )
                every = [case for case in every if case not in of_it]
    with_metric = set(known["case"])
    if absent := [case for case in every if case not in with_metric]:
        why_not.append(f"{what}: {_named(absent)}: no run that is ok has it")
    cases = [case for case in every if case in with_metric]
    if len(cases) <= MOST_CASES:
        return list(combinations(cases, 2)), why_not
    why_not.append(
        f"{what}: of more than {MOST_CASES} cases, each is compared with `{cases[0]}`"
        " alone"
    )
    return [(cases[0], other) for other in cases[1:]], why_not


def _named(cases: Sequence[str]) -> str:
    return ", ".join(f"`{case}`" for case in cases)


def _difference(
    runs: pd.DataFrame,
    metric: str,
    column: str,
    cases: tuple[str, str],
    place: tuple[str, ...],
    rng: np.random.Generator,
) -> "Difference | TooFew":
    """The difference of two cases, or why they are not compared."""
    first, second = cases
    pairs = comparison.pairs(runs, runs, ["point"], {first: second}, column)
    if len(pairs) < LEAST_NETWORKS:
        alone = runs["point"].nunique() == 1
        what = many(len(pairs), "repetition" if alone else "network")
        where = f", {', '.join(place)}" if place else ""
        return TooFew(f"`{second}` - `{first}`{where}", plain(column), what)
    by_network = networks(pairs, ["case"])
    differences = by_network["difference"].to_numpy(float)
    # A mean over repetitions may differ in its last digit where nothing differs.
    same = np.isclose(by_network["second"], by_network["first"], rtol=ROUNDING, atol=0)
    differences = np.where(same, 0.0, differences)
    return Difference(
        metric=metric,
        column=column,
        cases=cases,
        place=place,
        differences=differences,
        first=float(by_network["first"].median()),
        second=float(by_network["second"].median()),
        median=comparison.interval(differences, np.median, rng, LEVEL),
    )


def lines(made: Comparison, pictures: Sequence[str]) -> Iterator[str]:
    """The section; nothing without cases to compare. pictures : the pictures' files"""
    if not made.found and not made.left_out:
        return
    yield "## Cases compared"
    yield ""
    for picture in pictures:
        yield f"![Differences between cases in the same network]({picture})"
        yield ""
    outside = list(_outside(made)) if pictures else []
    if outside:
        yield f"{' '.join(outside)} The table counts all networks."
        yield ""
    rows = [
        [
            plain_label(line.column),
            line.name,
            *line.place,
            str(len(line.differences)),
            digits(line.second),
            digits(line.first),
            _signed(line.median.estimate),
            _interval(line.median),
            str(line.above),
            str(line.below),
        ]
        for line in made.found
    ]
    head = ["metric", "cases A - B", *map(plain_label, made.split), "n", "A", "B"]
    head += ["median of A - B", "95 % interval", "A > B", "A < B"]
    if rows:
        yield from markdown(head, rows, numbers_from=2)
        yield READING
        yield ""
    if made.left_out:
        yield "Not compared:"
        yield ""
        shown = made.left_out[:MOST_TOLD]
        yield from (f"- {reason}." for reason in shown)
        if more := len(made.left_out) - len(shown):
            yield f"- {more} more of the same kind."
        yield ""


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{digits(value)}"


def _interval(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"needs {sample_sizes.least_values(LEVEL)}"
    return f"{_signed(interval.low)} to {_signed(interval.high)}"


def draw(made: Comparison, campaign: Campaign, target: style.Target) -> tuple[str, ...]:
    """Draw the differences, one panel per metric; the names of the pictures' files.

    No picture is taller than a page.
    """
    columns = list(dict.fromkeys(line.column for line in made.found))[:MOST_PANELS]
    numbers = palette.case_numbers(campaign.runs["case"])
    most = int((style.PAGE_INCHES - FRAME_INCHES) / LINE_INCHES)
    every: list[Sequence[Difference]] = []
    for name in columns:
        of_column = [line for line in made.found if line.column == name]
        every += _parts_of_pages(of_column, most)
    pages: list[list[Sequence[Difference]]] = []
    for panel in every:
        if not pages or _inches([*pages[-1], panel]) > style.PAGE_INCHES:
            pages.append([])
        pages[-1].append(panel)
    names = [NAME if i == 0 else f"{NAME}-page-{i + 1}" for i in range(len(pages))]
    for name, page in zip(names, pages, strict=True):
        _picture(page, made.split, numbers, replace(target, name=name))
    return tuple(f"{name}.{target.look.formats[0]}" for name in names)


def _inches(panels: Sequence[Sequence[Difference]]) -> float:
    """The height of a picture."""
    rows = [len(panel) + _headings(panel) for panel in panels]
    return sum(count * LINE_INCHES + FRAME_INCHES for count in rows)


def _headings(panel: Sequence[Difference]) -> int:
    """The number of rows with the values of listed factors above the rows of these."""
    return sum(1 for place in dict.fromkeys(line.place for line in panel) if place)


def _parts_of_pages(
    lines: Sequence[Difference], most: int
) -> list[Sequence[Difference]]:
    """The lines of a metric in parts, each of at most that many rows."""
    parts: list[list[Difference]] = [[]]
    for line in lines:
        if len(parts[-1]) + 1 + _headings([*parts[-1], line]) > most:
            parts.append([])
        parts[-1].append(line)
    return [part for part in parts if part]


def _place_words(split: Sequence[str], place: Sequence[str]) -> str:
    """The values of the listed factors, such as `path 1 loss 0.5 %`."""
    words = []
    for column, value in zip(split, place, strict=True):
        what, _, unit = plain_label(column).partition(" [")
        unit = unit.rstrip("]")
        text = bytes_text(float(value)) if unit == "bytes" else f"{value} {unit}"
        words.append(f"{what} {text}".rstrip())
    return ", ".join(words)


def _picture(
    panels: Sequence[Sequence[Difference]],
    split: Sequence[str],
    numbers: dict[str, int],
    target: style.Target,
) -> None:
    ratios = [_inches([panel]) for panel in panels]
    with style.styled(target.look):
        figure, axes = style.grid(1, len(panels), ratios)
        figure.set_size_inches(WIDTH_INCHES, sum(ratios))
        for axis, panel in zip(axes, panels, strict=True):
            _panel(axis, panel, split, numbers)
        style.save(figure, target)


def _outside(made: Comparison) -> Iterator[str]:
    """Sentences on the dots that lie outside of the pictures."""
    for column in list(dict.fromkeys(line.column for line in made.found))[:MOST_PANELS]:
        of_column = [line for line in made.found if line.column == column]
        if told := scales.told(_shown(of_column), len(_values(of_column)), "dots"):
            yield f"{plain(column)[0].upper()}{plain(column)[1:]}: {told}"


def _values(panel: Sequence[Difference]) -> np.ndarray:
    return np.concatenate([line.differences for line in panel])


def _shown(panel: Sequence[Difference]) -> scales.Range | None:
    """The range of a panel's axis; None if it shows all dots.

    Medians and intervals are what a reader looks for, so the axis holds them all,
    unless that leaves the usual dots less than LEAST_PART of it.
    """
    values = _values(panel)
    usual = scales.cut(values)
    if usual is None:
        return None
    whole = scales.cut(values, map(_marks, panel))
    low, high = (whole.low, whole.high) if whole else (values.min(), values.max())
    return whole if usual.high - usual.low >= LEAST_PART * (high - low) else usual


def _marks(line: Difference) -> list[float]:
    """The median of a line and the ends of its interval, if it has one."""
    ends = (line.median.low, line.median.high)
    return [line.median.estimate, *(end for end in ends if end is not None)]


def _outside_mark(axis: Axes, place: int, line: Difference, above: bool) -> None:
    """The median of a line whose dots lie outside, as a number at the edge."""
    text = _signed(line.median.estimate)
    if line.median.low is not None:
        text += f" ({_interval(line.median)})"
    axis.annotate(
        f"{text} \N{RIGHTWARDS ARROW}" if above else f"\N{LEFTWARDS ARROW} {text}",
        (1.0 if above else 0.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(-4 if above else 4, 0),
        textcoords="offset points",
        ha="right" if above else "left",
        va="center",
        color="black",
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8},
    )


def _panel(
    axis: Axes,
    panel: Sequence[Difference],
    split: Sequence[str],
    numbers: dict[str, int],
) -> None:
    """A line per two cases: a dot per network, and the median with its interval.

    Lines of one value of a listed factor stand below a row with this value.
    """
    axis.axvline(0, color=palette.GREY, linewidth=0.8, zorder=0)
    names: list[str] = []
    places: list[int] = []
    headings: list[int] = []
    before: tuple[str, ...] = ()
    for line in panel:
        if line.place != before:
            before = line.place
            headings.append(len(names))
            names.append(_place_words(split, before))
        places.append(len(names))
        names.append(line.name)
        _line(axis, places[-1], line, palette.colour(numbers[line.cases[1]]))
    axis.set_yticks(range(len(names)), names)
    for name in axis.get_yticklabels():
        name.set_parse_math(False)
    for place in headings:
        axis.get_yticklabels()[place].set_fontweight("bold")
        if place:
            axis.axhline(place - 0.5, color=palette.GREY, linewidth=0.5, zorder=0)
    axis.set_ylim(len(names) - 0.45, -0.55)
    if shown := _shown(panel):
        low, high = min(shown.ends[0], 0), max(shown.ends[1], 0)
        axis.set_xlim(low, high)
        for place, line in zip(places, panel, strict=True):
            if not low <= line.median.estimate <= high:
                _outside_mark(axis, place, line, line.median.estimate > high)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel(f"difference of {label(panel[0].column)}")


def _line(axis: Axes, place: int, line: Difference, colour: str) -> None:
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
