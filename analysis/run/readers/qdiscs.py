"""`tc -s -j qdisc show` of each node: what shaped the paths, and what it counted.

The rate of htb is its class's, which `tc -s class show` tells.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object

_CLASS_RATE = re.compile(r"^class htb .*? rate (\d+)([KMGT]?)bit ", re.MULTILINE)
_PREFIXES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True)
class Qdisc:
    """One queueing discipline.

    parent : handle of its parent's class, None for the root
    rate_mbps : of tbf or htb, 10^6 bit/s
    limit_bytes, limit_packets : what its queue may hold, as far as it says
    delay_ms, jitter_ms, loss_percent : of netem
    bytes, packets : that left it; drops : that it refused or lost
    """

    node: str
    interface: str
    kind: str
    handle: str
    parent: str | None
    rate_mbps: float | None
    limit_bytes: float | None
    limit_packets: int | None
    delay_ms: float
    jitter_ms: float
    loss_percent: float
    bytes: int
    packets: int
    drops: int

    @property
    def place(self) -> str:
        return f"{self.kind} of {self.interface} on {self.node}"


def read(path: Path) -> tuple[Qdisc, ...]:
    """The disciplines of every node, in the order of the file.

    The file holds, by node, what `tc -s -j qdisc show` printed there, and
    `class-end.json` beside it, if there is an htb, the classes.
    Raises ValueError if a file is missing or holds something else.
    """
    found = parse(read_object(path), path.name)
    if not any(each.kind == "htb" for each in found):
        return found
    classes = path.with_name("class-end.json")
    rates = parse_classes(read_object(classes), classes.name)
    return tuple(
        replace(each, rate_mbps=rates.get((each.node, each.interface)))
        if each.kind == "htb"
        else each
        for each in found
    )


def parse(document: Mapping[str, Any], name: str) -> tuple[Qdisc, ...]:
    try:
        return tuple(
            _qdisc(node, each) for node, listed in document.items() for each in listed
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"{name}: not what `tc -s -j qdisc` writes ({what})"
        ) from error


def parse_classes(
    document: Mapping[str, Any], name: str
) -> dict[tuple[str, str], float]:
    """The rate of the one class of each htb, 10^6 bit/s, by node and interface.

    tc rounds it down to three digits beyond its unit at least.
    """
    try:
        found = {
            (node, interface): _CLASS_RATE.findall(text)
            for node, shown in document.items()
            for interface, text in shown.items()
        }
        return {
            place: int(number) * _PREFIXES[prefix] / 1e6
            for place, ((number, prefix),) in found.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not what `tc -s class` writes ({what})") from error


def _qdisc(node: str, each: Mapping[str, Any]) -> Qdisc:
    kind, options = each["kind"], each.get("options") or {}
    delay = options.get("delay") or {}
    in_bytes = kind in ("tbf", "bfifo")
    limit = options.get("limit")
    return Qdisc(
        node=node,
        interface=each["dev"],
        kind=kind,
        handle=each["handle"],
        parent=each.get("parent"),
        rate_mbps=options["rate"] * 8 / 1e6 if kind == "tbf" else None,
        limit_bytes=_limit_bytes(options) if in_bytes else None,
        limit_packets=None if in_bytes or limit is None else int(limit),
        delay_ms=float(delay.get("delay", 0)) * 1e3,
        jitter_ms=float(delay.get("jitter", 0)) * 1e3,
        loss_percent=float((options.get("loss-random") or {}).get("loss", 0)) * 100,
        bytes=int(each.get("bytes", 0)),
        packets=int(each.get("packets", 0)),
        drops=int(each.get("drops", 0)),
    )


def _limit_bytes(options: Mapping[str, Any]) -> float | None:
    """Of tbf, which tc shows as a latency: what of the queue exceeds the burst."""
    if options.get("limit") is not None:
        return float(options["limit"])
    if options.get("lat") is None:
        return None
    return float(options["rate"] * options["lat"] / 1e6 + options["burst"])
