"""Picture of cases compared in the same networks: a dot per network, with medians."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, plain, plain_label
from analysis.campaign.numbers import bytes_text
from analysis.figures import palette, scales, style
from analysis.report.compared_cases import Comparison, Difference, interval_text, signed

NAME = "cases-compared"
"""The picture's file, without suffix."""
MOST_PANELS = 6
"""The picture shows the first metrics only; the table shows all."""
LEAST_PART = 0.1
"""The part of an axis that its usual dots keep."""
MOST_LETTERS = 40
"""The longest name of a line; the middle of a longer one is left out."""
WIDTH_INCHES, LINE_INCHES, FRAME_INCHES = 7.16, 0.24, 0.75


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


def outside(made: Comparison) -> Iterator[str]:
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
    usual = scales.cut(values, most_beyond=1)
    if usual is None:
        return None
    whole = scales.cut(values, map(_marks, panel), most_beyond=1)
    low, high = (whole.low, whole.high) if whole else (values.min(), values.max())
    return whole if usual.high - usual.low >= LEAST_PART * (high - low) else usual


def _marks(line: Difference) -> list[float]:
    """The median of a line and the ends of its interval, if it has one."""
    ends = (line.median.low, line.median.high)
    return [line.median.estimate, *(end for end in ends if end is not None)]


def _outside_mark(axis: Axes, place: int, line: Difference, above: bool) -> None:
    """The median of a line whose dots lie outside, as a number at the edge."""
    text = signed(line.median.estimate)
    if line.median.low is not None:
        text += f" ({interval_text(line.median)})"
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
    axis.set_yticks(range(len(names)), shortened(names))
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


def shortened(names: Sequence[str]) -> list[str]:
    """Names that leave an axis its place, as distinct as they were.

    The table beside the picture has the whole names.
    """
    half = (MOST_LETTERS - 1) // 2
    short = [
        name if len(name) <= MOST_LETTERS else f"{name[:half]}…{name[-half:]}"
        for name in names
    ]
    return short if len(set(short)) == len(set(names)) else list(names)


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
