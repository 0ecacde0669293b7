"""Objects, files, chunks and flows in a part of the time: a sum over all parts."""

from pathlib import Path
from typing import Any

import pytest

from tests.tools.small import row_of

HEAD = """\
name: small
topology: two_path
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
phases: {early: 0 s..1 s, late: 1 s..12 s}
traffic:
  - {from: client, to: server, TOOL}
"""
TOOLS = {
    "page": "tool: page, objects: median",
    "sync": "tool: sync, files: [{count: 20, size: 500 kB}]",
    "video": "tool: video, bitrates: [1 Mbit/s], duration: 12 s",
}
TIMES = {"page": "page.object", "sync": "sync.file", "video": "video.chunk"}


def row(folder: Path, tool: str) -> dict[str, Any]:
    return row_of(folder, HEAD.replace("TOOL", TOOLS[tool]))


@pytest.mark.parametrize("tool", TOOLS)
def test_the_greatest_time_is_that_of_one_part(tool: str, tmp_path: Path) -> None:
    found = row(tmp_path, tool)
    column = f"{TIMES[tool]}_greatest_s"
    of_parts = [found[f"{part}.{column}"] for part in ("early", "late")]
    known = [each for each in of_parts if each is not None]
    assert known and max(known) == found[column]


def test_the_stalls_of_parts_add_up(tmp_path: Path) -> None:
    found = row(tmp_path, "video")
    for column in ("video.stalls", "video.stalled_s"):
        parts = [found[f"{part}.{column}"] for part in ("early", "late")]
        assert sum(parts) == pytest.approx(found[column])
