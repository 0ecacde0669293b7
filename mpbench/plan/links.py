"""The links of a job: shapes from parameters, with disciplines and impairments."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from jobs import Job
from jobs.changes import sender_change_fault
from jobs.links import any_at_sender, sender_fault, tunnel_fault
from mpbench.errors import UserError
from mpbench.spec import Spec, change_checks
from mpbench.spec.document import dotted
from mpbench.spec.link_traits import Both
from mpbench.spec.worded_traits import SENDER, SHAPER, TUNNEL, Tunnel
from topologies import Shape, families, impairments, parameters, resolve, wire
from topologies.impairments import Impairments
from topologies.parameters import DOWN
from topologies.queues import CAKE, FRAME_BYTES, RED, Discipline
from topologies.shaping import BURST_PACKETS, MTU_BYTES, queue_packets

Values = Mapping[str, Any]
LEAST_BUCKET_US = 2.0
"""The least time that a bucket holds out unless the file says how deep it is.

Timers of a guest wake the shaper a little late, and a full bucket loses what it gains
meanwhile: a link of 40 Gbit/s sent 35 with two packets, 39.5 with four, all with 20."""


def shapes(
    spec: Spec, values: Values, point: Values, number: int | None = None
) -> dict[str, Shape]:
    """The shape of every link by its name.

    values : parameters by canonical key
    point : name of a factor to its value
    number : of the point, for messages; None for the only one

    Raises UserError if a discipline or an impairment does not fit its link.
    """
    found = resolve(spec.network_description, values)
    for link, traits in spec.traits_at(point).items():
        up = found[link]
        down = replace(up, down=None) if up.down is None else up.down
        ways = ((up, ""), (down, DOWN))
        mtu = traits["mtu"].up if "mtu" in traits else None
        if mtu is not None:
            up, down = (_with_mtu(one, link, way, mtu, values) for one, way in ways)
        up = _with(spec, link, traits, replace(up, down=None), False, number)
        down = _with(spec, link, traits, down, True, number)
        two_ways = found[link].down is not None or up != down
        found[link] = replace(up, down=down if two_ways else None)
    if spec.fabric is None:
        deep = {link for link, of in spec.traits_at(point).items() if "bucket" in of}
        for link in found.keys() - deep:
            found[link] = _with_bucket(found[link])
    if any(SHAPER in traits for traits in spec.traits_at(point).values()):
        _check_senders(spec, found, number)
    if spec.fabric is not None and spec.fabric.host_queue is not None:
        packets = spec.fabric.host_queue
        for link in families.centre(spec.network_description.name).host_classes:
            down = found[link].down or replace(found[link], down=None)
            found[link] = replace(found[link], queue_packets=packets, down=down)
    return found


def _with_bucket(shape: Shape) -> Shape:
    """The link with a deeper bucket where the usual one is too short."""
    down = shape.down and _with_bucket(shape.down)
    cake = shape.discipline is not None and shape.discipline.name == CAKE
    if shape.capacity_mbps is None or shape.tclink or shape.at_sender or cake:
        return replace(shape, down=down)
    least = shape.capacity_mbps * LEAST_BUCKET_US / (8 * shape.frame_bytes)
    return replace(shape, down=down, bucket_packets=max(BURST_PACKETS, ceil(least)))


def _check_senders(spec: Spec, found: Mapping[str, Shape], number: int | None) -> None:
    """Raises UserError for a link that cannot be on its sender's interface."""
    from topologies import senders  # few files have such a link

    try:
        senders.moved(wire(spec.network_description, found), found)
    except senders.SenderError as error:
        raise _refusal(spec, error.link, SHAPER, str(error), number) from None


def check_changes(spec: Spec, job: Job) -> None:
    """Raises UserError for a change that a link on its sender's interface cannot
    make."""
    for series in job.changes if any_at_sender(job.links) else ():
        link = next(one for one in job.links if one.name == series.link)
        for way in (link.direction(f) for f in (True, False) if series.of(f)):
            if reason := sender_change_fault(way, series):
                key = change_checks.named(spec.changes)[series.link][0]
                at = f"{spec.where('changes', key)}: changes.{key}: {series.link}"
                raise UserError(f"{at}: {reason}")


