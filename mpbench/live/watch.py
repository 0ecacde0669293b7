"""Watching campaigns: draw while they run, and write the files when they end."""

import contextlib
import io
import json
import math
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from analysis.words import many
from mpbench.engine.progress import counts
from mpbench.errors import UserError, printable
from mpbench.live.server import Answer, LiveServer, file_answer
from mpbench.live.standing import Folder, Standing
from mpbench.report.loading import shown
from mpbench.store import scratch

ASSETS = Path(__file__).parent / "assets"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " frame-src 'self'; img-src data:"
)
POLL_S = 0.5
LEAST_S = 2.0
"""The least time between two drawings."""
REST = 5.0
"""Time between two drawings, divided by the CPU time of a drawing: the campaign needs
the CPUs, so drawing takes a sixth of one at most."""
READER_S = 3.0
"""A reader asks once per second; one that has not asked for so long is gone."""
HELD_S = 600.0
"""Time for which the question after the end stays unanswered while campaigns run."""
LAST_S = 60.0
"""The longest time that readers wait for the drawing of all runs."""
SHOWN_S = 15.0
"""The longest time in which a browser shows it."""
NICE = 5
NEWEST = 12
"""The most finished runs that the page lists."""
WAITING = "No run is finished yet: `mpbench run` has not begun the campaign."
UNWRITTEN = 130
"""The exit status of Ctrl-C before anything was written."""


@dataclass(frozen=True)
class Live:
    """Contents of a live page.

    title : of the page
    roots : the results folders
    tabs : what the reader can look at: the name, and the file in the folder drawn to
    draw : writes the files of the tabs, and what they show, into a folder; what it
        returns is not used
    finish : does what the command does without a live page; returns the folder or
        the file that it wrote. None for a page that ends with the campaign
    """

    title: str
    roots: Sequence[Path]
    tabs: Sequence[tuple[str, str]]
    draw: Callable[[Path], object]
    finish: Callable[[], Path] | None


@dataclass
class Board:
    """State that the server's threads read and the main thread changes.

    version : of the drawing that is shown; 0 before the first
    note : why there is no drawing, or what could not be written
    status : the exit status if the reader ends the page now
    ending : set when the campaigns have ended, and somebody reads
    last : set when the drawing of all their runs is there
    ended : set when the command that the page belongs to ends, with all that is drawn
    told : set when all readers have got the state after that, and show the drawing
    waiting : readers whose question after the end is not answered yet
    looking : readers who have the answer, and do not show the last drawing yet
    asked_s : when a reader last asked, on the monotonic clock
    """

    live: Live
    home: Path
    folders: Sequence[Folder]
    version: int = 0
    note: str = ""
    status: int = UNWRITTEN
    standings: Sequence[Standing] = ()
    ending: threading.Event = field(default_factory=threading.Event)
    last: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    told: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    looking: int = 0
    asked_s: float = -math.inf
    _looked_s: float = -POLL_S
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> Sequence[Standing]:
        """The present state, at most POLL_S old; a fault of a folder is noted.

        Whoever comes first looks, so the page moves on during a long drawing.
        """
        with self._lock:
            if time.monotonic() - self._looked_s >= POLL_S:
                try:
                    self.standings = [folder.look() for folder in self.folders]
                except UserError as error:
                    self.note = printable(str(error))
                self._looked_s = time.monotonic()
            return self.standings

    def find(self, path: str) -> Answer | None:
        """The answer to a request; no path of a request becomes one of the disk."""
        if path in ("", "live.css", "live.js"):
            name = path or "live.html"
            answer = file_answer(ASSETS / name)
            return answer and Answer(answer.kind, answer.body, POLICY)
        if path == "state.json":
            ended = self.ended.is_set()
            body = json.dumps(self.state()).encode()
            return Answer("application/json", body, sent=self._tell if ended else None)
        if path == "end.json":
            return self._held()
        if path == "shown.json":
            return Answer("application/json", b"{}", sent=self._seen)
        folder, _, name = path.partition("/")
        try:
            names = {entry.name for entry in (self.home / folder).iterdir()}
        except (OSError, ValueError):
            return None
        known = folder in {f"v{self.version}", f"v{self.version - 1}"}
        return (
            file_answer(self.home / folder / name) if known and name in names else None
        )

    def _held(self) -> Answer:
        """The state after the end, as soon as it is there.

        A browser lets a page out of sight ask once per minute or less, but it hands on
        an answer that comes, so such a page hears of the end too.
        """
        with self._lock:
            self.waiting += 1
        self.ended.wait(HELD_S)
        body = json.dumps({"ended": self.ended.is_set(), **self.state()}).encode()
        return Answer("application/json", body, sent=self._answered)

    def _answered(self) -> None:
        with self._lock:
            self.waiting -= 1
            self.looking += self.ended.is_set()

    def _seen(self) -> None:
        with self._lock:
            self.looking -= self.looking > 0
        self._tell()

    def _tell(self) -> None:
        if self.ended.is_set() and not self.waiting and not self.looking:
            self.told.set()

    def state(self) -> dict[str, Any]:
        """The state that the page polls."""
        now_s = time.time()
        self.asked_s = time.monotonic()
        ended = self.ended.is_set()
        standings = [self._ended(one) for one in self.look()] if ended else self.look()
        roots = zip(self.live.roots, standings, strict=False)
        return {
            "title": self.live.title,
            "version": self.version,
            "note": self.note,
            "tabs": self.live.tabs if self.version else [],
            "campaigns": [_campaign(shown(r), s, now_s) for r, s in roots],
        }

    def conclude(self) -> None:
        """Wait until the readers see how the campaigns ended, if anybody reads.

        The last state and the last drawing have every run that ended.
        """
        with self._lock:
            self._looked_s = -math.inf
            held = self.waiting > 0
        if not held and not self._is_read():
            self.ended.set()
            return
        self.ending.set()
        self.last.wait(LAST_S)
        self._looked_s = -math.inf
        self.ended.set()
        self.told.wait(SHOWN_S if held and self._is_read() else READER_S)

    def _is_read(self) -> bool:
        """Whether a reader has asked just now; one may have closed the page."""
        return time.monotonic() - self.asked_s < READER_S

    @staticmethod
    def _ended(standing: Standing) -> Standing:
        """The standing of a campaign whose engine still holds the folder."""
        return replace(standing, working=False, flights=())


