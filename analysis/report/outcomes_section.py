"""The fate of the connections of each case, as a table of a page."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from analysis.campaign.numbers import short
from analysis.report.markdown import markdown
from analysis.run.outcomes import columns

HEAD = (
    "case",
    "traffic",
    "runs",
    "connections",
    "connected [s]",
    "SYNs",
    "at the end",
    "subflows",
    "asked",
    "joined",
    "refused",
    "no answer",
    "lost",
    "ended",
    "at [s]",
    "the tool's error",
)
NUMBERS = (
    "connected",
    "connected_s",
    "syns",
    "protocol_at_end",
    "subflows",
    "subflows_asked",
    "subflows_joined",
    "subflows_refused",
    "subflows_unanswered",
    "subflows_lost",
)
"""The columns between `runs` and `ended`."""
MARK = "ended"


def lines(runs: pd.DataFrame) -> Iterator[str]:
    """The table; nothing where no run says how its traffic ended.

    runs : all rows of a campaign, those that are not ok included
    """
    prefixes = [
        name.removesuffix(MARK)
        for name in runs.columns
        if name == MARK or name.endswith(f".{MARK}")
    ]
    rows = [row for case, group in _cases(runs) for row in _rows(case, group, prefixes)]
    if not rows:
        return
    yield "## What became of the connections"
    yield ""
    yield from markdown(list(HEAD), rows, numbers_from=2)
    yield (
        "The table counts all runs that left a record, whatever their verdict. Two"
        " numbers are the least and the greatest of several runs; an empty cell is not"
        " known. `SYNs` are all that the client's kernel sent, those of further"
        " subflows included. iperf3 opens a control connection, which counts too."
    )
    yield ""


def _cases(runs: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for case, group in runs.groupby("case", sort=False):
        yield str(case), group


def _rows(
    case: str, group: pd.DataFrame, prefixes: Sequence[str]
) -> Iterator[list[str]]:
    """One row per traffic entry and end."""
    for prefix in prefixes:
        names = {name: f"{prefix}{name}" for name in columns.NAMES}
        if not set(names.values()) <= set(group.columns):
            continue
        known = group[group[names[MARK]].notna()]
        ends = known[[names[MARK], names["errno"]]].fillna("").drop_duplicates()
        for word, errno in ends.itertuples(index=False):
            same = known[names[MARK]] == word
            same &= known[names["errno"]].fillna("") == errno
            some = known[same]
            yield [
                case,
                prefix.rstrip(".") or "all",
                str(len(some)),
                *(_values(some[names[name]]) for name in NUMBERS[:3]),
                _protocols(some[names["protocol_at_end"]], some[names["fallback"]]),
                *(_values(some[names[name]]) for name in NUMBERS[4:]),
                f"{word} ({errno})" if errno else word,
                _values(some[names["ended_s"]]),
                _words(some[names["tool_error"]]),
            ]


def _values(column: "pd.Series[Any]") -> str:
    """A number, or the least and the greatest of several; empty if none is known."""
    known = pd.to_numeric(column, errors="coerce").dropna()
    if known.empty:
        return ""
    ends = [short(value, 4) for value in (known.min(), known.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _protocols(protocol: "pd.Series[Any]", fallback: "pd.Series[Any]") -> str:
    found = []
    for word, why in zip(protocol, fallback, strict=True):
        if isinstance(word, str):
            said = f"{word}: {why}" if isinstance(why, str) else word
            found.append(said)
    return "; ".join(dict.fromkeys(found))


def _words(column: "pd.Series[Any]") -> str:
    return "; ".join(dict.fromkeys(word for word in column if isinstance(word, str)))
