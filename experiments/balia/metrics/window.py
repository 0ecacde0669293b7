"""Variation of the window of a connection, all subflows together, after 20 s."""

import csv
from statistics import fmean, pstdev

NUMBERS = {"variation": "1", "mean": "packets"}
SETTLED_S = 20
SHARE = 0.01
"""iperf3's control connection acknowledges less than this part of the data."""


def read(folder, job):
    with (folder / "trace.csv").open() as file:
        lines = (line for line in file if not line.startswith("#"))
        rows = [row for row in csv.DictReader(lines) if row["host"] == "multi"]
    last = {(r["local"], r["remote"]): int(r["bytes_acked"]) for r in rows}
    most = max(last.values())
    totals = {}
    for row in rows:
        if last[row["local"], row["remote"]] >= SHARE * most:
            time_s = float(row["time_s"])
            totals[time_s] = totals.get(time_s, 0) + int(row["cwnd"])
    settled = [total for time_s, total in totals.items() if time_s >= SETTLED_S]
    mean = fmean(settled)
    return {"variation": pstdev(settled) / mean, "mean": mean}
