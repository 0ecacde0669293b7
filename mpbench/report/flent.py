"""Runs in the data format of flent (version 4), which its plots read.

Each run becomes a file of the test `tcp_upload`: goodput as `TCP upload` and the
smoothed round-trip time, a mean over subflows, as `Ping (ms) ICMP`, on one time axis.
"""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from mpbench.errors import UserError
from mpbench.report import notebook
from mpbench.store import atomic, layout, runs
from mpbench.store.disk_space import explained
from mpbench.store.folder import refuse_link
from mpbench.store.json_file import DamagedError

VERSION = 4
TEST = "tcp_upload"
GOODPUT, RTT = "TCP upload", "Ping (ms) ICMP"
SUFFIX = ".flent.gz"
Samples = list[tuple[float, float]]


def export(root: Path, out: Path) -> tuple[list[Path], list[str]]:
    """Write a file per run of the results in `root` that is ok.

    Returns the files, and why runs have none. Raises UserError if no run has one.
    """
    results = notebook.load(root)
    made, left_out = [], []
    with explained(out):
        refuse_link(out)
        out.mkdir(parents=True, exist_ok=True)
        for run in results:
            try:
                document = _document(results.name, layout.Results(root), run)
            except UserError as error:
                left_out.append(str(error))
                continue
            text = json.dumps(document, sort_keys=True, allow_nan=False)
            path = out / f"{run.id}{SUFFIX}"
            atomic.write_bytes(path, gzip.compress(text.encode(), mtime=0))
            made.append(path)
    if not made:
        raise UserError(f"{root}: {left_out[0] if left_out else 'no run is ok'}")
    return made, left_out


def _document(name: str, results: layout.Results, run: notebook.Run) -> dict[str, Any]:
    """The file of a run. Raises UserError for a run without goodput over time."""
    begun = _begun(results, run.id)
    goodput = run.series("goodput")
    times = sorted({round(float(time), 6) for time in goodput["time_s"]})
    if not times:
        raise UserError(f"run {run.id}: no goodput over time")
    lines = {str(line): _samples(frame) for line, frame in goodput.groupby("line")}
    series = {GOODPUT: _total(list(lines.values()), times)}
    raw: dict[str, list[tuple[float, float | None]]] = {
        GOODPUT: list(zip(times, series[GOODPUT], strict=True))
    }
    if len(lines) > 1:
        each = {f"{GOODPUT}::{line}": samples for line, samples in lines.items()}
        series |= {key: _total([samples], times) for key, samples in each.items()}
    try:
        rtt = run.series("srtt").dropna(subset=["value"])
    except UserError:  # the run was not traced
        rtt = pd.DataFrame({"time_s": [], "value": []})
    if not rtt.empty:
        samples = _samples(rtt)
        series[RTT] = _means(samples, times)
        raw[RTT] = list(_of_all_subflows(samples))
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
    row = run.row
    title = f"{row['case']}, point {row['point']}, repetition {row['repetition']}"
    units = {key: "ms" if key == RTT else "Mbits/s" for key in series}
    return {
        "version": VERSION,
        "x_values": times,
        "results": series,
        "raw_values": {
            key: [
                {"t": begun.timestamp() + time, "val": value}
                for time, value in values
                if value is not None
            ]
            for key, values in raw.items()
        },
        "metadata": {
            "NAME": TEST,
            "TITLE": f"{name}: {title}",
            "TIME": _time(begun),
            "T0": _time(begun),
            "DATA_FILENAME": f"{run.id}{SUFFIX}",
            "LENGTH": times[-1],
            "TOTAL_LENGTH": times[-1],
            "STEP_SIZE": step,
            "HOST": "server",
            "HOSTS": ["server"],
            "LOCAL_HOST": "client",
            "IP_VERSION": 4,
            "NOTE": f"A run of mpbench in virtual time, {run.id}",
            "SERIES_META": {key: {"UNITS": unit} for key, unit in units.items()},
            "TEST_PARAMETERS": {},
        },
    }


def _begun(results: layout.Results, run_id: str) -> datetime:
    """The beginning of a run on the host, in UTC."""
    try:
        begun = datetime.fromisoformat(runs.read_host(results, run_id).begun)
        return (begun if begun.tzinfo else begun.replace(tzinfo=UTC)).astimezone(UTC)
    except (DamagedError, ValueError, OverflowError) as error:
        raise UserError(f"run {run_id}: host.json: {error}") from error


def _time(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _samples(frame: pd.DataFrame) -> Samples:
    """Times and values, by time."""
    good = frame.dropna(subset=["value"]).sort_values("time_s", kind="stable")
    pairs = zip(good["time_s"], good["value"], strict=True)
    return [(float(time), float(value)) for time, value in pairs]


def _of_all_subflows(samples: Samples) -> Samples:
    """The mean of the samples of each time.

    One by one, those of two subflows would be drawn as one line that jumps.
    """
    by_time: dict[float, list[float]] = {}
    for time, value in samples:
        by_time.setdefault(time, []).append(value)
    return [(time, fmean(values)) for time, values in by_time.items()]


def _total(lines: Sequence[Samples], times: Sequence[float]) -> list[float | None]:
    """The sum of lines at each time; a line is interpolated within its own time."""
    found: list[float | None] = []
    for time in times:
        values = [
            float(np.interp(time, [at for at, _ in line], [value for _, value in line]))
            for line in lines
            if line and line[0][0] - 1e-6 <= time <= line[-1][0] + 1e-6
        ]
        found.append(sum(values) if values else None)
    return found


def _means(samples: Samples, times: Sequence[float]) -> list[float | None]:
    """The mean of the samples since the time before; None where there are none."""
    at = np.searchsorted([time for time, _ in samples], times, side="right")
    values = [value for _, value in samples]
    starts = [0, *at[:-1]]
    return [
        float(np.mean(values[start:end])) if end > start else None
        for start, end in zip(starts, at, strict=True)
    ]
