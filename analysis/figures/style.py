"""Look of all figures, and the way in which they are saved."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis.figures import ticks
from analysis.figures.scales import LEAST_SPAN, WIDENED_SPAN

if TYPE_CHECKING:
    from matplotlib.backends.backend_pdf import PdfPages

T = TypeVar("T")
LEGEND_ROW_INCHES = 0.18
OWN_FORMULAS = re.compile(r"\$(A_B|E_\{AB\}|R_N)\$|\\\$")
"""Parts of labels that are formulas; any other dollar sign is part of somebody's
name."""
PANEL_INCHES = (4.4, 3.1)
PAGE_INCHES = 9.7
"""The tallest picture: the text of a page of A4 or letter, without a caption."""
LEAST_BOX = 5
"""Fewer values are points, because five numbers make a box."""
DPI = 160
FONTS = {"sans": "DejaVu Sans", "serif": "DejaVu Serif"}
"""Fonts that come with matplotlib, so that a figure is the same everywhere."""
COLUMN_INCHES = {1: 3.5, 2: 7.16}
"""Widths of one and of two columns of an IEEE paper; ACM's are close to them."""
PAPER_POINTS = 8
"""Font size of a figure as wide as a paper's columns."""
SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.formatter.useoffset": False,
    "svg.hashsalt": "mpbench",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""No dates and versions, so that equal figures are equal files."""
HASHED_ID = re.compile(r'\bid="([a-z][0-9a-f]{10})"')
ANY_HASHED = re.compile(r"\b[a-z][0-9a-f]{10}\b")


@dataclass(frozen=True)
class Look:
    """Look of all figures of a page.

    font : one of FONTS
    columns : width in columns of a paper, 1 or 2; None for the width that the content
        needs
    formats : suffixes of the files
    """

    font: str = "sans"
    columns: int | None = None
    formats: tuple[str, ...] = ("png", "svg")

    @property
    def narrow(self) -> bool:
        """Whether panels go below one another."""
        return self.columns == 1


@dataclass(frozen=True)
class Target:
    """The place where a figure is saved.

    name : name of its files, without suffix
    album : a PDF file to which the figure is added as a page
    """

    folder: Path
    name: str
    look: Look = Look()
    album: "PdfPages | None" = None


@contextmanager
def styled(look: Look) -> Iterator[None]:
    settings = {**SETTINGS, "font.family": FONTS[look.font]}
    if look.columns:
        settings |= {"font.size": PAPER_POINTS, "axes.titlesize": PAPER_POINTS}
        settings |= {"legend.fontsize": PAPER_POINTS - 1}
    with matplotlib.rc_context(settings):
        yield


def panels(columns: int, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of its own, without pyplot's global state; panels in reading order."""
    width, height = PANEL_INCHES
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    return figure, list(axes.flat)


