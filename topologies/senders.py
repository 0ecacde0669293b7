"""Links whose queue is on the host that sends, as with tc on a machine's own interface.

    host (queue) --- router --- ...

The wire from the host to the first router of the link is then where the packets wait,
and the router passes them on at once. Only a host whose interface carries the packets
of this link alone can have the queue.
"""

from collections.abc import Mapping
from dataclasses import replace

from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Wire, Wiring

FORWARD, BACKWARD = "forward", "backward"


class SenderError(ValueError):
    """A link that has no sender of its own. link : its name"""

    def __init__(self, link: str, reason: str) -> None:
        super().__init__(reason)
        self.link = link


def moved(wiring: Wiring, shapes: Mapping[str, Shape]) -> Wiring:
    """The wiring with the queues of links on their senders, where shapes say so.

    Raises SenderError, in one line, for a link that has no sender of its own.
    """
    shaped: dict[tuple[str, str], Shape | None] = {}
    places = []
    for place in wiring.links:
        both = shapes[place.link]
        for way, shape in ((FORWARD, both), (BACKWARD, both.down or both)):
            if not shape.at_sender:
                continue
            before: tuple[str, str] = getattr(place, way)
            after = _sender(wiring, place, way)
            shaped[before], shaped[after] = None, replace(shape, down=None)
            place = _with(place, way, after)
        places.append(place)
    if not shaped:
        return wiring

    def end(one: End) -> End:
        key = (one.node, one.interface)
        return replace(one, shape=shaped[key]) if key in shaped else one

    wires = tuple(Wire(end(wire.one), end(wire.two)) for wire in wiring.wires)
    return replace(wiring, wires=wires, links=tuple(places))


def _with(place: LinkPlace, way: str, at: tuple[str, str]) -> LinkPlace:
    if way == FORWARD:
        return replace(place, forward=at)
    return replace(place, backward=at)


def _sender(wiring: Wiring, place: LinkPlace, way: str) -> tuple[str, str]:
    """The host and the interface that send the packets of a direction of a link."""
    router, leaves = getattr(place, way)
    before = [
        there
        for wire in wiring.wires
        for here, there in ((wire.one, wire.two), (wire.two, wire.one))
        if here.node == router and here.interface != leaves
    ]
    if len(before) == 1 and before[0].node in wiring.ports:
        return before[0].node, before[0].interface
    whose, other = ("user", "down") if way == FORWARD else ("server", "up")
    if len(before) > 1:
        reason = f"{len(before)} interfaces send over it; give each a link of its own"
    else:
        reason = f"no {whose} has an interface for this link alone"
        reason += f"; take a link at the {whose}'s end, or write {{{other}: sender}}"
    raise SenderError(place.link, reason)
