"""The end of each traffic entry: complete or not, when, and with which error.

It comes from the tool's processes and its report. `docs/endpoints.md` has the words.
"""

import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run import tools
from analysis.run.outcomes import errors
from analysis.run.readers import files
from analysis.run.readers.outcome import Outcome, Process
from analysis.run.traffic import Traffic

COMPLETE, INCOMPLETE, GIVEN_UP = "complete", "incomplete", "given up"
REFUSED, RESET, ABORTED, HANGING = "refused", "reset", "aborted", "hanging"
FINE = (COMPLETE, GIVEN_UP)
"""Ends that a tool means to have: it did what was asked, or its own time was over."""
_BY_ERRNO = {"ECONNREFUSED": REFUSED, "ECONNRESET": RESET}
_PROGRAM = re.compile(r"traffic-(\d+)-(client|server)")
NOTHING = Process("", None)


@dataclass(frozen=True)
class Ending:
    """The end of one traffic entry.

    word : one of the words above; "" if nobody knows
    at_s : when the client ended, or was ended because it hung, in seconds after the
        beginning of the traffic; None if that is not known
    errno : name of the error number; "" for none
    error : the error in the tool's own words; "" for none
    """

    word: str
    at_s: float | None = None
    errno: str = ""
    error: str = ""

    @property
    def fine(self) -> bool:
        return self.word in FINE


def of_error(words: str, at_s: float | None) -> Ending:
    """The end of a program that says these words."""
    errno = errors.named(words)
    return Ending(_BY_ERRNO.get(errno, ABORTED), at_s, errno, words)


@dataclass(frozen=True)
class Read:
    """A tool's report about an entry, or why it cannot be read."""

    report: Any = None
    fault: str = ""


def read_reports(traffic: Sequence[Traffic[Any]], folder: Path) -> tuple[Read, ...]:
    """The reports of all entries, as far as they can be read."""
    found = []
    for index, entry in enumerate(traffic):
        try:
            found.append(Read(tools.tool(entry.tool).read(folder, index, entry)))
        except ValueError as error:
            found.append(Read(fault=str(error)))
    return tuple(found)


def all_of(
    traffic: Sequence[Traffic[Any]],
    reported: Outcome,
    reports: Sequence[Read],
    folder: Path,
) -> tuple[Ending, ...]:
    """The end of each entry, in their order."""
    processes = {process.name: process for process in reported.processes}
    return tuple(
        _ending(index, entry, processes, read, folder)
        for index, (entry, read) in enumerate(zip(traffic, reports, strict=True))
    )


def _ending(
    index: int,
    entry: Traffic[Any],
    processes: Mapping[str, Process],
    read: Read,
    folder: Path,
) -> Ending:
    shared = tools.has(entry, "PROCESS") or ""
    client = processes.get(f"traffic-{index}-client") or processes.get(shared)
    server = processes.get(f"traffic-{index}-server")
    if entry.record.served is not None and read.report is not None:
        word, words = tools.tool(entry.tool).ending(entry, read.report)  # type: ignore[attr-defined]
        return Ending(word, None, errors.named(words), words)
    if client is None:
        return Ending("")
    said = (
        _failure(process, entry, index, read, folder)
        for process in (client, server or NOTHING)
    )
    if client.stopped_s is not None:
        next(said)  # the client says that it was ended
        return Ending(HANGING, client.stopped_s, error=next(said))
    for words in said:
        if words:
            return of_error(words, client.end_s)
    if read.fault:
        return Ending("", client.end_s, error=read.fault)
    own = tools.has(entry, "ending")
    word, words = own(entry, read.report) if own else (COMPLETE, "")
    return Ending(word, client.end_s, errors.named(words), words)


def _failure(
    process: Process, entry: Traffic[Any], index: int, read: Read, folder: Path
) -> str:
    """The error of a process, in its own words; "" for none.

    A report that could be read has no error.
    """
    match = _PROGRAM.fullmatch(process.name)
    end = match[2] if match else "client"
    if process.name and not succeeded(process, entry, end):
        return cause(process, entry, folder)
    error_of = tools.has(entry, "error_of") if read.fault else None
    was_ended = end == "server" and process.end_s is None
    if error_of and process.name and not was_ended:
        said: str = error_of(folder, index, end)
        return said
    return ""


def succeeded(process: Process, entry: Traffic[Any], end: str) -> bool:
    """Whether a process of an entry did not fail. end : "client" or "server" """
    allowed = tools.tool(entry.tool).allowed(entry) if end == "client" else (0,)
    if process.exit_code in allowed:
        return True
    # Where a server goes on until it is ended, its exit status says nothing.
    lasting = end == "server" and bool(tools.has(entry, "ENDED"))
    return lasting and process.end_s is None


def entry_of(
    process: Process, traffic: Sequence[Traffic[Any]]
) -> tuple[Traffic[Any] | None, str]:
    """The entry of a process, None if unknown, and its end of the connection."""
    match = _PROGRAM.fullmatch(process.name)
    if match is None or int(match[1]) >= len(traffic):
        return None, "client"
    return traffic[int(match[1])], match[2]


def cause(process: Process, entry: Traffic[Any] | None, folder: Path) -> str:
    """The reason why a process failed, after the way in which it ended."""
    said = tools.tool(entry.tool).explain(folder, process.name) if entry else ""
    said = said or files.tail(folder / f"{process.name}.err")
    most = entry.record.most_file_bytes if entry else None
    if process.exit_code == -signal.SIGXFSZ and most:
        larger = tools.has(entry, "larger_files") if entry else None
        raised = larger(entry) if larger else "`file_limit` of its entry raises it"
        return (
            f"ended because a file that it wrote reached the limit of {_size(most)};"
            f" {raised}"
        )
    return f"{way(process.exit_code)}{f': {said}' if said else ''}"


def _size(count: int) -> str:
    """A number of bytes in running text."""
    return f"{count >> 20} MiB" if count % (1 << 20) == 0 else f"{count / 1e6:g} MB"


def way(code: int | None) -> str:
    """The way in which a process ended, in running text."""
    if code is None:
        return "did not end"
    if code == -signal.SIGXFSZ:
        return "ended because a file that it wrote reached the limit of size"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
