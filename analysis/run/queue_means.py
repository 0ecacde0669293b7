"""The mean queue of each link and direction, in a part of a run."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from analysis.run.artefacts import Artefacts
from analysis.run.link_traffic import WAYS
from jobs import FRAME_BYTES

COLUMN = "mean_queue_packets"


def by_phase(run: Artefacts) -> dict[str, float | None]:
    """The columns of each phase; none if queues were not recorded.

    PHASE.LINK.WAY.mean_queue_packets : the mean over the phase of the bytes that wait,
        in full packets; of a class of links, the mean over its links; None if it is
        not known
    PHASE.mean_queue_packets : the mean over the bottlenecks that are used, in the
        directions of the data
    """
    columns: dict[str, float | None] = {}
    if run.queues is None:
        return columns
    for phase, (start_s, end_s) in run.job.phases.items():
        found = by_link(run, start_s, end_s)
        columns |= {f"{phase}.{way}.{COLUMN}": mean for way, mean in found.items()}
        columns[f"{phase}.{COLUMN}"] = of_used(run, found)
    return columns


def by_link(run: Artefacts, start_s: float, end_s: float) -> dict[str, float | None]:
    """The mean queue between two times, in full packets, by `LINK.up`, `LINK.down`.

    start_s, end_s : seconds after the beginning of the traffic
    """
    limited = {link.name for link in run.links if link.forward.rate_mbps is not None}
    means: dict[str, list[float | None]] = {}
    for end in run.outcome.links:
        if end.link not in limited:
            continue
        for way, forward in WAYS.items():
            place = end.forward if forward else end.backward
            mean = None
            if run.queues is not None:
                mean = run.queues.mean_bytes(place, start_s, end_s)
            means.setdefault(f"{end.link}.{way}", []).append(mean)
    return {name: _mean(each) for name, each in means.items()}


def of_used(run: Artefacts, means: Mapping[str, float | None]) -> float | None:
    """The mean over the bottlenecks that are used, in the directions of the data."""
    directions = {entry.forward for entry in run.traffic}
    ways = [way for way, forward in WAYS.items() if forward in directions]
    names = [f"{link.name}.{way}" for link in run.used_links for way in ways]
    known = [mean for name in names if (mean := means.get(name)) is not None]
    return fmean(known) if known else None


def _mean(all_bytes: Sequence[float | None]) -> float | None:
    """The mean in full packets; None if one of the numbers is not known."""
    known = [count for count in all_bytes if count is not None]
    return fmean(known) / FRAME_BYTES if len(known) == len(all_bytes) else None
