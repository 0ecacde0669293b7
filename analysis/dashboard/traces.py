"""`trace.csv`: windows of all subflows over time, as lines to draw."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.run import path_names
from analysis.run.readers import trace
from jobs import Job

FILE = "trace.csv"
MOST = 400
"""The most samples of a line that are drawn. Of more samples, the minimum and the
maximum of each stretch are drawn."""
DIGITS = 5
QUANTITIES = (
    ("Rate by subflow", "Mbit/s", "throughput_mbps", "throughput"),
    ("Congestion windows", "packets", "cwnd", "cwnd"),
    ("Smoothed round-trip times", "ms", "srtt_ms", "srtt"),
    ("Alpha of coupled controllers", "", "alpha", "alpha"),
    ("Rates that MPCC publishes", "Mbit/s", "rate_mbps", "rate"),
)
"""Name, unit, column of the trace, and name in experiment files."""


def traces(path: Path, job: Job | None = None) -> list[dict[str, Any]]:
    """Rates, windows and round-trip times, each with a line per subflow.

    Connections with hardly any data are left out if others have data.
    Raises OSError, or ValueError if the file is not a trace.
    """
    frame = trace.read(path)
    busy = trace.data(frame)
    frame = frame if busy.empty else busy
    frame = frame.assign(srtt_ms=frame["srtt_us"] / 1e3)
    keys = ["path", "host", "connection", "local", "remote"]
    flows = {tuple(key): rows for key, rows in frame.groupby(keys)}
    names = _names(flows, job)
    drawn = []
    for name, unit, column, quantity in QUANTITIES:
        known = {
            names[key]: rows.dropna(subset=[column]) for key, rows in flows.items()
        }
        lines = {
            line: (rows["time_s"].tolist(), rows[column].tolist())
            for line, rows in known.items()
        }
        drawn.append({**_chart(name, unit, lines), "quantity": quantity})
    return [chart for chart in drawn if chart["lines"]]


def _names(
    flows: Mapping[tuple[Any, ...], Any], job: Job | None
) -> dict[tuple[Any, ...], str]:
    """A name per flow: the path's, and the sender or a number if flows share a path."""
    hosts = {key[1] for key in flows}
    names, taken = {}, dict.fromkeys(((key[0], key[1]) for key in flows), 0)
    for key in flows:
        path, host = key[0], key[1]
        taken[path, host] += 1
        called = path_names.words(job, host, path) if job else f"path {path}"
        words = [f"{host}," if len(hosts) > 1 else "", called]
        several = sum((k[0], k[1]) == (path, host) for k in flows) > 1
        words.append(f"({taken[path, host]})" if several else "")
        names[key] = " ".join(filter(None, words))
    return names


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
    """Indices of the minimum and maximum of each stretch, or all if they are few."""
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
