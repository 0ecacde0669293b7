"""The page of `mpbench run --live` says how the campaign ended before it closes."""

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mpbench.live import watch
from mpbench.live.standing import Finished, Flight, Standing
from mpbench.live.watch import Board, Live


def finished(number: int) -> Finished:
    return Finished(f"{number:016x}", number, "tcp", 0, "ok", "", 1.0)


class Folder:
    """A results folder in which the last of 24 runs ends late."""

    def __init__(self) -> None:
        self.runs: tuple[Finished, ...] = tuple(
            finished(number) for number in range(23)
        )

    def look(self) -> Standing:
        flights = () if len(self.runs) == 24 else (Flight("a" * 16, 23, "tcp", 0, 1.0),)
        return Standing("own", 24, self.runs, flights, True, 1.0, len(self.runs))


@pytest.fixture
def board(tmp_path: Path) -> Any:
    live = Live("own", [tmp_path], [], lambda folder: None, None)
    return Board(live, tmp_path, [Folder()])  # type: ignore[list-item]


def test_the_last_state_has_every_run_and_is_not_running(board: Any) -> None:
    (before,) = board.state()["campaigns"]
    assert (before["finished"], before["working"]) == (23, True)
    board.folders[0].runs += (finished(23),)
    ending = threading.Thread(target=board.conclude)
    ending.start()
    while not board.ended.is_set():
        time.sleep(0.01)
    (after,) = board.state()["campaigns"]
    assert (after["finished"], after["working"]) == (24, False)
    assert after["flights"] == []
    ending.join(watch.READER_S)
    assert not ending.is_alive()


def test_nobody_is_waited_for_where_nobody_reads(board: Any) -> None:
    begun_s = time.monotonic()
    board.conclude()
    assert time.monotonic() - begun_s < 1


def test_a_standing_without_its_engine_keeps_its_runs() -> None:
    one = Folder().look()
    assert Board._ended(one) == replace(one, working=False, flights=())
