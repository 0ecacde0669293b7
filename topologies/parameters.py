"""The parameters of topologies and the traits of links: names, units, bounds.

This file uses the standard library only, because the guest imports it, and because
experiment files are checked on machines without Mininet too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A quantity that an experiment can set or vary.

    name : the name in experiment files, such as `path1.capacity`
    unit : the canonical unit of `default`, `minimum` and `maximum`: one of `Mbit/s`
        (10^6 bit/s), `ms`, `s`, `bytes`, `packets`, `users`, `%`
    key : the name with its unit, as in jobs and results: `path1.capacity_mbps`
    default : the value if an experiment neither sets nor varies it; None stands for
        "not set"
    minimum, maximum : the range of valid values, ends included
    integer : True if only whole numbers are valid
    doc : one sentence for users
    replaces : name of the parameter that has no effect if this one is set; None if
        there is none
    """

    name: str
    unit: str
    key: str
    default: float | int | None
    minimum: float
    maximum: float
    integer: bool
    doc: str
    replaces: str | None = None


@dataclass(frozen=True, kw_only=True)
class Trait:
    """A trait of a link that is one number per direction, such as `corruption`.

    It stands at the field of a record (`trait`), and nowhere else: the key of
    experiment files, the factor of designs, the bounds in jobs, the words of a plan and
    the refusal of the fabric are all made from it.

    key : in experiment files
    unit : the unit of the field, `low` and `high`: `%`, `packets`, `bytes` or `ms`
    low, high : the range of valid values, ends included
    doc : one sentence for users
    whole : True if only whole numbers are valid
    example : a valid value, for messages
    alike : True if both directions have the same
    data : True if a file may give an amount of data, which becomes full packets
    netem : the option of netem that does it, and its key in tc's JSON
    on_fabric : words that refuse it on a fabric; empty for the usual ones
    fault : reason why a direction of a link cannot have a value; empty if it can
    """

    key: str
    unit: str
    low: float
    high: float
    doc: str
    example: float = 1
    whole: bool = False
    alike: bool = False
    data: bool = False
    netem: str = ""
    on_fabric: str = ""
    fault: Callable[[Any], str] = lambda way: ""


def trait(usual: float, found: Trait) -> Any:
    """The field of a record with a trait. usual : its value where a file gives none"""
    return field(default=usual, metadata={Trait: found})


@cache
def traits(record: Any) -> Mapping[str, Trait]:
    """The traits of a record by the names of their fields."""
    found = {each.name: each.metadata.get(Trait) for each in fields(record)}
    return MappingProxyType({name: at for name, at in found.items() if at is not None})


def unusual(record: Any) -> Iterator[tuple[str, Trait]]:
    """The traits of a record whose value is not the usual one, with their fields."""
    kind: Any = type(record)
    for name, found in traits(kind).items():
        if getattr(record, name) != getattr(kind, name):
            yield name, found


def link_parameters(
    link: str, *, capacity_mbps: float = 10.0, delay_ms: float = 10.0, shared: bool
) -> tuple[Parameter, ...]:
    """The parameters of one bottleneck link (thesis, sec. 3.1.1 and 3.1.2).

    link : the link's name, with which the names of the parameters begin
    capacity_mbps, delay_ms : default values
    shared : True if flows of several users share the queue. Its delay then varies by
        default, by one packet time.
    """
    return (
        Parameter(
            f"{link}.capacity",
            "Mbit/s",
            f"{link}.capacity_mbps",
            default=capacity_mbps,
            minimum=0.01,
            maximum=100_000.0,
            integer=False,
            doc="rate of the bottleneck in each direction, counting whole packets",
        ),
        delay_parameter(link, delay_ms),
        Parameter(
            f"{link}.queueing_delay",
            "ms",
            f"{link}.queueing_delay_ms",
            default=100.0,
            minimum=0.0,
            maximum=100_000.0,
            integer=False,
            doc="longest time that a packet can wait in the bottleneck's queue; it"
            " gives the queue's size by eq. 3.2 of the thesis, at least 10 packets",
        ),
        Parameter(
            f"{link}.queue",
            "packets",
            f"{link}.queue_packets",
            default=None,
            minimum=1,
            maximum=1_000_000,
            integer=True,
            doc="size of the bottleneck's queue; if it is set,"
            f" {link}.queueing_delay has no effect",
            replaces=f"{link}.queueing_delay",
        ),
        Parameter(
            f"{link}.loss",
            "%",
            f"{link}.loss_percent",
            default=0.0,
            minimum=0.0,
            maximum=100.0,
            integer=False,
            doc="probability that a packet is lost at random, in either direction",
        ),
        Parameter(
            f"{link}.jitter",
            "ms",
            f"{link}.jitter_ms",
            default=None if shared else 0.0,
            minimum=0.0,
            maximum=1_000.0,
            integer=False,
            doc="random variation of the delay that keeps packets in order; about"
            " one packet time avoids phase effects in shared queues"
            + (", and is the default, up to the delay" if shared else ""),
        ),
    )


def delay_parameter(link: str, delay_ms: float) -> Parameter:
    """The one-way delay of a link. A link without a capacity has only this parameter.

    delay_ms : the default value
    """
    return Parameter(
        f"{link}.delay",
        "ms",
        f"{link}.delay_ms",
        default=delay_ms,
        minimum=0.0,
        maximum=10_000.0,
        integer=False,
        doc="one-way propagation delay; a round trip takes twice as long",
    )


DOWN = "down_"
"""With this begins the name of a parameter of the direction towards users."""


def down_parameters(link: str, *, only_delays: bool = False) -> tuple[Parameter, ...]:
    """The parameters of a link's direction towards users, where directions differ.

    Each is not set by default, and then it is that of the other direction. A queue that
    is not set in either direction follows from the queueing delay and the direction's
    own capacity.

    only_delays : True for a link without a capacity
    """
    same = link_parameters(link, shared=True)
    wanted = ("delay",) if only_delays else ("capacity", "delay", "queue", "loss")
    return tuple(
        replace(
            parameter,
            name=f"{link}.{DOWN}{key}",
            key=f"{link}.{DOWN}{parameter.key.removeprefix(f'{link}.')}",
            default=None,
            doc=f"{key} of the direction towards users; as in the other one if not set",
            replaces=None,
        )
        for parameter in same
        if (key := parameter.name.rpartition(".")[2]) in wanted
    )


def down_queueing_delay(link: str) -> Parameter:
    """The longest wait in the queue of a link's direction towards users.

    Only links whose queues have a time in that direction have this parameter.
    """
    (same,) = (
        parameter
        for parameter in link_parameters(link, shared=True)
        if parameter.name == f"{link}.queueing_delay"
    )
    return replace(
        same,
        name=f"{link}.{DOWN}queueing_delay",
        key=f"{link}.{DOWN}queueing_delay_ms",
        default=None,
        doc="queueing_delay of the direction towards users",
    )


def users_parameter(host: str, default: int = 1) -> Parameter:
    """The number of users that a host stands for."""
    return Parameter(
        f"{host}.users",
        "users",
        f"{host}.users",
        default=default,
        minimum=0,
        maximum=128,
        integer=True,
        doc="how many users the host stands for; a traffic entry from this host opens"
        " its connections once per user",
    )
