"""The table of runs as the dashboard reads it: plain JSON, column by column."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.campaign import absent, question
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import (
    column_of,
    label,
    links_named,
    path_words,
    paths,
    without_mathematics,
)
from analysis.campaign.path_shares import without_lone_shares
from analysis.dashboard import theory
from analysis.run.number_columns import UNITS

VERDICTS = ("ok", "invalid", "failed", "timeout", "interrupted")
PLACE = ("id", "point", "case", "repetition", "verdict", "reason")
TRANSPORT = ("protocol", "congestion_control", "scheduler", "path")
DIGITS = 6
FIRST = ("experimental_aggregation_benefit", "aggregation_benefit", "goodput_mbps")
"""Metrics for the plots of a file without any, the preferred one first."""


def payload(campaigns: Sequence[Campaign]) -> dict[str, Any]:
    """All data that the page needs before the user opens a run.

    Raises ValueError if a campaign has no run.
    """
    if any(campaign.runs.empty for campaign in campaigns) or not campaigns:
        raise ValueError("no run: nothing to show")
    frame = _joined(campaigns)
    with links_named(frame):
        return _payload(campaigns, frame)


def _payload(campaigns: Sequence[Campaign], frame: pd.DataFrame) -> dict[str, Any]:
    factors = tuple(
        dict.fromkeys(f for campaign in campaigns for f in campaign.factors)
    )
    columns = _columns(frame, factors)
    cases = [str(case) for case in frame["_case"].unique()]
    metrics = [
        column_of(m, campaign.runs) for campaign in campaigns for m in campaign.metrics
    ]
    keys = [column["key"] for column in columns if "words" not in column]
    compared = _compared(campaigns)
    return {
        "campaigns": [
            {
                "name": campaign.name,
                "root": campaign.shown,
                "made": dict(campaign.made),
                "state": list(campaign.state),
            }
            for campaign in campaigns
        ],
        "count": len(frame),
        "id": frame["id"].astype(str).tolist(),
        "point": frame["point"].astype(int).tolist(),
        "repetition": frame["repetition"].astype(int).tolist(),
        "campaign": frame["_campaign"].astype(int).tolist(),
        "cases": [
            {
                "name": case,
                "what": _transport(frame[frame["_case"] == case]),
                **looks,
            }
            for case, looks in zip(cases, _looks(frame, cases), strict=True)
        ],
        "case": [cases.index(str(case)) for case in frame["_case"]],
        "verdicts": list(VERDICTS),
        "verdict": [VERDICTS.index(verdict) for verdict in frame["verdict"]],
        "reason": {
            str(place): str(reason)
            for place, reason in enumerate(frame["reason"])
            if reason and not pd.isna(reason)
        },
        "columns": columns,
        "paths": [path_words(name) for name in paths(frame)[:2]],
        "absent": {
            str(place): text
            for place, text in enumerate(frame.get(absent.COLUMN, ()))
            if isinstance(text, str) and text
        },
        "theory": theory.of_columns(campaigns, frame, cases),
        "metrics": [m for m in dict.fromkeys((*compared, *metrics)) if m in keys],
        "start": _start(keys, factors, metrics, compared),
    }


def _compared(campaigns: Sequence[Campaign]) -> list[str]:
    """The columns of the metrics that the first campaign's question has."""
    asked = campaigns[0].question
    if asked is None:
        return []
    first = campaigns[0]
    found = [
        question.columns(name, first.runs, first.entries)[:1] for name in asked.better
    ]
    return [column for columns in found for column in columns]


def _joined(campaigns: Sequence[Campaign]) -> pd.DataFrame:
    """All rows. Cases of the same name and with different transports stay apart."""
    several = len(campaigns) > 1
    frames = []
    for number, campaign in enumerate(campaigns):
        runs = without_lone_shares(campaign.runs)
        case = runs["case"].astype(str)
        if several:
            case = f"{campaign.name}: " + case
        frames.append(runs.assign(_campaign=number, _case=case))
    frame = pd.concat(frames, ignore_index=True)
    return frame[frame["verdict"].isin(VERDICTS)].reset_index(drop=True)


def _looks(frame: pd.DataFrame, cases: Sequence[str]) -> list[dict[str, int]]:
    """The numbers of each case's colour and mark.

    Of several campaigns, cases of one name have one colour, and each campaign a mark.
    """
    if frame["_campaign"].nunique() < 2:
        return [{"colour": number, "mark": number} for number in range(len(cases))]
    firsts = frame.drop_duplicates("_case").set_index("_case").loc[list(cases)]
    names = list(dict.fromkeys(firsts["case"].astype(str)))
    return [
        {"colour": names.index(str(name)), "mark": int(number)}
        for name, number in zip(firsts["case"], firsts["_campaign"], strict=True)
    ]


