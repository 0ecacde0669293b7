"""The outcome of a diagnosis in words, as a table, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from analysis.campaign.columns import label
from analysis.campaign.diagnosis import BOUNDING, Difference, Observation, Unknown
from analysis.campaign.numbers import short
from analysis.words import many
from mpbench.engine.diagnose import Diagnosis

DECIDES, MATTERS = 0.14, 0.06
"""Shares of variance that count as a large and as a medium effect (Cohen 1988)."""
SHOWN = 6
LOOK = {
    "retransmission_ratio": "nstat: TcpRetransSegs over TcpExtTCPOrigDataSent",
    "reinjection_ratio": "nstat: MPTcpExtMPTCPRetrans over TcpExtTCPOrigDataSent",
    "out_of_order_ratio": "nstat at the receiver: MPTcpExtOFOQueue",
    "duplicate_ratio": "nstat at the receiver: MPTcpExtDuplicateData",
    "subflows_stale": "nstat: MPTcpExtSubflowStale",
    "tcp_timeouts": "nstat: TcpExtTCPTimeouts",
    "srtt_ms": "ss -ti: rtt",
    "limited_by_application": "ss -ti: busy",
    "limited_by_window": "ss -ti: rwnd_limited",
}
"""The place of a column's number on a real machine."""


def lines(
    found: Diagnosis, unknown: Sequence[Unknown], seen: Sequence[Observation]
) -> Iterator[str]:
    """The outcome in sentences, the most important first."""
    wanted = " and ".join(
        f"{each.metric} {short(each.value, 4)} within {each.within:.0%}"
        for each in seen
    )
    total = many(len(found.rows), "run")
    fits = found.fits
    if fits.empty:
        yield f"None of {total} gives {wanted}."
        yield f"The closest: {_numbers(found.closest.iloc[0], unknown, seen)}."
    else:
        yield f"{len(fits)} of {total} give {wanted}."
    if 0 < len(fits) < BOUNDING and any(one.is_range for one in unknown):
        yield (
            "So few runs do not bound a range: the values below are examples. More"
            " `--runs` find more of them."
        )
    if found.failed:
        yield f"{many(found.failed, 'run')} beside them were not ok."
    yield from _regions(found, unknown, seen)
    for one in unknown:
        values = _values(fits, one)
        if len(found.apart) > 1 and one.is_range:
            values = _apart(found.apart, one)
        yield f"{one.name}: {values}{_influence(found.influence[one.name])}"
    for each in found.differences:
        yield _told(each)


def _regions(
    found: Diagnosis, unknown: Sequence[Unknown], seen: Sequence[Observation]
) -> Iterator[str]:
    """The separate regions, if there are several."""
    if len(found.apart) < 2:
        return
    yield f"They lie in {len(found.apart)} separate regions:"
    for number, own in enumerate(found.apart, start=1):
        values = ", ".join(
            f"{one.name} {_span(own, one)}"
            if one.is_range
            else f"{one.name} {_words(own, one)}"
            for one in unknown
        )
        got = " and ".join(
            f"{s.metric} {short(own.iloc[0][s.column], 4)}" for s in seen
        )
        yield f"  region {number}: {values}; {many(len(own), 'run')}, the closest {got}"


def _words(fits: pd.DataFrame, unknown: Unknown) -> str:
    there = set(fits[unknown.column].astype(str))
    return " or ".join(value for value in unknown.values if value in there)


def _span(fits: pd.DataFrame, unknown: Unknown) -> str:
    values = pd.to_numeric(fits[unknown.column])
    low, high = short(values.min(), 4), short(values.max(), 4)
    unit = f" {unknown.unit}" if unknown.unit else ""
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _apart(parts: Sequence[pd.DataFrame], unknown: Unknown) -> str:
    """The values of a range in each region, from the least on."""
    ordered = sorted(parts, key=lambda own: float(own[unknown.column].min()))
    return f"{' or '.join(dict.fromkeys(_span(own, unknown) for own in ordered))}; "


