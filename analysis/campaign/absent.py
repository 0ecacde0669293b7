"""Reasons why rows of a campaign lack metrics, those of other runs included."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from analysis.run import absent, needs
from jobs.vocabulary import QUIC

COLUMN = absent.COLUMN
Row = Mapping[str, Any]


def joined(row: Row, alone: Mapping[str, Row | None]) -> str | None:
    """The text of a run's row, with the metrics that need other runs.

    row : all columns of the run, those that other runs give included
    alone : the run of TCP alone on each of the user's paths, by the path's name; None
        where there is none that is ok; empty for a run over one path

    None if the run has no such text, because it was not measured.
    """
    if not isinstance(row.get(COLUMN), str):
        return None
    own = absent.read(row[COLUMN])
    more = []
    for metric in absent.OF_OTHER_RUNS:
        if row.get(metric) is None:
            own[metric] = _reason(row, alone, metric, own)
            more.append((metric, own[metric]))
    return _written(row[COLUMN], tuple(more))


@lru_cache(maxsize=4096)
def _written(text: str, more: tuple[tuple[str, str], ...]) -> str:
    """A text with further reasons; rows of a campaign have few different ones."""
    return absent.written(absent.read(text) | dict(more))


def _reason(
    row: Row, alone: Mapping[str, Row | None], metric: str, own: Mapping[str, str]
) -> str:
    if row.get("protocol") in QUIC:
        return absent.OF_KERNEL_S_TCP
    if row.get("protocol") != "mptcp":
        return absent.TCP
    if metric == "request_balance":
        if row.get("requests_per_s") is None:
            return f"it needs {needs.REQUESTS}"
        return "it needs lowrtt, and a case that differs in roundrobin alone"
    if row.get("verdict") != "ok":
        return "the run is not ok"
    if not alone:
        return "it needs one host with several paths"
    missing = [path for path, run in alone.items() if run is None]
    if missing:
        return f"no run of tcp alone on {' and '.join(missing)} is ok in this network"
    if metric == "experimental_aggregation_benefit":
        return own.get("goodput", "tcp alone has no goodput")
    return own.get("traffic_split", "no path of tcp alone loses less than the other")


def reasons(runs: pd.DataFrame, metric: str) -> Sequence[str]:
    """The reasons in the rows of runs for the absence of a metric, the commonest
    first. Rows that were kept before they had reasons have those of their protocol."""
    if COLUMN not in runs.columns:
        return _of_protocol(runs, metric)
    told = runs[COLUMN].map(lambda text: absent.read(text).get(metric)).dropna()
    return tuple(str(reason) for reason in told.value_counts().index)


def _of_protocol(runs: pd.DataFrame, metric: str) -> Sequence[str]:
    """The reason why runs over one path lack a metric of several paths."""
    known = set(runs["protocol"]) if "protocol" in runs.columns else set()
    several = {*absent.OF_OTHER_RUNS, *needs.OF_MPTCP}
    if len(known) != 1 or metric not in several:
        return ()
    reason = absent.ONE_PATH.get(str(known.pop()))
    return () if reason is None else (reason,)
