"""A drawn figure: its title, its numbers, and how to read it."""

from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class DrawnFigure:
    """A figure or a table as a page shows it.

    name : the name of its files without suffix; empty for a table, which has none
    note : how to read this figure
    reading : how to read any figure of this kind; a page says it once
    summary : quartiles, one row per box or curve; empty for other figures. Its
        columns group, case and batch say which box, as far as each applies
    group_label, batch_label : the headings of the columns group and batch
    head, cells : a table's heading and rows
    """

    title: str
    name: str
    note: str = ""
    reading: str = ""
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)
    group_label: str = ""
    batch_label: str = "batch"
    head: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()


class UndrawableError(ValueError):
    """The reason why a figure cannot be drawn from a campaign, in words for the
    page."""
