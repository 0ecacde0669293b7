"""Parts of links and changes that differ between points, in guests."""

import csv
from pathlib import Path

from tests.calls import Command

FILE = """\
name: varied
topology: two_path
parameters: {path1.capacity: 20 Mbit/s, path1.delay: 5 ms}
links:
  path1: {discipline: codel, burst_loss: {share: 1 %}}
changes:
  path1: {at: {= handover: {capacity: = path1.capacity * depth}}}
design:
  method: grid
  factors:
    handover: [1 s, 3 s]
    depth: [10 %]
    path1.burst_loss.length: [4]
    path1.reordering.share: [0.5 %]
    path1.duplication: [0.2 %]
    path1.discipline.target: [3 ms]
    path1.discipline.ecn: [true]
cases:
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 4 s}
metrics: [goodput]
figures:
  - {kind: line, metric: goodput, by: handover}
"""


def test_runs_have_what_their_point_says(tmp_path: Path, command: Command) -> None:
    """A run is ok only if tc read the values back, and the change came in time."""
    file, out = tmp_path / "varied.yaml", tmp_path / "out"
    file.write_text(FILE)
    done = command("run", file, "--out", out)
    assert done.status == 0, done.out + done.err
    with (out / "runs.csv").open() as table:
        rows = list(csv.DictReader(table))
    assert [(r["verdict"], r["reason"]) for r in rows] == [("ok", "")] * 2
    assert [r["factor.handover_s"] for r in rows] == ["1.0", "3.0"]
    assert {r["path1.discipline.ecn"] for r in rows} == {"true"}
    # One second at 20 Mbit/s and three at 2, or three and one.
    means = [float(r["path1.mean_capacity_mbps"]) for r in rows]
    assert [round(mean, 1) for mean in means] == [6.5, 15.5]
    early, late = (float(r["goodput_mbps"]) for r in rows)
    assert early < late
    done = command("report", out)
    assert done.status == 0, done.out + done.err
    page = (out / "report/README.md").read_text()
    assert "line-goodput-handover.png" in page and "Not drawn" not in page
