"""The page of `mpbench run --live` says how the campaign ended before it closes."""

import json
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mpbench.live import watch
from mpbench.live.server import Answer, LiveServer
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
    board.last.set()
    while not board.ended.is_set():
        time.sleep(0.01)
    answer = board.find("state.json")
    (after,) = json.loads(answer.body)["campaigns"]
    assert (after["finished"], after["working"]) == (24, False)
    assert after["flights"] == []
    assert ending.is_alive() and not board.told.is_set()
    answer.sent()
    ending.join(watch.READER_S / 2)
    assert not ending.is_alive()


def test_a_page_out_of_sight_hears_the_end(board: Any) -> None:
    """Its timers stand still, so that only the question that is held reaches it."""
    answers: list[Answer] = []
    readers = [
        threading.Thread(target=lambda: answers.append(board.find("end.json")))
        for _ in range(2)
    ]
    for reader in readers:
        reader.start()
    while board.waiting < len(readers):
        time.sleep(0.01)
    board.asked_s = time.monotonic() - 60
    board.folders[0].runs += (finished(23),)
    ending = threading.Thread(target=board.conclude)
    ending.start()
    board.last.set()
    for reader in readers:
        reader.join(9)
    for answer in answers:
        assert ending.is_alive()
        state = json.loads(answer.body)
        assert state["ended"] and state["campaigns"][0]["finished"] == 24
        assert answer.sent is not None
        answer.sent()
    for _ in answers:
        assert ending.is_alive()
        board.find("shown.json").sent()
    ending.join(watch.READER_S / 2)
    assert len(answers) == 2 and not ending.is_alive()


def test_the_last_drawing_has_every_run(
    board: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drawing is due later, and the campaign ends before: readers still get it."""
    drawn: list[int] = []

    def draw(folder: Path) -> None:
        drawn.append(len(board.folders[0].runs))

    board.live = replace(board.live, draw=draw)
    monkeypatch.setattr(watch, "LEAST_S", 3600.0)
    monkeypatch.setattr(watch, "POLL_S", 0.01)
    threading.Thread(target=watch._follow, args=(board,), daemon=True).start()
    while not board.version:
        time.sleep(0.01)
    reader = threading.Thread(target=board.find, args=("end.json",))
    reader.start()
    while not board.waiting:
        time.sleep(0.01)
    board.folders[0].runs += (finished(23),)
    assert drawn == [23]
    ending = threading.Thread(target=board.conclude)
    ending.start()
    reader.join(9)
    assert drawn == [23, 24] and board.state()["version"] == 2
    board._answered()
    board.find("shown.json").sent()
    ending.join(9)
    assert not ending.is_alive()


def test_an_answer_is_sent_when_its_body_is_written() -> None:
    """Then the server calls `sent`, which lets the page end."""
    sent = threading.Event()
    answer = Answer("application/json", b"{}", sent=sent.set)
    server = LiveServer(None, lambda path: answer)
    try:
        with urllib.request.urlopen(server.address + "state.json", timeout=9) as got:
            assert got.read() == b"{}"
        assert sent.wait(9)
    finally:
        server.close()


def test_states_of_a_campaign_that_goes_on_end_nothing(board: Any) -> None:
    assert board.find("state.json").sent is None


def test_nobody_is_waited_for_where_nobody_reads(board: Any) -> None:
    begun_s = time.monotonic()
    board.conclude()
    assert time.monotonic() - begun_s < 1


def test_a_standing_without_its_engine_keeps_its_runs() -> None:
    one = Folder().look()
    assert Board._ended(one) == replace(one, working=False, flights=())


def test_a_drawing_that_fails_does_not_end_the_page(board: Any) -> None:
    """Whatever it raises is the page's note, and readers hear the end."""

    def draw(folder: Path) -> None:
        raise KeyError("protocol")

    board.live = replace(board.live, draw=draw)
    watch._draw(board)
    assert board.note == "KeyError: 'protocol'" and board.version == 0
