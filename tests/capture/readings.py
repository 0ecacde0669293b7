"""Rows of connections and subflows, from packets that a test wrote."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.packets import Wire


def read(wire: Wire, path: Path, **settings: object) -> Frames:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return frames(analyse([wire.write(path)], settings=chosen))


def subflow(found: Frames, direction: int = 0, number: int = 0) -> dict[Hashable, Any]:
    rows = found.subflows.query(f"direction == {direction} and number == {number}")
    return rows.to_dict("records")[0]


def data(found: Frames, direction: int = 0) -> dict[Hashable, Any]:
    return found.data.query(f"direction == {direction}").to_dict("records")[0]