def _campaign(root: str, standing: Standing, now_s: float) -> dict[str, Any]:
    return {
        "name": standing.name,
        "root": root,
        "planned": standing.planned,
        "finished": len(standing.finished),
        "verdicts": standing.verdicts,
        "working": standing.working,
        "waiting": standing.waiting,
        "eta_s": standing.eta_s,
        "flights": [
            {**_place(run), "worker": run.worker}
            | {"for_s": max(0.0, now_s - run.since_s)}
            for run in standing.flights
        ],
        "newest": [
            {**_place(run), "verdict": run.verdict, "reason": run.reason}
            | {"ago_s": max(0.0, now_s - run.ended_s)}
            for run in standing.finished[:NEWEST]
        ],
    }


def _place(run: Any) -> dict[str, Any]:
    return {
        "id": run.id,
        "point": run.point,
        "case": run.case,
        "repetition": run.repetition,
    }


def watch(live: Live, port: int | None, opened: Callable[[str], None]) -> int:
    """Serve the page of `live` until Ctrl-C or another signal that ends a command.

    opened : called with the page's address
    Returns the exit status: 0 if the files of the finished campaigns were written, 2
    if they could not be, 130 if the campaigns were still running.
    Raises UserError if a folder holds something else than results, or the port cannot
    be had. A folder that is not there yet is waited for.
    """
    with _served(live, port) as (board, address):
        try:
            click.echo(f"live at {address} on this machine; Ctrl-C ends it")
            for root, standing in zip(live.roots, board.standings, strict=False):
                if standing.waiting:
                    click.echo(f"{shown(root)}: waiting for `mpbench run`")
            opened(address)
            _follow(board)
        except KeyboardInterrupt:
            ends = {0: "the files are written", UNWRITTEN: "no file was written"}
            click.echo(
                f"stopped; {ends.get(board.status, 'writing failed')}: {_said(board)}"
            )
        return board.status


