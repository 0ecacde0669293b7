"""Bounds on the size of a plot, however long the capture."""

from pathlib import Path

import numpy as np
import pytest

from analysis.capture import drawing, library
from analysis.capture.analyse import EVENTS, Settings, analyse
from analysis.capture.frames import frames
from analysis.capture.thinning import Thinned
from tests.capture.generated import write
from tests.capture.kinds import path, seen

TYPE = library.row_type("events")


def events(count: int, connection: int = 0, first: int = 0) -> np.ndarray:
    rows = np.zeros(count, TYPE)
    rows["connection"], rows["kind"], rows["length"] = connection, EVENTS["data"], 1
    rows["time_ns"] = first + np.arange(count)
    return rows


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("count", [0, 1, 19, 20, 999, 12_345])
def test_evenly_chosen_ones_stay(count: int, batch: int) -> None:
    thinned = Thinned(10)
    for first in range(0, count, batch):
        thinned.add(events(min(batch, count - first), first=first))
    found = thinned.rows(TYPE)["time_ns"]
    assert found.tolist() == list(range(0, count, thinned.stride))
    assert len(found) == count if count < 20 else 10 <= len(found) < 20


def test_the_largest_connections_stay() -> None:
    thinned = Thinned(100, total=1000, lines=50)
    for round_ in range(20):
        for connection in range(200):
            size = 100 if connection == 7 else 3
            thinned.add(events(size, connection, 1000 * round_))
    found = thinned.rows(TYPE)
    assert len(found) <= 1000
    assert thinned.forgotten
    assert (found["connection"] == 7).sum() >= 100
    assert found[found["connection"] == 7]["time_ns"].min() == 0


def test_a_large_capture(tmp_path: Path) -> None:
    """400,000 packets over four subflows leave what 500 marks of a line come to, over
    the whole time."""
    capture = tmp_path / "large.pcap"
    write(capture, 400_000)
    settings = Settings(events=(), drawn=drawing.EVENTS, marks=500)
    tables = analyse([capture], settings=settings)
    assert not len(tables.events)
    lines = np.unique(tables.marks[["subflow", "direction", "kind"]])
    assert len(tables.marks) < 1000 * len(lines)
    assert tables.thinned > 50
    whole = tables.data[0]
    new = tables.marks[tables.marks["kind"] == EVENTS["data"]]
    lasted = whole["last_ns"] - whole["first_ns"]
    assert new["time_ns"].max() - new["time_ns"].min() > 0.99 * lasted
    for subflow in range(4):
        times = new["time_ns"][new["subflow"] == subflow]
        assert 500 <= len(times) < 1000
        assert np.diff(times).max() < lasted / 300
    picture = tmp_path / "large.png"
    drawing.draw(frames(tables), 0, picture)
    assert picture.stat().st_size > 10_000


def test_a_small_capture_is_drawn_whole() -> None:
    settings = Settings(drawn=("data", "reinjection"))
    tables = analyse([path("answered", "client")], settings=settings)
    all_of_them = seen("answered", "client").events["kind"].value_counts()
    kinds, counts = np.unique(tables.marks["kind"], return_counts=True)
    found = dict(zip(kinds.tolist(), counts.tolist(), strict=True))
    assert found[EVENTS["data"]] == all_of_them["data"]
    assert tables.thinned == 1
    assert not (tables.events["kind"] == EVENTS["data"]).any()
