"""How all figures look, and how they are saved."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any colour vision and in grey.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#7F7F7F"
LIGHT_BLUE = "#BFDDF0"
SERIES = (BLUE, "#009E73", "#CC79A7", ORANGE)
GREYS = ("#A6A6A6", "#D4D4D4", "#7F7F7F", "#BEBEBE")
"""Of what is stacked: neighbours are told apart by lightness."""
PANEL_INCHES = (4.4, 3.1)
DPI = 160
SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "svg.hashsalt": "mpbench",
    "svg.fonttype": "path",
    "path.simplify": False,
}


@contextmanager
def styled() -> Iterator[None]:
    with matplotlib.rc_context(SETTINGS):
        yield


def panels(columns: int, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of its own, without pyplot's global state; panels in reading order."""
    width, height = PANEL_INCHES
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    return figure, list(axes.flat)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """PNG and SVG, without dates or versions, so that equal figures are equal files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for suffix, metadata in (
        ("png", {"Software": None}),
        ("svg", {"Date": None, "Creator": None}),
    ):
        path = folder / f"{name}.{suffix}"
        figure.savefig(path, dpi=DPI, metadata=metadata)
        files.append(path)
    return files
