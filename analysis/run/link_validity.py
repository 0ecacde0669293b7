"""Checks whether the links of a run were what its job asked for.

Each yields the reasons why they were not, as those of `analysis.run.validity` do.
"""

from collections.abc import Iterator
from dataclasses import replace

from analysis.run import changed_links, disciplines
from analysis.run.artefacts import Artefacts
from analysis.run.labels import label
from analysis.run.observed_links import Direction
from analysis.words import many
from jobs import FRAME_BYTES, Shape

RATE_TOLERANCE = 1e-3
RATE_STEP_MBPS = 8e-6
"""tc stores rates in whole bytes per second."""
DELAY_TOLERANCE = 1e-4
DELAY_STEP_MS = 2e-3
"""tc shows delays with six digits, in whole ticks."""
LOSS_STEP_PERCENT = 1e-4
QUEUE_STEP_PACKETS = 1.0
TC_STEP_S = 2e-6
"""tc shows a tbf's queue as a time and its burst as a time, each in whole
microseconds."""
OUT_MBPS = 8e-6
"""The rate of a link that is out, as tc shows it: a byte per second."""


def links_as_asked(run: Artefacts) -> Iterator[str]:
    """tc shows the rate, delay, jitter, loss and queue that the job asks for."""
    observed = {link.name: link for link in run.links}
    for link in changed_links.at_end(run.job.links, run.changes):
        if link.name not in observed:
            yield f"{label(link.name)} was not built"
            continue
        for way in ("forward", "backward"):
            direction: Direction = getattr(observed[link.name], way)
            asked = link.direction(way == "forward")
            for difference in _differences(asked, direction):
                yield f"{label(link.name)} {way}: {difference}"


def _differences(link: Shape, observed: Direction) -> Iterator[str]:
    """Features of one direction of a link in tc's output that were not asked for."""
    held: float = link.queue_packets
    if link.discipline is None and not link.one_netem:
        # tc shows bytes, which `observed` has in full packets of Ethernet.
        held *= link.frame_bytes / FRAME_BYTES
    if link.capacity_mbps == 0:  # out: tc shows its lowest rate, and no queue
        link = replace(link, capacity_mbps=OUT_MBPS)
        observed = replace(observed, queue_packets=held)
    rate_mbps = link.capacity_mbps or 0.0
    rate_step = max(RATE_STEP_MBPS, RATE_TOLERANCE * rate_mbps)
    delay_step, jitter_step = _step_ms(link.delay_ms), _step_ms(link.jitter_ms)
    compared = (
        ("rate", "Mbit/s", observed.rate_mbps, link.capacity_mbps, rate_step),
        ("delay", "ms", observed.delay_ms, link.delay_ms, delay_step),
        ("jitter", "ms", observed.jitter_ms, link.jitter_ms, jitter_step),
        ("loss", "%", observed.loss_percent, link.loss_percent, LOSS_STEP_PERCENT),
        (
            "queue",
            "packets",
            observed.queue_packets,
            held,
            max(QUEUE_STEP_PACKETS, TC_STEP_S * rate_mbps * 1e6 / 8 / FRAME_BYTES),
        ),
    )
    for name, unit, shown, asked, tolerance in compared:
        if name == "queue" and observed.traits.discipline == disciplines.CAKE:
            continue
        if asked is None:
            if shown is not None:
                yield f"{name} is {shown:g} {unit}, asked for none"
        elif shown is None:
            yield f"{name} cannot be read back"
        elif abs(shown - asked) > tolerance:
            yield f"{name} is {shown:g} {unit}, asked for {asked:g}"
    wanted = disciplines.asked(link.discipline, link.impairments, link.delay_ms)
    yield from disciplines.differences(wanted, observed.traits.facts)


def _step_ms(delay_ms: float) -> float:
    """The largest difference between a delay and what tc shows of it."""
    return max(DELAY_STEP_MS, DELAY_TOLERANCE * delay_ms)


def changes_as_asked(run: Artefacts) -> Iterator[str]:
    """Links changed at the times and to the values that the job asks for."""
    if run.job.changes:
        ends = [process.last_s or 0.0 for process in run.outcome.processes]
        clients = [
            end_s
            for process, end_s in zip(run.outcome.processes, ends, strict=True)
            if process.name.endswith("-client")
        ]
        end_s = max(clients, default=0.0)
        yield from changed_links.differences(run.job, run.changes, end_s)


def no_drop_elsewhere(run: Artefacts) -> Iterator[str]:
    """Only the queues of the bottlenecks and the configured loss dropped packets."""
    shaped = {end.forward for end in run.outcome.links}
    shaped |= {end.backward for end in run.outcome.links}
    for qdisc in run.qdiscs:
        outside = (qdisc.node, qdisc.interface) not in shaped
        if outside and qdisc.parent is None and qdisc.drops:
            yield f"{many(qdisc.drops, 'packet')} dropped by {qdisc.place}"
    for link in run.links:
        for way in ("forward", "backward"):
            direction: Direction = getattr(link, way)
            lost = direction.loss_percent or changed_links.loses(run.job, link.name)
            if direction.other_drops and not (lost or direction.traits.loses):
                drops = (
                    f"{many(direction.other_drops, 'packet')} dropped before the queue"
                )
                yield f"{label(link.name)} {way}: {drops}"
    if changed_links.switched(run.job):
        return  # packets towards an interface that is down count as dropped there
    if any(
        link.forward.traits.corrupts or link.backward.traits.corrupts
        for link in run.links
    ):
        return  # packets with a damaged header are dropped anywhere
    for interface in run.interfaces:
        count = interface.dropped + interface.errors
        if count:
            place = f"{interface.interface} on {interface.node}"
            yield f"{many(count, 'packet')} dropped by {place}"