def grid(
    columns: int, rows: int, heights: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """As `panels`, but each panel has its own scale.

    heights : of the rows, in any unit; all alike without it
    """
    figure = Figure(layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, height_ratios=heights)
    return figure, list(axes.flat)


def split(
    panels: Sequence[T], columns: int, row_inches: float, around_inches: float = 0.3
) -> list[Sequence[T]]:
    """The panels of each picture, so that none is taller than a page.

    columns : the number of panels side by side
    around_inches : height of what stands above and below all panels
    """
    most = max(1, int((PAGE_INCHES - around_inches) / row_inches))
    rows = ceil(len(panels) / columns)
    # Pictures of about the same height look better than a last one with one panel.
    each = ceil(rows / ceil(rows / most)) * columns
    return [panels[i : i + each] for i in range(0, len(panels), each)]


def legend_columns(names: Sequence[str], width_inches: float) -> int:
    """The number of columns in which a legend fits into a width.

    Names fill one column after another, and each column is as wide as its longest.
    """
    size = float(matplotlib.rcParams["font.size"])

    def inches(columns: int) -> float:
        # Matplotlib gives the first columns one name more than the others.
        least, more = divmod(len(names), columns)
        ends = [i * least + min(i, more) for i in range(columns + 1)]
        letters = sum(max(map(len, names[a:b])) for a, b in pairwise(ends))
        return (0.52 * letters + 5.2 * columns) * size / 72

    fitting = (n for n in range(len(names), 1, -1) if inches(n) <= width_inches)
    columns = next(fitting, 1)
    # Columns of about the same length look better than single names beside them.
    even = ceil(len(names) / ceil(len(names) / columns)) if names else 1
    return even if inches(even) <= width_inches else columns


def size_single(figure: Figure, axis: Axes, height_inches: float, look: Look) -> None:
    """Give a figure of one panel its size, with a legend of its curves above.

    height_inches : without the legend
    """
    width = COLUMN_INCHES[look.columns] if look.columns else PANEL_INCHES[0]
    legend = legend_above(axis, *axis.get_legend_handles_labels(), width - 0.7)
    figure.set_size_inches(width, height_inches + legend)


def legend_above(
    axis: Axes,
    handles: Sequence[Any],
    names: Sequence[str],
    width_inches: float,
    title: str = "",
) -> float:
    """A legend above the axes, all names in it; returns its height in inches.

    width_inches : the width of the axes, into which it has to fit
    """
    columns = legend_columns(names, width_inches)
    axis.legend(
        handles,
        names,
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        ncols=columns,
        title=title or None,
        alignment="left",
        frameon=False,
        borderaxespad=0,
        handlelength=2.2,
    )
    return LEGEND_ROW_INCHES * (-(-len(names) // columns) + bool(title))


def legend_outside(
    figure: Figure, handles: Sequence[Any], names: Sequence[str], width_inches: float
) -> float:
    """A legend above all panels of a figure; returns its height in inches.

    width_inches : the width into which it has to fit
    """
    columns = legend_columns(names, width_inches)
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=columns,
        alignment="left",
        frameon=False,
        handlelength=2.2,
    )
    return LEGEND_ROW_INCHES * -(-len(names) // columns)


def widen(figure: Figure) -> None:
    """Give linear axes over values that are nearly equal a range that shows them so.

    The range is then WIDENED_SPAN of its middle.
    """
    for axes in figure.axes:
        for axis, set_limits in (
            (axes.xaxis, axes.set_xlim),
            (axes.yaxis, axes.set_ylim),
        ):
            low, high = axis.get_view_interval()
            middle = (low + high) / 2
            narrow = 0 < abs(high - low) < LEAST_SPAN * abs(middle)
            if axis.get_scale() == "linear" and narrow:
                half = WIDENED_SPAN / 2 * abs(middle)
                set_limits(middle - half, middle + half)


def save(figure: Figure, target: Target) -> list[Path]:
    """Save the figure in each format, as wide as the look says."""
    widen(figure)
    for text in figure.findobj(Text):
        if isinstance(text, Text) and "$" in OWN_FORMULAS.sub("", text.get_text()):
            text.set_parse_math(False)
    target.folder.mkdir(parents=True, exist_ok=True)
    if target.look.columns:
        width, height = figure.get_size_inches()
        wanted = COLUMN_INCHES[target.look.columns]
        # Letters keep their size, so height shrinks less than width does.
        figure.set_size_inches(wanted, height * min(1.0, (wanted / width) ** 0.5))
    ticks.put_right(figure)
    # All formats share one layout, which takes as long as a picture.
    figure.set_dpi(DPI)
    ticks.lay_out(figure)
    # A place holder, as "none" leaves, would have each format drawn twice.
    figure.set_layout_engine(None)
    files = []
    for suffix in target.look.formats:
        path = target.folder / f"{target.name}.{suffix}"
        figure.savefig(path, dpi=DPI, metadata=METADATA[suffix])
        if suffix == "svg":
            path.write_text(counted_ids(path.read_text(encoding="utf-8")), "utf-8")
        files.append(path)
    if target.album is not None:
        target.album.savefig(figure)  # type: ignore[no-untyped-call]
    return files


def counted_ids(svg: str) -> str:
    """A picture whose clips and marks are numbered.

    Matplotlib names them by hashes of their places, whose last digits differ between
    environments.
    """
    found = dict.fromkeys(HASHED_ID.findall(svg))
    names = {old: f"{old[0]}{number}" for number, old in enumerate(found, start=1)}
    return ANY_HASHED.sub(lambda match: names.get(match[0], match[0]), svg)


@contextmanager
def album(path: Path | None) -> "Iterator[PdfPages | None]":
    """A PDF file to which figures are added as pages; None without a path."""
    if path is None:
        yield None
        return
    from matplotlib.backends.backend_pdf import PdfPages

    path.parent.mkdir(parents=True, exist_ok=True)
    # The fonts are written when the file is closed, so the settings must hold then.
    settings: dict[Any, Any] = {"pdf.fonttype": SETTINGS["pdf.fonttype"]}
    with (
        matplotlib.rc_context(settings),
        PdfPages(path, metadata=METADATA["pdf"]) as pages,
    ):
        yield pages
