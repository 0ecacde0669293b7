"""Whether what the traffic entries of a run moved can be added.

Amounts of two directions are of different links, and entries one after another have no
time in common. Background traffic takes no part.
"""

from collections.abc import Iterator, Sequence

from analysis.run import clock, tools
from analysis.run.artefacts import Artefacts

BOTH_WAYS = "data flow in both directions, which are not added"
IN_TURN = "its entries are active one after another"


def measured(
    run: Artefacts, moved: Sequence[tools.Flow | None]
) -> tuple[tools.Flow | None, ...]:
    """Data that the receivers of entries read that are no background; None for
    others."""
    pairs = zip(run.traffic, moved, strict=True)
    return tuple(None if entry.background else flow for entry, flow in pairs)


def windows(
    run: Artefacts, moved: Sequence[tools.Flow | None]
) -> Iterator[clock.Window]:
    """The time in which each entry counted whose tool says what arrived."""
    for index, flow in enumerate(moved):
        if flow is not None:
            yield clock.window(run, index, flow)


def apart(run: Artefacts, moved: Sequence[tools.Flow | None]) -> str | None:
    """The reason why the entries cannot be added; None if they can.

    moved : what the receiver of each entry read; None for an entry that takes no part
    """
    pairs = zip(run.traffic, moved, strict=True)
    ways = {entry.forward for entry, flow in pairs if flow is not None}
    if len(ways) > 1:
        return BOTH_WAYS
    if unknown := silent(run):
        return f"'{unknown[0]}' does not say what arrived; 'role: background' helps"
    times = list(windows(run, moved))
    return IN_TURN if len(times) > 1 and clock.in_turn(times) else None


def silent(run: Artefacts) -> list[str]:
    """The entries whose tools do not say what arrived, apart from background."""
    return [
        entry.title
        for entry in run.traffic
        if not entry.background and (tools.has(entry, "silent") or _says)(entry)
    ]


def _says(_entry: object) -> bool:
    return False


def both_ways(run: Artefacts) -> bool:
    """Whether some entries send towards users and others away from them."""
    return len({entry.forward for entry in run.traffic}) > 1
