"""Progress of a campaign, as its results folder tells it from outside.

The engine is another process. It puts each run in place when the run is complete, and
holds a lock on the folder while it works. Reading changes nothing there.
"""

import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mpbench.store import campaign, json_file, layout, runs
from mpbench.store.folder import other_files
from mpbench.store.json_file import DamagedError
from mpbench.store.records import check_row

LOCKS = Path("/proc/locks")
MOST_REASON = 300
"""Characters of a reason that are shown."""


@dataclass(frozen=True)
class Finished:
    """A run in its place. ended_s : when it ended, seconds since 1970"""

    id: str
    point: int
    case: str
    repetition: int
    verdict: str
    reason: str
    ended_s: float


@dataclass(frozen=True)
class Flight:
    """A run that is being executed.

    since_s : when it began, seconds since 1970
    worker : of a cluster, "" on this machine
    """

    id: str
    point: int
    case: str
    repetition: int
    since_s: float
    worker: str = ""


@dataclass(frozen=True)
class Standing:
    """A campaign at one moment.

    planned : runs of the plan
    finished : those in place, the newest first
    flights : those being executed, the oldest first
    working : whether an engine works in the folder
    waiting : whether no campaign has begun there yet
    eta_s : seconds until the plan is done at the pace of this invocation; None if
        no engine works, or none of its runs has ended yet
    mark : two standings with the same finished runs have the same mark
    """

    name: str
    planned: int
    finished: tuple[Finished, ...]
    flights: tuple[Flight, ...]
    working: bool
    eta_s: float | None
    mark: int
    waiting: bool = False

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(run.verdict for run in self.finished)


class Folder:
    """A results folder that is looked at again and again; each run is read once."""

    def __init__(self, root: Path) -> None:
        """Raises UserError if `root` is no results folder, and cannot become one."""
        self.results = layout.Results(root)
        self._head: campaign.Campaign | None = None
        self._head_seen: tuple[int, int] | None = None
        self._read_head()
        self._known: dict[str, tuple[tuple[int, int], Finished | None]] = {}

    def look(self) -> Standing:
        """The present state. Raises UserError if the folder's head is damaged."""
        head = self._read_head()
        working = is_locked(self.results.lock)
        if head is None:
            name = self.results.root.resolve().name
            return Standing(name, 0, (), (), working, None, mark=0, waiting=True)
        plan = {entry.id: entry for entry in head.plan}
        finished, flights = [], []
        for name, found in self._entries():
            if (entry := plan.get(name)) and (run := self._read(entry, found)):
                finished.append(run)
            partial = name.removeprefix(layout.PARTIAL)
            if working and partial != name and (entry := plan.get(partial)):
                flights.append(_flight(entry, layout.Run(Path(found.path))))
        finished.sort(key=lambda run: (-run.ended_s, run.id))
        return Standing(
            name=head.name,
            planned=len(plan),
            finished=tuple(finished),
            flights=tuple(sorted(flights, key=lambda run: (run.since_s, run.id))),
            working=working,
            eta_s=_eta_s(head, finished) if working else None,
            mark=hash(frozenset((run.id, self._known[run.id][0]) for run in finished)),
        )

    def _read_head(self) -> campaign.Campaign | None:
        """The folder's head; None before `mpbench run` has written it.

        An engine makes the folder, locks it and checks the backend before that.
        """
        state = self._head_state()
        if state is None and self._head is None and not self._holds_others():
            return None
        if self._head is None or state != self._head_seen:
            self._head = campaign.read(self.results.campaign)
            self._head_seen = state
        return self._head

    def _holds_others(self) -> bool:
        """Whether something is there that `mpbench run` does not make."""
        root = self.results.root
        if root.is_dir():
            return bool(other_files(self.results))
        return root.exists() or root.is_symlink()

    def _head_state(self) -> tuple[int, int] | None:
        try:
            about = self.results.campaign.lstat()
        except OSError:
            return None
        return about.st_ino, about.st_mtime_ns

    def _entries(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        """The folders below runs/; none if it is missing or a link."""
        if self.results.runs.is_symlink():
            return
        try:
            with os.scandir(self.results.runs) as entries:
                for found in entries:
                    if found.is_dir(follow_symlinks=False):
                        yield found.name, found
        except OSError:
            return

    def _read(
        self, entry: campaign.Entry, found: "os.DirEntry[str]"
    ) -> Finished | None:
        """The run; None if it is damaged or was moved away at this moment."""
        try:
            about = found.stat(follow_symlinks=False)
        except OSError:
            return None
        state = (about.st_ino, about.st_mtime_ns)
        known = self._known.get(entry.id)
        if known is None or known[0] != state:
            known = (state, _finished(self.results, entry, about.st_mtime))
            self._known[entry.id] = known
        return known[1]


def _eta_s(head: campaign.Campaign, finished: list[Finished]) -> float | None:
    if not head.invocations:
        return None
    try:
        at = datetime.fromisoformat(head.invocations[-1]["at"])
    except ValueError:
        return None
    # The file has whole seconds; a run cannot have ended before them.
    done = sum(run.ended_s >= at.timestamp() for run in finished)
    elapsed_s = max(0.0, time.time() - at.timestamp())
    planned = len({entry.id for entry in head.plan})
    return elapsed_s * (planned - len(finished)) / done if done else None


def _flight(entry: campaign.Entry, run: layout.Run) -> Flight:
    place = (entry.id, entry.point, entry.case, entry.repetition)
    return Flight(*place, _begun_s(run), runs.read_worker(run))


def _begun_s(run: layout.Run) -> float:
    """The first file in a run's folder is its job, or a worker's name."""
    for first in (run.job, run.worker):
        with contextlib.suppress(OSError):
            return first.lstat().st_mtime
    return time.time()


def _finished(
    results: layout.Results, entry: campaign.Entry, ended_s: float
) -> Finished | None:
    try:
        row = json_file.read_object(results.run(entry.id).row)
        check_row(row, entry.id)
    except DamagedError:
        return None
    return Finished(
        id=entry.id,
        point=entry.point,
        case=entry.case,
        repetition=entry.repetition,
        verdict=row["verdict"],
        reason=str(row.get("reason", ""))[:MOST_REASON],
        ended_s=ended_s,
    )


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock file `path` (mpbench.store.lock).

    The kernel's table of locks says it. Taking the lock for a moment would say it too,
    but an engine that starts at this moment would be refused.
    """
    try:
        about = path.lstat()
        table = LOCKS.read_text("ascii")
    except OSError:
        return False
    device = (os.major(about.st_dev), os.minor(about.st_dev))
    for line in table.splitlines():
        words = line.split()
        if len(words) < 6 or words[1] != "FLOCK":
            continue
        major, minor, inode = words[5].split(":")
        if int(inode) != about.st_ino:
            continue
        # A file system with subvolumes gives its files other devices than here.
        if (int(major, 16), int(minor, 16)) == device or words[4] == _holder(path):
            return True
    return False


def _holder(path: Path) -> str:
    """The number of the process that wrote itself into the lock file."""
    try:
        return json_file.read_bytes(path, 64).decode("ascii", "replace").strip()
    except DamagedError:
        return ""
