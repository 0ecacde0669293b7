"""What can be set in a topology: names, units, defaults and bounds.

Standard library only, since the guest reads it, and an experiment file can be
checked on a machine without Mininet.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One thing that an experiment may set or vary.

    name : as experiment files write it, `path1.capacity`
    unit : canonical unit of `default`, `minimum` and `maximum`; one of
        `Mbit/s` (10^6 bit/s), `ms`, `s`, `bytes`, `packets`, `users`, `%`
    key : the name with its unit, as jobs and results write it,
        `path1.capacity_mbps`
    default : value when neither set nor varied; None stands for "not set"
    minimum, maximum : closed range of sensible values
    integer : whether only whole numbers make sense
    doc : one sentence
    replaces : name of a parameter that has no effect once this one is set
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


def link_parameters(
    link: str, *, capacity_mbps: float = 10.0, delay_ms: float = 10.0, shared: bool
) -> tuple[Parameter, ...]:
    """The parameters of one bottleneck link (thesis, sec. 3.1.1 and 3.1.2).

    link : name, the first part of the parameters' names
    capacity_mbps, delay_ms : defaults
    shared : whether flows share its queue, so that its delay varies by default
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
            doc="rate of the bottleneck in either direction, of whole packets",
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
            doc="longest time that a packet may wait in the bottleneck's queue;"
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
            doc="size of the bottleneck's queue; when set, it takes the place of"
            f" {link}.queueing_delay",
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
            doc="random variation of the delay, which keeps the order of packets;"
            " about one packet time breaks phase effects in shared queues"
            + (", and is what there is when it is not set" if shared else ""),
        ),
    )


def delay_parameter(link: str, delay_ms: float) -> Parameter:
    """The one-way delay of a link; of a link without a capacity, all that it has."""
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


def users_parameter(host: str, default: int = 1) -> Parameter:
    """How many users a host stands for."""
    return Parameter(
        f"{host}.users",
        "users",
        f"{host}.users",
        default=default,
        minimum=0,
        maximum=128,
        integer=True,
        doc="how many users the host stands for; each traffic entry that comes from"
        " it has so many connections for each that it says",
    )
