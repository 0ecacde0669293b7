"""Reader of what mpbench-flows leaves: `flows.csv` and `flow-intervals.csv`.

results/README.md describes both files. Each ends in a line `# end`, so that a file
which was cut short is not read as one of fewer flows.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.run.connections import Flow, Report
from analysis.run.readers.files import read_text

FLOWS, INTERVALS = "flows.csv", "flow-intervals.csv"
MOST_BYTES = 1 << 28
"""Size of a file; 20,000 flows take 3 MB."""
HEAD = re.compile(r"# mpbench-flows 1, list ([0-9a-f]{1,64})")
ENTRY = re.compile(r"# entry (\d{1,3}) (tcp|mptcp) ([a-z0-9][a-z0-9_-]{0,15})")
END = re.compile(r"# end (\d{1,9})")
COLUMNS = (
    "flow,entry,user,from,to,size_bytes,start_s,opened_s,connected_s,first_byte_s,"
    "completed_s,ended_s,received_bytes,subflows,error"
)
INTERVAL_COLUMNS = "flow,interval,bytes"
_WORD = re.compile(r"[A-Za-z0-9_.-]{0,100}")
_REASON = re.compile(r"[A-Za-z0-9 ]{0,30}")
_NUMBER = re.compile(r"\d{1,18}")
_SECONDS = re.compile(r"\d{1,9}\.\d{9}")


def read(folder: Path, index: int) -> Report:
    """Read the flows of traffic entry `index` from the artefacts of a run.

    Raises ValueError, with one line, if a file is missing, cut short or damaged.
    """
    lines = _lines(folder / FLOWS)
    head = HEAD.fullmatch(lines[0]) if lines else None
    if head is None:
        raise ValueError(f"{FLOWS}: not a table of mpbench-flows of format 1")
    transport = None
    place = 1
    while place < len(lines) and (match := ENTRY.fullmatch(lines[place])):
        if int(match[1]) == index:
            transport = match[2], match[3]
        place += 1
    if transport is None:
        raise ValueError(f"{FLOWS}: has no traffic entry {index}")
    rows = _table(FLOWS, lines[place:], COLUMNS)
    flows = tuple(_flows(rows, index))
    return Report(*transport, flows, tuple(_intervals(folder, head[1], rows, flows)))


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path.name}: longer than {MOST_BYTES >> 20} MiB")
    except FileNotFoundError as error:
        raise ValueError(f"{path.name}: missing") from error
    return read_text(path).split("\n")


def _table(name: str, lines: Sequence[str], columns: str) -> list[list[str]]:
    """The cells of a table that is complete."""
    *body, last, rest = ["", "", *lines] if len(lines) < 2 else lines
    end = END.fullmatch(last)
    if end is None or rest:
        raise ValueError(f"{name}: has no last line; its program was cut short")
    if not body or body[0] != columns:
        raise ValueError(f"{name}: has not the columns of format 1")
    return [line.split(",") for line in body[1:]]


def _flows(rows: Sequence[Sequence[str]], index: int) -> Iterator[Flow]:
    """The flows of an entry; the rows of all entries are checked for their number."""
    for number, cells in enumerate(rows):
        where = f"{FLOWS}: flow {number}"
        if len(cells) != COLUMNS.count(",") + 1 or cells[0] != str(number):
            raise ValueError(f"{where}: not a line of format 1")
        if cells[1] != str(index):
            continue
        try:
            yield _flow(cells)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None


def _flow(cells: Sequence[str]) -> Flow:
    for cell, pattern in ((cells[3], _WORD), (cells[4], _WORD), (cells[14], _REASON)):
        if not pattern.fullmatch(cell):
            raise ValueError(f"{cell[:40]!r} is not a word of format 1")
    start, opened, connected, first, completed, ended = map(_seconds, cells[6:12])
    if start is None or ended is None:
        raise ValueError("has no start or no end")
    flow = Flow(
        number=_number(cells[0]),
        user=_number(cells[2]),
        source=cells[3],
        destination=cells[4],
        size=_number(cells[5]) if cells[5] else None,
        start_s=start,
        opened_s=opened,
        connected_s=connected,
        first_byte_s=first,
        completed_s=completed,
        ended_s=ended,
        received_bytes=_number(cells[12]),
        subflows=_number(cells[13]),
        error=cells[14],
    )
    times = [time for time in (start, opened, first, completed) if time is not None]
    if times != sorted(times):
        raise ValueError("its times are not in order")
    if completed is not None and flow.size != flow.received_bytes:
        raise ValueError(f"complete with {flow.received_bytes} bytes of {flow.size}")
    return flow


def _intervals(
    folder: Path, digest: str, rows: Sequence[Sequence[str]], flows: Sequence[Flow]
) -> Iterator[tuple[int, int, int]]:
    """The rows of the table of intervals that are of these flows."""
    lines = _lines(folder / INTERVALS)
    head = HEAD.fullmatch(lines[0]) if lines else None
    if head is None or head[1] != digest:
        raise ValueError(f"{INTERVALS}: not of the same list as {FLOWS}")
    wanted = {flow.number: 0 for flow in flows}
    for cells in _table(INTERVALS, lines[1:], INTERVAL_COLUMNS):
        if len(cells) != 3:
            raise ValueError(f"{INTERVALS}: not a line of format 1")
        number, interval, count = map(_number, cells)
        if number >= len(rows):
            raise ValueError(f"{INTERVALS}: there is no flow {number}")
        if number in wanted:
            wanted[number] += count
            yield number, interval, count
    for flow in flows:
        if wanted[flow.number] != flow.received_bytes:
            reason = f"{wanted[flow.number]} bytes of flow {flow.number}"
            raise ValueError(
                f"{INTERVALS}: {reason}, which received {flow.received_bytes}"
            )


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    return int(text)


def _seconds(text: str) -> float | None:
    if text and not _SECONDS.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a time")
    return float(text) if text else None