def _columns(frame: pd.DataFrame, factors: Sequence[str]) -> list[dict[str, Any]]:
    found = []
    skipped = {*PLACE, *TRANSPORT, "_campaign", "_case"}
    # A difference that never varies is no axis where a factor is one.
    there = [name for name in factors if name in frame.columns]
    varied = any(_is_number(frame[n]) and frame[n].nunique() > 1 for n in there)
    for name in (*factors, *(n for n in frame.columns if n not in factors)):
        if name in skipped or name not in frame.columns:
            continue
        values = frame[name]
        if values.isna().all():
            continue
        if not _is_number(values):
            if name in factors:
                found.append(_words(str(name), values))
            continue
        role = "factor" if name in factors else "metric"
        if name.endswith(("_difference_mbps", "_difference_ms")):
            role = "derived"
            if varied and values.nunique(dropna=False) < 2:
                continue
        elif role == "metric" and len(frame) > 1 and values.nunique(dropna=False) < 2:
            continue
        found.append(_column(str(name), role, values))
        if role == "derived":
            found.append(_column(str(name), role, values.abs(), absolute=True))
    if all("words" in column for column in found):
        # Runs that all failed need some column of numbers to be plotted by.
        found.append(_column("point", "derived", frame["point"]))
    return found


def _is_number(values: pd.Series) -> bool:
    types = pd.api.types
    return types.is_numeric_dtype(values) and not types.is_bool_dtype(values)


def _words(name: str, values: pd.Series) -> dict[str, Any]:
    """A factor of words: a value is its word's place, in order of appearance."""
    places, words = pd.factorize(values.map(str, na_action="ignore"))
    return {
        "key": name,
        "label": without_mathematics(label(name)),
        "unit": "",
        "role": "word",
        "words": [str(word) for word in words],
        "v": [None if place < 0 else int(place) for place in places],
    }


def _column(
    name: str, role: str, values: pd.Series, absolute: bool = False
) -> dict[str, Any]:
    text = without_mathematics(label(name))
    what, _, unit = text.partition(" [")
    if not unit and name.rpartition("_")[2] in UNITS:
        unit = UNITS[name.rpartition("_")[2]]
    if name.endswith(".bytes"):
        unit = "bytes"
    return {
        "key": f"|{name}|" if absolute else name,
        "label": f"|{what}|" if absolute else what,
        "unit": unit.rstrip("]"),
        "role": role,
        "v": [_short(value) for value in values],
    }


def _short(value: Any) -> float | int | None:
    if pd.isna(value) or not math.isfinite(value):
        return None
    number = float(f"{float(value):.{DIGITS}g}")
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _transport(rows: pd.DataFrame) -> str:
    """A case in a few words, without the settings in which its runs differ."""
    words = []
    for name in TRANSPORT:
        if name not in rows.columns:
            continue
        values = rows[name].dropna().unique()
        if len(values) == 1:
            value = values[0]
            words.append(_path(rows, int(value)) if name == "path" else str(value))
    return ", ".join(words)


def _path(rows: pd.DataFrame, number: int) -> str:
    """The user's name of a path of these runs."""
    names = paths(rows)
    return path_words(
        names[number - 1] if 0 < number <= len(names) else f"path{number}"
    )


def _start(
    keys: Sequence[str],
    factors: Sequence[str],
    metrics: Sequence[str],
    compared: Sequence[str] = (),
) -> dict[str, str]:
    """The axes that the page shows first.

    compared : metrics of a question; the second plot shows the first against the
        second
    """
    last = keys[-1] if keys else ""
    wanted = [m for m in dict.fromkeys((*metrics, *FIRST)) if m in keys]
    varied = [f for f in factors if f in keys]
    first = next((k for k in keys if k.startswith("|capacity")), None)
    y = [*wanted, last, last]
    x = [*([first] if first else []), *varied, *wanted[1:], *wanted, last, last]
    others = [m for m in wanted if m != y[0]]
    second = others[0] if others else y[0]
    spread = next((m for m in metrics if m in keys), y[0])
    start = {"x1": x[0], "y1": y[0], "x2": x[1], "y2": second, "spread": spread}
    if len(compared) > 1 and set(compared[:2]) <= set(keys):
        start |= {"x2": compared[1], "y2": compared[0]}
    return start
