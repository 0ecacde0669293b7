"""What can be set in each topology: names, units, defaults and bounds.

Kept apart from the Mininet classes, so that an experiment file can be checked
on a machine without Mininet; standard library only, since the guest reads it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One thing that an experiment may set or vary.

    name : as experiment files write it, `path1.capacity`
    unit : canonical unit of `default`, `minimum` and `maximum`; one of
        `Mbit/s` (10^6 bit/s), `ms`, `s`, `bytes`, `packets`, `%`
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


@dataclass(frozen=True)
class Description:
    """A topology as an experiment file sees it.

    paths : number of paths between client and server; cases name them from 1
    hosts : names of the end hosts, between which traffic may flow
    openers : hosts that may open connections: those that choose a path
    """

    name: str
    parameters: tuple[Parameter, ...]
    paths: int
    hosts: tuple[str, ...]
    openers: tuple[str, ...]

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None

    def defaults(self) -> dict[str, float | int | None]:
        """Every canonical key with its default."""
        return {p.key: p.default for p in self.parameters}


def path_parameters(path: int) -> tuple[Parameter, ...]:
    """The parameters of one bottleneck path (thesis, sec. 3.1.1 and 3.1.2).

    path : number of the path, from 1
    """
    prefix = f"path{path}"
    return (
        Parameter(
            f"{prefix}.capacity",
            "Mbit/s",
            f"{prefix}.capacity_mbps",
            default=10.0,
            minimum=0.01,
            maximum=100_000.0,
            integer=False,
            doc="rate of the bottleneck in either direction, of whole packets",
        ),
        Parameter(
            f"{prefix}.delay",
            "ms",
            f"{prefix}.delay_ms",
            default=10.0,
            minimum=0.0,
            maximum=10_000.0,
            integer=False,
            doc="one-way propagation delay; a round trip takes twice as long",
        ),
        Parameter(
            f"{prefix}.queueing_delay",
            "ms",
            f"{prefix}.queueing_delay_ms",
            default=100.0,
            minimum=0.0,
            maximum=100_000.0,
            integer=False,
            doc="longest time that a packet may wait in the bottleneck's queue;"
            " gives the queue's size by eq. 3.2 of the thesis, at least 10 packets",
        ),
        Parameter(
            f"{prefix}.queue",
            "packets",
            f"{prefix}.queue_packets",
            default=None,
            minimum=1,
            maximum=1_000_000,
            integer=True,
            doc="size of the bottleneck's queue; when set, it takes the place of"
            f" {prefix}.queueing_delay",
            replaces=f"{prefix}.queueing_delay",
        ),
        Parameter(
            f"{prefix}.loss",
            "%",
            f"{prefix}.loss_percent",
            default=0.0,
            minimum=0.0,
            maximum=100.0,
            integer=False,
            doc="probability that a packet is lost at random, in either direction",
        ),
        Parameter(
            f"{prefix}.jitter",
            "ms",
            f"{prefix}.jitter_ms",
            default=0.0,
            minimum=0.0,
            maximum=1_000.0,
            integer=False,
            doc="random variation of the delay, which keeps the order of packets;"
            " about one packet time breaks phase effects in shared queues",
        ),
    )


TOPOLOGIES: dict[str, Description] = {
    "two_path": Description(
        name="two_path",
        parameters=path_parameters(1) + path_parameters(2),
        paths=2,
        hosts=("client", "server"),
        openers=("client",),
    ),
}
