"""Failures that the file itself provokes, which are outcomes and no faults of a run.

The network of a job provokes the end of a connection once all its paths have been dark
at a time, and keeps a subflow from joining while its path is dark. What a host's own
endpoints, limits and protocol lead to is an outcome as well, and so is what a middlebox
does to the connections whose packets it changes, drops or forgets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.run.outcomes import dark
from analysis.run.outcomes.dark import Span
from analysis.run.readers.outcome import Outcome, UserPath
from analysis.run.traffic import Traffic, proxied
from jobs import Job
from jobs.ends import DESTROY, REMOVE, Host
from jobs.expect import ANY, FALLBACK, Expect
from jobs.middleboxes import PROVOKING, Box
from tools import PROXY
from tools.proxy.record import TCP

_NOTHING = Expect()
TAKING = (REMOVE, DESTROY)
"""Commands to a path manager in user space that take subflows away."""
DENIED = "net.mptcp.allow_join_initial_addr_port"
"""The sysctl of a server that forbids further subflows to its first address."""
Users = Mapping[str, Sequence[UserPath]]


def paths_of(users: Users, entry: Traffic[Any]) -> dict[int, UserPath]:
    """The paths that the transport of an entry is to use, by number from 1.

    Of an entry with several hosts, these are the paths of the first.
    """
    paths = dict(enumerate(users[entry.source], start=1))
    transport = entry.transport
    if not transport.one_path and transport.same_pair is None:
        return paths
    taken = entry.record.own_paths or {transport.path or 1}
    return {number: path for number, path in paths.items() if number in taken}


@dataclass(frozen=True)
class Provoked:
    """The failures that a job provokes.

    traffic : the entries of the job
    users : host that opens connections to its paths
    until_s : when the last program ended, seconds after the beginning of the traffic
    """

    job: Job
    traffic: tuple[Traffic[Any], ...]
    users: Users
    until_s: float

    def expect(self, entry: Traffic[Any]) -> Expect:
        """The outcomes that an entry is to have by its job."""
        expected = self.job.report.expect if self.job.report else ()
        for one, wanted in zip(self.traffic, expected, strict=False):
            if wanted is not None and (one is entry or entry in one.by_host):
                return wanted
        return _NOTHING

    def end(self, entry: Traffic[Any], at_s: float | None) -> bool:
        """Whether the job provokes that an entry ends too early, or never; or expects
        something, which is judged by itself.

        at_s : when it ended; None if that is not known
        """
        last_s = self.until_s if at_s is None else at_s
        return any(self._ends(own, last_s) for own in self._way(entry))

    def _ends(self, entry: Traffic[Any], last_s: float) -> bool:
        """The same for one entry of those on a way with proxies."""
        if self.expect(entry).completes is not None:
            return True
        if any(
            (change.present is False or change.command in TAKING)
            and change.at_s <= last_s
            for settings in self._settings(entry)
            for change in settings.changes
        ):
            return True
        if any((box.from_s or 0.0) <= last_s for box in self._boxes(entry)):
            return True
        if any(self._unconnected(own, last_s) for own in entry.by_host):
            return True
        return any(
            dark.touches(self._cuts(own), entry.start_s, last_s)
            for own in entry.by_host
        )

    def _unconnected(self, entry: Traffic[Any], last_s: float) -> bool:
        """Whether the path on which connections begin was dark from the start of an
        entry to its end, so that none was ever established."""
        paths = paths_of(self.users, entry)
        if not paths:
            return False
        spans = self._of_path(paths[min(paths)].links)
        return any(begin <= entry.start_s and last_s <= end for begin, end in spans)

    def may_fall_back(self, entry: Traffic[Any], within_s: float) -> bool:
        """Whether plain TCP is an outcome of an entry, and no fault of the run.

        It is where a middlebox meddles, and where the first path is dark at some time
        from the entry's start on. Its connections then begin late, or as plain TCP: the
        kernel leaves MPTCP out of SYNs that it repeats.

        within_s : the length of that time
        """
        way = self._way(entry)
        if any(s.mptcp is not None for own in way for s in self._settings(own)):
            return True
        if any(own.record.accepts == TCP for own in way if own.tool == PROXY):
            return True
        if any(own.record.sockets is not None for own in way):
            return True
        if any(self._boxes(own) for own in way):
            return True
        return self.expect(entry).mptcp is not None or any(
            self.misses(own, min(paths_of(self.users, own), default=1), within_s)
            for leg in way
            for own in leg.by_host
        )

    def misses(self, entry: Traffic[Any], number: int, within_s: float) -> bool:
        """Whether a path need not be used: the job says how many subflows there are to
        be, or the path is dark while subflows of an entry are to join on it.

        Connections that open again and again may be open at any time.

        number : of the path, from 1
        within_s : the time after the start within which subflows are to join
        """
        if self.free(entry) and number > 1:
            return True
        path = self.users[entry.source][number - 1]
        if any(box.link in path.links for box in self._boxes(entry)):
            return True
        sized = entry.duration_s is not None and entry.bytes is not None
        again = (
            sized
            or entry.record.request_count is not None
            or entry.flow_bytes is not None
        )
        end_s = self.until_s if again else entry.start_s + within_s
        return dark.touches(self._of_path(path.links), entry.start_s, end_s)

    def missing(self, within_s: float) -> set[str]:
        """The links of paths that are dark while subflows are to join on them."""
        return {
            link
            for whole in self.traffic
            for entry in whole.by_host
            for number, path in paths_of(self.users, entry).items()
            if self.misses(entry, number, within_s)
            for link in path.links
        }

    def joining(self, entry: Traffic[Any], within_s: float) -> int:
        """The number of further subflows that can join a connection of an entry."""
        if self.free(entry):
            return 0
        same = entry.transport.same_pair
        numbers = paths_of(self.users, entry)
        first = min(numbers, default=1)
        if self.misses(entry, first, within_s):
            return 0
        if same is not None:
            return same - 1
        return sum(not self.misses(entry, n, within_s) for n in numbers if n != first)

    def free(self, entry: Traffic[Any]) -> bool:
        """Whether the number of subflows is an outcome, and no fault of the run: it
        follows from what the entry expects, from settings of its hosts, or from
        middleboxes on its paths."""
        wanted = self.expect(entry)
        if wanted.subflows is not None or wanted.mptcp in (FALLBACK, ANY):
            return True
        return bool(self._boxes(entry)) or self._managed(entry)

    def _managed(self, entry: Traffic[Any]) -> bool:
        """Whether the entry or settings of its hosts decide which subflows there
        are."""
        if entry.record.sockets is not None:
            return True
        return any(
            settings.manages or DENIED in (settings.sysctls or {})
            for settings in self._settings(entry)
        )

    def _way(self, entry: Traffic[Any]) -> list[Traffic[Any]]:
        """An entry and those of its proxies, whose hosts count connections of two."""
        index = next((n for n, one in enumerate(self.traffic) if one is entry), None)
        if index is None:
            return [entry]
        return [self.traffic[number] for number in proxied(self.traffic, index)]

    def _boxes(self, entry: Traffic[Any]) -> list[Box]:
        """The middleboxes on an entry's paths that decide what becomes of it."""
        boxes = [box for box in self.job.middleboxes if box.kind in PROVOKING]
        if not boxes:
            return boxes
        own = {
            link
            for each in entry.by_host
            for path in paths_of(self.users, each).values()
            for link in path.links
        }
        return [box for box in boxes if box.link in own]

    def _settings(self, entry: Traffic[Any]) -> list[Host]:
        """The settings of an entry's hosts that have their own."""
        hosts = dict.fromkeys((*entry.sources, *entry.destinations))
        own = self.job.host_settings or {}
        return [own[host] for host in hosts if host in own]

    def _cuts(self, entry: Traffic[Any]) -> list[Span]:
        """The stretches in which all paths of an entry are dark.

        Where settings of hosts decide which subflows there are, the first path is the
        only one that is sure to have one.
        """
        paths = list(paths_of(self.users, entry).values())
        if self._managed(entry):
            paths = paths[:1]
        return dark.of_all([self._of_path(path.links) for path in paths])

    def _of_path(self, links: Sequence[str]) -> list[Span]:
        return dark.joined(s for name in links for s in self._of_link.get(name, ()))

    @cached_property
    def _of_link(self) -> dict[str, list[Span]]:
        if not self.job.changes and not any(map(_always_lost, self.job.links)):
            return {}
        changes, until_s = self.job.changes, self.until_s
        return {
            link.name: dark.of_link(link, changes, until_s) for link in self.job.links
        }


def _always_lost(link: dark.Link) -> bool:
    ways = (link.direction(True), link.direction(False))
    return any(way.loss_percent >= dark.ALL_LOST_PERCENT for way in ways)


def of_run(
    job: Job, traffic: Sequence[Traffic[Any]], reported: Outcome, users: Users
) -> Provoked:
    """The failures that a job provokes until its last program has ended."""
    last = [process.last_s or 0.0 for process in reported.processes]
    return Provoked(job, tuple(traffic), users, max(last, default=0.0) + 1e-9)