def _numbers(
    row: "pd.Series[Any]", unknown: Sequence[Unknown], seen: Sequence[Observation]
) -> str:
    got = [f"{each.metric} {short(row[each.column], 4)}" for each in seen]
    values = [f"{one.name} {_one(row[one.column], one)}" for one in unknown]
    return f"{' and '.join(got)} with {', '.join(values)}"


def _one(value: Any, unknown: Unknown) -> str:
    if not unknown.is_range:
        return str(value)
    return f"{short(float(value), 4)} {unknown.unit}".rstrip()


def _values(fits: pd.DataFrame, unknown: Unknown) -> str:
    """The values of the runs that fit."""
    if fits.empty:
        return ""
    if unknown.is_range:
        return f"{_span(fits, unknown)}; "
    counts = fits[unknown.column].astype(str).value_counts()
    parts = [
        f"{value} ({many(int(counts.get(value, 0)), 'run')})"
        for value in unknown.values
    ]
    return f"{', '.join(parts)}; "


def _influence(share: float) -> str:
    if share >= DECIDES:
        return f"it decides: {share:.0%} of the variation"
    if share >= MATTERS:
        return f"it matters a little: {share:.0%} of the variation"
    return "it hardly matters by itself"


def _told(each: Difference) -> str:
    means = ", ".join(f"{short(mean)} for {name}" for name, mean in each.means.items())
    where = f" ({LOOK[each.column]})" if each.column in LOOK else ""
    return f"To settle {each.unknown}, look at {label(each.column)}: {means}{where}"


def table(
    found: Diagnosis, unknown: Sequence[Unknown], seen: Sequence[Observation]
) -> Iterator[str]:
    """The closest runs, one per line, below a line of names."""
    columns = [*(one.column for one in unknown), *(each.column for each in seen)]
    columns = [*dict.fromkeys(columns), "deviation"]
    rows = found.closest.head(SHOWN).assign(deviation=found.off)
    cells = [columns]
    for _, row in rows.iterrows():
        cells.append([_cell(row[name]) for name in columns])
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        pairs = zip(line, widths, strict=True)
        yield "  ".join(text.rjust(width) for text, width in pairs)


def _cell(value: Any) -> str:
    return short(value, 4) if isinstance(value, int | float) else str(value)


def answer(
    found: Diagnosis, unknown: Sequence[Unknown], seen: Sequence[Observation]
) -> dict[str, Any]:
    """The outcome as JSON has it."""
    fits = found.fits

    def run(index: Any) -> dict[str, Any]:
        row = found.rows.loc[index]
        return {
            "id": str(row["id"]),
            "round": int(row["round"]),
            "deviation": float(found.off[index]),
            "unknown": {one.name: _plain(row[one.column]) for one in unknown},
            "observed": {each.metric: float(row[each.column]) for each in seen},
        }

    return {
        "format": 1,
        "observed": {
            each.metric: {"value": each.value, "within": each.within} for each in seen
        },
        "runs": len(found.rows),
        "not_ok": found.failed,
        "fits": [run(index) for index in fits.index],
        "closest": [run(index) for index in found.closest.head(SHOWN).index],
        "regions": [_region(own, unknown) for own in found.apart],
        "influence": found.influence,
        "differences": [
            {
                "unknown": each.unknown,
                "column": each.column,
                "means": dict(each.means),
                "strength": each.strength,
            }
            for each in found.differences
        ],
    }


def _region(own: pd.DataFrame, unknown: Sequence[Unknown]) -> dict[str, Any]:
    """A region as JSON has it. own : the runs that fit there"""
    values: dict[str, list[float] | list[str]] = {}
    for one in unknown:
        if one.is_range:
            numbers = pd.to_numeric(own[one.column])
            values[one.name] = [float(numbers.min()), float(numbers.max())]
        else:
            there = set(own[one.column].astype(str))
            values[one.name] = [value for value in one.values if value in there]
    return {"unknown": values, "fits": [str(name) for name in own["id"]]}


def _plain(value: Any) -> float | str:
    return value if isinstance(value, str) else float(value)
