"""The columns of a campaign's table: which metric each holds, and its label."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

import tools
from analysis.run import labels, path_names
from analysis.run.needs import METRIC_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

from analysis.run.number_columns import UNITS

DESIGN_WEIGHT = "design_weight"
"""The share of the design's domain that is nearest to the network, times the number of
networks; only in tables whose weights were asked for."""
TRAFFIC = "traffic"
"""With this begin the columns of factors that are of the traffic."""
SYMBOLS = {
    "aggregation_benefit": "aggregation benefit $A_B$",
    "experimental_aggregation_benefit": "experimental aggregation benefit $E_{AB}$",
    "jain": "Jain's fairness index",
    "path1.share": "share of path 1",
    "wire_bytes_per_byte": "bytes on the wire per byte delivered",
    "requests_per_s": "requests per second",
    "srtt_ms": "smoothed RTT [ms]",
    "payload_utilisation": "goodput over the payload share",
    "max_min_distance": "distance from max-min fairness",
    "request_balance": "$R_N$ of lowrtt and roundrobin",
    "less_lossy_share": "share of the less lossy path",
    "mean_loss_percent": "mean loss probability [%]",
    "first_path_quality": "first path, by TCP on each path",
    "first_path_use": "first path, by its part in the connection",
}
"""Labels of columns whose name alone is not clear enough."""


OWN_FACTOR = "factor."
"""With this begin the columns of factors with names of the user's own."""
_LINK = re.compile(r"(path\d+)\.delay_ms")
_OF_USER = re.compile(r"^(.+)\.path(\d+)$")
"""A user's path by its number, as `phone.path1`."""
_PART = re.compile(
    r"(^|\.)(discipline|burst_loss|reordering|duplication|corruption)(\.(up|down))?$"
)
"""A part of a link that is a factor, as `path1.burst_loss` of its length."""
MOST_ENTRIES = 12
"""The most traffic entries whose columns stand side by side."""
FIRST_PATH = "path1."
"""With this begin columns of the first path, where the paths are numbered."""


def column_of(metric: str, runs: "pd.DataFrame | None" = None) -> str:
    """The column of a metric that an experiment file names.

    runs : the table, whose first path may have a name of its own; None for `path1`
    """
    column = METRIC_COLUMNS.get(metric, metric)
    if runs is None or not column.startswith(FIRST_PATH):
        return column
    first = next(iter(paths(runs)), "path1")
    return f"{first}.{column.removeprefix(FIRST_PATH)}"


def metric_columns(
    metric: str, runs: "pd.DataFrame", entries: Sequence[str]
) -> list[str]:
    """The columns of a metric: of the run, and of its traffic entries.

    entries : the names of several entries; empty for one

    What cannot be added over entries has no column of the run.
    """
    whole = column_of(metric, runs)
    named = (f"{entry}.{whole}" for entry in entries)
    own = [name for name in named if name in runs.columns and runs[name].notna().any()]
    there = whole in runs.columns and bool(runs[whole].notna().any())
    if whole.startswith(FIRST_PATH) and not paths(runs):
        there = False  # several users have a first path each: it is a link's column
    if there and len(own) == 1 and runs[own[0]].equals(runs[whole]):
        own = []  # the others do not say it, so the run has what this entry has
    return [*([whole] if there or not own else []), *own[:MOST_ENTRIES]]


def paths(runs: "pd.DataFrame") -> tuple[str, ...]:
    """The names of the user's paths, in the user's order, as columns begin with."""
    if path_names.COLUMN in runs.columns:
        named = runs[path_names.COLUMN].dropna()
        if len(named):
            return path_names.of_row({path_names.COLUMN: named.iloc[0]})
    return path_names.numbered(list(runs.columns))


def links_named(runs: "pd.DataFrame") -> AbstractContextManager[None]:
    """A context in which links whose names are no numbers of paths are called links."""
    if path_names.COLUMN not in runs.columns:
        return labels.no_paths(())
    matches = (_LINK.fullmatch(str(name)) for name in runs.columns)
    return labels.no_paths({m[1] for m in matches if m} - {*paths(runs)})


def label(column: str) -> str:
    """The label of an axis: `path1.queueing_delay_ms` is `path 1 queueing delay [ms]`.

    It may hold mathematics between dollar signs, as matplotlib writes it. In the
    context of `links_named` it tells a link from the path whose number its name has.
    """
    if column in SYMBOLS:
        return SYMBOLS[column].replace("path 1", path_words("path1"))
    entry, of_entry = of_tool(column)
    if of_entry:
        return f"{entry.replace('.', ' ')} {of_entry}".lstrip()
    head, _, rest = column.rpartition(".")
    if rest in SYMBOLS:
        symbol, head = SYMBOLS[rest], head.replace(".", " ")
        return f"{symbol}, {head}" if rest == "jain" else f"{head} {symbol}"
    what, _, unit = rest.rpartition("_")
    if not what or unit not in UNITS:
        what, unit = rest, ""
    head = "" if f"{head}." == OWN_FACTOR else head
    if _PART.search(head):
        head = head.replace("_", " ").replace(".", " ")
    name, *part = head.split(" ", 1)
    words = [path_words(name), *part] if head else []
    words.append(what.replace("_", " "))
    return " ".join(words) + (f" [{UNITS[unit]}]" if unit else "")


def of_tool(column: str) -> tuple[str, str]:
    """The part of the run and the label of a column that only one traffic tool has.

    `game` and `exchange time p95 [ms]` for `game.pingpong.p95_ms`; no label for any
    other column.
    """
    part, _, tool = column.rpartition(".")[0].rpartition(".")
    own = column.removeprefix(f"{part}.") if part else column
    return part, _labels(tool).get(own, "")


@cache
def _labels(tool: str) -> dict[str, str]:
    if tool not in tools.NAMES or not tools.has_part(tool, "columns"):
        return {}
    found: dict[str, str] = tools.part(tool, "columns").LABELS
    return found


def path_words(name: str) -> str:
    """The name of a path in running text: `path 1` for `path1`, `phone path 1` for
    `phone.path1`, and `train wifi` for `train.wifi`."""
    if match := _OF_USER.fullmatch(name):
        return f"{match[1].replace('.', ' ')} path {match[2]}"
    return " ".join(map(labels.label, name.split(".")))


def plain(column: str) -> str:
    """The label for running text: without unit and without mathematics."""
    return without_mathematics(label(column).partition(" [")[0])


def unit_of(column: str) -> str:
    """The unit of a column as its label has it, without mathematics; empty for none."""
    return plain_label(column).partition(" [")[2].rstrip("]")


def plain_label(column: str) -> str:
    """The label for a table: with its unit, and without mathematics."""
    return without_mathematics(label(column))


def without_mathematics(text: str) -> str:
    """`E_AB` for `$E_{AB}$`."""
    return text.translate(str.maketrans("", "", "${}"))
