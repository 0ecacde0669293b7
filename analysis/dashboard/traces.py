"""`trace.csv`: windows of all subflows over time, as lines to draw."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = "trace.csv"
MOST = 400
"""Samples of a line that are drawn; of more, the least and greatest of each stretch."""
IDLE_SHARE = 0.01
"""Of the busiest subflow's bytes: below it a subflow carried no data worth a line, as
that of a control connection."""
DIGITS = 5


def traces(path: Path) -> list[dict[str, Any]]:
    """Windows, round-trip times and rates, each with a line a subflow.

    Raises OSError, or ValueError if the file is not what it should be.
    """
    try:
        with path.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
        flows = _by_subflow(rows)
        names = _names(flows)
        window, rtt, rate = {}, {}, {}
        for key, samples in flows.items():
            times = [float(sample["time_s"]) for sample in samples]
            window[names[key]] = times, [float(s["cwnd"]) for s in samples]
            rtt[names[key]] = times, [float(s["srtt_us"]) / 1e3 for s in samples]
            rate[names[key]] = _rate(times, [float(s["bytes_acked"]) for s in samples])
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path.name}: not a trace of windows ({what})") from error
    drawn = [
        _chart("Rate by subflow", "Mbit/s", rate),
        _chart("Congestion windows", "packets", window),
        _chart("Smoothed round-trip times", "ms", rtt),
    ]
    return [chart for chart in drawn if chart["lines"]]


def _by_subflow(rows: Sequence[Mapping[str, str]]) -> dict[tuple, list]:
    """The samples of each subflow that carried data, in the order of their paths."""
    found: dict[tuple, list[Mapping[str, str]]] = {}
    for row in rows:
        key = (int(row["path"]), row["host"], row["token"], row["local"], row["remote"])
        found.setdefault(key, []).append(row)
    carried = {k: float(samples[-1]["bytes_acked"]) for k, samples in found.items()}
    least = IDLE_SHARE * max(carried.values(), default=0.0)
    return {key: found[key] for key in sorted(found) if carried[key] > least}


def _names(flows: Mapping[tuple, Any]) -> dict[tuple, str]:
    """`path 1`, and the sender or a number too where that does not tell them apart."""
    hosts = {key[1] for key in flows}
    names, taken = {}, dict.fromkeys(((key[0], key[1]) for key in flows), 0)
    for key in flows:
        path, host = key[0], key[1]
        taken[path, host] += 1
        words = [f"{host}," if len(hosts) > 1 else "", f"path {path}"]
        several = sum((k[0], k[1]) == (path, host) for k in flows) > 1
        words.append(f"({taken[path, host]})" if several else "")
        names[key] = " ".join(filter(None, words))
    return names


def _rate(
    times: Sequence[float], acked: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Bytes acknowledged between two samples, in Mbit/s, at the second."""
    pairs = range(1, len(times))
    known = [i for i in pairs if times[i] > times[i - 1]]
    rates = [
        8e-6 * (acked[i] - acked[i - 1]) / (times[i] - times[i - 1]) for i in known
    ]
    return [times[i] for i in known], rates


def _chart(
    name: str, unit: str, lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
) -> dict[str, Any]:
    drawn = []
    for line, (times, values) in lines.items():
        kept = _outline(values)
        if kept:
            short = [_short(values[i]) for i in kept]
            drawn.append(
                {"name": line, "t": [_short(times[i]) for i in kept], "v": short}
            )
    return {"name": name, "unit": unit, "lines": drawn}


def _outline(values: Sequence[float]) -> list[int]:
    """Places of the least and greatest value of each stretch; all, if they are few."""
    count = len(values)
    if count <= MOST:
        return list(range(count))
    stretch = 2 * count / MOST
    kept: set[int] = set()
    for number in range(MOST // 2):
        places = range(int(number * stretch), int((number + 1) * stretch))
        kept |= {
            min(places, key=values.__getitem__),
            max(places, key=values.__getitem__),
        }
    return sorted(kept)


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