def serve(live: Live, port: int | None, opened: Callable[[str, Board], None]) -> None:
    """Serve the page of `live`, which writes no files, until a signal comes.

    opened : called with the page's address and its board
    What is raised is as for `watch`.
    """
    with (
        contextlib.suppress(KeyboardInterrupt),
        _served(live, port) as (board, address),
    ):
        opened(address, board)
        _follow(board)


@contextlib.contextmanager
def _served(live: Live, port: int | None) -> Iterator[tuple[Board, str]]:
    """The board of a page, and the page's address.

    Within the context, the signals that end a command raise KeyboardInterrupt.
    """
    folders = [Folder(root) for root in live.roots]
    with contextlib.ExitStack() as stack:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before = signal.signal(number, signal.default_int_handler)
            stack.callback(signal.signal, number, before)
        # Guests come first: virtual time does not care, but the campaign's end does.
        os.nice(NICE)
        board = Board(live, stack.enter_context(scratch.folder("live")), folders)
        board.look()
        server = LiveServer(port, board.find)
        stack.callback(server.close)
        yield board, server.address


def _follow(board: Board) -> None:
    """Draw when runs finish, and write when campaigns end, until a signal comes."""
    drawn, written, due_s = None, None, 0.0
    finish = board.live.finish
    while True:
        ending = board.ending.is_set()
        standings = board.look()
        mark = tuple(standing.mark for standing in standings)
        some = any(standing.finished for standing in standings)
        waiting = any(standing.waiting for standing in standings)
        working = waiting or any(standing.working for standing in standings)
        if not some:
            board.note = WAITING if waiting else "No run is finished yet."
        elif finish is not None and not working and written != mark:
            drawn = written = mark
            board.status = _finish(board, finish)
        elif (
            drawn != mark and (working or finish is None) and time.monotonic() >= due_s
        ):
            drawn, due_s = mark, _draw(board)
        if working:
            written, board.status = None, UNWRITTEN
        if ending:
            if some and drawn != mark:
                drawn, due_s = mark, _draw(board)
            board.last.set()
            signal.pause()
        board.ending.wait(POLL_S)


def _draw(board: Board) -> float:
    """Draw into a new folder, silently, and show it.

    Returns the earliest time of the next drawing, on the monotonic clock, seconds.
    """
    begun_s = time.process_time()
    folder = board.home / f"v{board.version + 1}"
    folder.mkdir()
    board.note = board.note if board.version else "The first figures are being drawn."
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            board.live.draw(folder)
    except Exception as error:  # a page that died would say "running" for good
        told = isinstance(error, UserError | ValueError | OSError)
        kind = "" if told else f"{type(error).__name__}: "
        board.note = printable(f"{kind}{error}")
        shutil.rmtree(folder)
    else:
        _show(board)
    took_s = time.process_time() - begun_s
    return time.monotonic() + max(LEAST_S, REST * took_s)


def _show(board: Board) -> None:
    board.version += 1
    board.note = ""
    shutil.rmtree(board.home / f"v{board.version - 2}", ignore_errors=True)


def _finish(board: Board, finish: Callable[[], Path]) -> int:
    """Write the files of the command, and show them; returns the exit status."""
    folder = board.home / f"v{board.version + 1}"
    try:
        made = finish()
        folder.mkdir()
        if made.is_dir():
            for path in made.iterdir():
                if path.is_file() and not path.is_symlink():
                    shutil.copy(path, folder / path.name)
        else:
            shutil.copy(made, folder / board.live.tabs[0][1])
    except (UserError, OSError) as error:
        board.note = printable(str(error))
        shutil.rmtree(folder, ignore_errors=True)
        click.echo(f"mpbench: {board.note}", err=True)
        return 2
    _show(board)
    click.echo(f"{_said(board)}; the page stays until Ctrl-C")
    return 0


def _said(board: Board) -> str:
    """``results/a: 12 of 30 runs: 11 ok, 1 failed``."""
    return "; ".join(
        f"{shown(root)}: not begun"
        if standing.waiting
        else f"{shown(root)}: {len(standing.finished)} of"
        f" {many(standing.planned, 'run')}:"
        f" {counts(standing.verdicts)}"
        for root, standing in zip(board.live.roots, board.standings, strict=False)
    )
