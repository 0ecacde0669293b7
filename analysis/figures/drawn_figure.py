"""A figure between its stages: the text beside it, and the figure as it was drawn."""

from dataclasses import dataclass, field, fields

import pandas as pd


@dataclass(frozen=True, kw_only=True)
class PageText:
    """The numbers and words that a page shows with a figure; the base of the data of
    each kind.

    note : how to read this figure
    reading : how to read any figure of this kind; a page says it once
    summary : quartiles, one row per box or curve; empty for other figures. Its
        columns group, case and batch say which box, as far as each applies
    group_label, batch_label : the headings of the columns group and batch
    head, cells : a table's heading and rows
    runs : case and id of the single runs that the figure shows over time
    """

    note: str = ""
    reading: str = ""
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)
    group_label: str = ""
    batch_label: str = "batch"
    head: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()
    runs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class DrawnFigure(PageText):
    """A figure or a table as a page shows it.

    name : the name of its files without suffix; empty for a table, which has none
    more : the names of further pictures, of a figure that is taller than a page
    """

    title: str
    name: str
    more: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, title: str, name: str, text: PageText, more: tuple[str, ...] = ()
    ) -> "DrawnFigure":
        """The figure with the text that its data gave."""
        given = {each.name: getattr(text, each.name) for each in fields(PageText)}
        return cls(title=title, name=name, more=more, **given)


class UndrawableError(ValueError):
    """The reason why a figure cannot be drawn from a campaign, in words for the
    page."""
