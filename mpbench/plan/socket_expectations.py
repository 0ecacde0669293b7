"""Proxies and programs that make what a traffic entry expects impossible.

`expect` is about the connections that an entry's client opens. A proxy ends them, so
what it accepts decides, and not what the server behind it does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.words import many
from jobs import Job
from jobs.expect import FALLBACK, YES, Expect
from jobs.middleboxes import PROVOKING, PROXY, Box
from jobs.sockets import MPTCP, TCP
from jobs.spoken import ENTRY, HOST, Spoken
from jobs.spoken import PROXY as BY_PROXY


@dataclass(frozen=True)
class Excluded:
    """A key of an expectation that something in the file excludes.

    certain : whether every run comes to something else, and not only most
    """

    key: str
    reason: str
    hint: str
    certain: bool


def excluded(job: Job, index: int, wanted: Expect) -> Iterator[Excluded]:
    """The keys of an entry's expectation that cannot be met.

    index : of an entry of MPTCP
    """
    spoken = job.spoken(index)
    paths = _paths(job, index)
    if not paths:
        return
    box = next((one for one in _boxes(job) if one.link in paths[0]), None)
    plain = _plain(job, index, spoken, box)
    if plain:
        if wanted.mptcp == YES:
            hint = "write 'mptcp: fallback' or 'any'"
            yield Excluded("mptcp", plain, hint, certain=True)
        if (wanted.subflows or 1) > 1:
            hint = "write 'subflows: 1' or 'any'"
            yield Excluded("subflows", plain, hint, certain=True)
        return
    end = _end(job, index, spoken, box)
    if wanted.mptcp == FALLBACK and end and not _falls(job, paths[0], box):
        reason = f"{end} accepts MPTCP, so connections up to there stay MPTCP"
        yield Excluded("mptcp", reason, "write 'mptcp: true' or 'any'", certain=True)
    if not wanted.subflows or not _one_per_path(job, index):
        return
    barred = [one for path in paths[1:] if (one := _ended(job, paths[0], path))]
    left = len(paths) - len(barred)
    if left >= wanted.subflows:
        return
    if barred:
        reason = f"the proxy at {barred[0].link} keeps subflows from joining: it has"
        reason += " either the first subflow or this one, and not both"
        yield Excluded("subflows", reason, f"write at most {left}", certain=True)
    elif spoken.accepts_by == BY_PROXY:
        entry = job.traffic[index]
        reason = f"{entry.source} has {many(len(paths), 'path')} to {end}, and 'expect'"
        reason += " is about the connections up to there"
        yield Excluded("subflows", reason, f"write at most {left}", certain=True)


def _plain(job: Job, index: int, spoken: Spoken, box: Box | None) -> str:
    """Reason why no connection of an entry is MPTCP; empty if they can be."""
    entry = job.traffic[index]
    if spoken.opens == TCP:
        said = {ENTRY: "the entry has 'opens: tcp'"}.get(
            spoken.opens_by, f"hosts.{entry.source} has 'mptcp: false'"
        )
        return f"{said}, so its connections are plain TCP"
    if box is not None:
        accepts = str(box.action).partition("-")[0]
        if accepts == MPTCP:
            return ""
        return f"the proxy at {box.link} answers every connection with plain TCP"
    if spoken.accepts == MPTCP:
        return ""
    said = {
        ENTRY: "the entry has 'accepts: tcp'",
        HOST: f"hosts.{entry.destination} has 'mptcp: false'",
        BY_PROXY: f"the proxy on {entry.destination} accepts plain TCP",
    }[spoken.accepts_by]
    return f"{said}, so every connection is plain TCP"


def _end(job: Job, index: int, spoken: Spoken, box: Box | None) -> str:
    """The proxy that ends an entry's connections, in words; empty for none."""
    if box is not None:
        return f"the proxy at {box.link}"
    if spoken.accepts_by == BY_PROXY:
        return f"the proxy on {job.traffic[index].destination}"
    return ""


def _boxes(job: Job) -> list[Box]:
    return [box for box in job.middleboxes if box.kind == PROXY]


def _falls(job: Job, first: Sequence[str], box: Box | None) -> bool:
    """Whether something else may take MPTCP away: another box, or a link that changes
    or loses packets."""
    others = (b for b in job.middleboxes if b.kind in PROVOKING and b is not box)
    links = [link for link in job.links if link.name in first]
    return (
        any(one.link in first for one in others)
        or any(one.link in first for one in job.changes)
        or any(link.loss_percent for link in links)
    )


def _one_per_path(job: Job, index: int) -> bool:
    """Whether a connection has one subflow on a path at most."""
    entry = job.traffic[index]
    own = job.host_settings or {}
    hosts = (own[host] for host in (*entry.sources, *entry.destinations) if host in own)
    managed = any(one.endpoints or one.addresses or one.changes for one in hosts)
    return job.transport_of(entry).over_all and not managed


def _ended(job: Job, first: Sequence[str], path: Sequence[str]) -> Box | None:
    """A proxy that has the connection of one of two paths, and not of the other."""
    boxes = _boxes(job)
    return next((b for b in boxes if (b.link in first) != (b.link in path)), None)


def _paths(job: Job, index: int) -> list[Sequence[str]]:
    """The links of each path of an entry's user."""
    here = job.traffic[index].sources
    return next((list(user.paths) for user in job.users if user.host in here), [])
