"""Measure the table and the dashboard of large campaigns, without running them.

    python -m benchmarks.tables [--rows 100000] [--shown 10000]

A small campaign on the fake backend gives rows. They are repeated, with other ids and
rates, until there are enough. Measured is the CPU time of making and writing the
table of `--rows` runs, of reading it again, and of making the dashboard of `--shown`
runs, with its size.
"""

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.table import build as tabulate
from analysis.dashboard.html import dashboard
from benchmarks.first_minute import QUICKSTART
from mpbench.cli import group
from mpbench.report.loading import load_campaign
from mpbench.store import layout, table

NOISE = 0.1


def small(folder: Path) -> tuple[Campaign, list[dict[str, Any]]]:
    """A campaign of the quickstart that no guest executed, and its rows."""
    out = folder / "out"
    words = ["run", str(QUICKSTART), "--backend", "fake", "-j", "1", "--out", str(out)]
    with contextlib.redirect_stdout(io.StringIO()):
        group.main(words, standalone_mode=False)
    campaign = load_campaign(out)[0]
    rows = campaign.runs.to_dict("records")
    return campaign, [{str(key): each for key, each in row.items()} for row in rows]


def repeated(rows: list[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    """So many rows, whose rates have noise."""
    random = np.random.default_rng(1)
    noise = 1 + NOISE * random.standard_normal(count)
    for number in range(count):
        row = rows[number % len(rows)]
        yield {
            **{
                key: value * noise[number] if key.endswith("_mbps") else value
                for key, value in row.items()
            },
            "id": f"{number:016x}",
            "repetition": number // len(rows),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--shown", type=int, default=10_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mpbench-tables-") as root:
        folder = Path(root)
        campaign, rows = small(folder)
        many = list(repeated(rows, asked.rows))
        results = layout.Results(folder)
        begun_s = time.process_time()
        table.write(results, many, tabulate, "0" * 64)
        written_s = time.process_time()
        read = pd.read_parquet(results.parquet)
        read_s = time.process_time()
        size = results.csv.stat().st_size / 1e6
        print(
            f"table of {len(read)} runs and {len(read.columns)} columns: written in"
            f" {written_s - begun_s:.1f} s of CPU time, read in"
            f" {read_s - written_s:.2f} s; {size:.0f} MB of CSV"
        )
        shown = pd.DataFrame(many[: asked.shown])
        begun_s = time.process_time()
        page = dashboard("many", [replace(campaign, runs=shown)])
        spent_s = time.process_time() - begun_s
        size = len(page.encode()) / 1e6
        print(
            f"dashboard of {len(shown)} runs: made in {spent_s:.1f} s of CPU time,"
            f" {size:.1f} MB"
        )


if __name__ == "__main__":
    main()
