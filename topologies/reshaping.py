"""Lines for `tc -batch` that change the shape of a link while packets are on it."""

from topologies.shaping import Shape, ordering_rate_mbps

OUT_MBPS = 8e-6
"""The capacity of a link that is out: a byte per second, the lowest rate of a tbf. In
the virtual lab a tbf of this rate sends nothing (kernel/patches/0018-*)."""


def lines(shape: Shape, interface: str, ordered: bool) -> list[str]:
    """The lines that build an interface's shape, one per discipline.

    ordered : True if the delay changes. netem then never lets a packet that has a
        shorter delay overtake an earlier one
    """
    rate_mbps = ordering_rate_mbps(shape.capacity_mbps)
    return [
        f"{line} rate {rate_mbps}mbit"
        if ordered and " netem " in line and " rate " not in line
        else line
        for line in shape.tc_commands(interface)
    ]


def changed(before: list[str], after: list[str]) -> list[str]:
    """The lines that take disciplines from one state to another.

    before, after : lines of the same disciplines, as `lines` returns them
    """
    pairs = zip(before, after, strict=True)
    return [
        new.replace("qdisc add", "qdisc change", 1) for old, new in pairs if old != new
    ]