def _with_mtu(shape: Shape, link: str, way: str, mtu: int, values: Values) -> Shape:
    """A direction with an mtu. Where its queue is a time, it holds other packets.

    way : `down_`, or empty
    """
    shape = replace(shape, mtu_bytes=mtu)
    sizes = [values.get(f"{link}.{prefix}queue_packets") for prefix in {way, ""}]
    if shape.capacity_mbps is None or any(sizes):
        return shape
    ms = values.get(f"{link}.{way}queueing_delay_ms")
    ms = values.get(f"{link}.queueing_delay_ms") if ms is None else ms
    packets = queue_packets(ms or 0.0, shape.capacity_mbps, mtu)
    return replace(shape, queue_packets=packets)


def _inside(shape: Shape, tunnel: Tunnel) -> Shape:
    """A direction with a tunnel, whose packets carry less than the link's."""
    return replace(
        shape,
        mtu_bytes=shape.mtu_bytes - tunnel.overhead_bytes,
        overhead_bytes=tunnel.overhead_bytes,
        tunnel_at_host=tunnel.at_host,
    )


def _refusal(
    spec: Spec, link: str, key: str, reason: str, number: int | None
) -> UserError:
    """The error of a trait that a link cannot have. number : of the point"""
    place = spec.trait_place(link, key)
    at = f"{spec.where(*place)}: {dotted(place)}"
    point = "" if number is None else f", point {number}"
    return UserError(f"{at}{point}: {reason}")


def _with(
    spec: Spec,
    link: str,
    traits: Mapping[str, Both[Any]],
    shape: Shape,
    down: bool,
    number: int | None,
) -> Shape:
    """One direction of a link with its traits."""

    def refuse(key: str, reason: str) -> UserError:
        return _refusal(spec, link, key, reason, number)

    ways = {key: both.way(down) for key, both in traits.items()}
    at_sender = ways.pop(SHAPER, None) == SENDER
    tunnel = ways.pop(TUNNEL, None)
    if tunnel is not None and tunnel.overhead_bytes:
        shape = _inside(shape, tunnel)
        if reason := tunnel_fault(shape):
            raise refuse(TUNNEL, reason)
    given, discipline = ways.pop("discipline", None), None
    if given is not None and shape.capacity_mbps is not None:
        try:
            discipline = given.resolved(shape.capacity_mbps)
        except ValueError as error:
            raise refuse("discipline", str(error)) from None
        if discipline and (reason := _trouble(discipline, shape)):
            raise refuse("discipline", reason)
    made: dict[str, Any] = {}
    for key in ("burst_loss", "reordering"):
        try:
            made[key] = settings.made if (settings := ways.get(key)) else None
        except ValueError as error:
            raise refuse(key, str(error)) from None
    more = Impairments(**made, **_given(Impairments, ways))
    if reason := impairments.fault(
        more, shape.delay_ms, shape.jitter_ms, shape.loss_percent
    ):
        raise refuse(reason.split()[0], reason)
    present = more if more.to_json() else None
    own = _given(Shape, ways)
    own.pop("mtu_bytes", None)  # the shape has it already, less a tunnel's bytes
    shape = replace(shape, discipline=discipline, impairments=present, **own)
    for name in own:
        found = parameters.traits(Shape)[name]
        if reason := found.fault(shape):
            raise refuse(found.key, reason)
    shape = replace(shape, at_sender=at_sender)
    if reason := sender_fault(shape):
        raise refuse(SHAPER, reason)
    return shape


def _given(record: type, ways: Values) -> dict[str, Any]:
    """The traits of a record that a direction has, by their fields.

    ways : the direction's traits by key
    """
    found = parameters.traits(record).items()
    given = {name: ways.get(each.key) for name, each in found}
    return {name: value for name, value in given.items() if value is not None}


def _trouble(discipline: Discipline, shape: Shape) -> str:
    """Reason why a discipline cannot have its link's queue; empty if it can."""
    if discipline.name != RED:
        return ""
    if shape.mtu_bytes != MTU_BYTES:
        key = TUNNEL if shape.overhead_bytes else "mtu"
        return f"red counts packets of 1500 bytes; take codel, or take '{key}' away"
    limit, high = shape.queue_packets * FRAME_BYTES, discipline.value("max_bytes")
    if high < limit:
        return ""
    return (
        f"red: max, {high:g} bytes, is not below the queue, {limit} bytes; give a"
        " smaller max or a larger queue"
    )
