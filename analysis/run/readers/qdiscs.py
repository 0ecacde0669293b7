"""Reader of the queueing disciplines of all nodes (`tc -s -j qdisc show`).

A network on the fabric has links in place of disciplines, which the guest describes in
the same form, as disciplines of kind `fabric`.

`tc` prints the rate of an htb with its class only, in `tc -s class show`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object
from jobs import SENDER_HANDLE

FABRIC = "fabric"
"""The kind of a link of the fabric: a queue with a rate, a delay and losses."""
_CLASS_RATE = re.compile(r"^class htb .*? rate (\d+)([KMGT]?)bit ", re.MULTILINE)
RATES = {"tbf": "rate", "cake": "bandwidth", FABRIC: "rate"}
"""Of disciplines that limit the rate: the option with the rate, in bytes per second."""
_PREFIXES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True)
class Qdisc:
    """One queueing discipline, with its settings and counters.

    kind : `tbf`, `htb`, `netem` and so on
    parent : handle of the parent's class; None for the root
    rate_mbps : rate of a tbf, htb or cake, or of the one netem of a sender, in 10^6
        bit/s; None for others
    limit_bytes, limit_packets : capacity of its queue; None if tc does not show it
    delay_ms, jitter_ms, loss_percent : settings of a netem; 0 for other kinds
    bytes, packets : what left the discipline
    drops : packets that it refused or lost
    lost : of these, the random losses before the queue; 0 where tc does not tell them
        apart
    document : everything that tc printed about it
    order_mbps : the rate of a netem that keeps packets in order, 10^6 bit/s; None if it
        has none
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
    lost: int = 0
    document: Mapping[str, Any] = field(default_factory=dict)
    order_mbps: float | None = None

    @property
    def place(self) -> str:
        """The discipline in running text: `tbf of r1-hub on r1`."""
        return f"{self.kind} of {self.interface} on {self.node}"


def read(path: Path) -> tuple[Qdisc, ...]:
    """The disciplines of all nodes, in the order of the file.

    The file has, by node, what `tc -s -j qdisc show` printed. If there is an htb, the
    file `class-end.json` beside it has what `tc -s class show` printed.

    Raises ValueError if a file is missing or has another format.
    """
    qdiscs = parse(read_object(path), path.name)
    if not any(qdisc.kind == "htb" for qdisc in qdiscs):
        return qdiscs
    classes = path.with_name("class-end.json")
    rates = parse_classes(read_object(classes), classes.name)
    return tuple(
        replace(qdisc, rate_mbps=rates.get((qdisc.node, qdisc.interface)))
        if qdisc.kind == "htb"
        else qdisc
        for qdisc in qdiscs
    )


def parse(document: Mapping[str, Any], name: str) -> tuple[Qdisc, ...]:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        return tuple(
            _qdisc(node, description)
            for node, descriptions in document.items()
            for description in descriptions
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"{name}: not what `tc -s -j qdisc` writes ({reason})"
        ) from error


def parse_classes(
    document: Mapping[str, Any], name: str
) -> dict[tuple[str, str], float]:
    """The rate of each htb's only class in 10^6 bit/s, by (node, interface).

    tc rounds rates down, but shows at least three digits after its unit.
    """
    try:
        rates = {
            (node, interface): _CLASS_RATE.findall(text)
            for node, interfaces in document.items()
            for interface, text in interfaces.items()
        }
        return {
            place: int(number) * _PREFIXES[prefix] / 1e6
            for place, ((number, prefix),) in rates.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not what `tc -s class` writes ({reason})") from error


def _qdisc(node: str, description: Mapping[str, Any]) -> Qdisc:
    kind = values.text(description["kind"])
    options = values.mapping(description.get("options") or {})
    delay = options.get("delay") or {}
    in_bytes = kind in ("tbf", "bfifo", "red", FABRIC)
    rate = options.get(RATES.get(kind, ""))
    order_mbps = _order_mbps(options) if kind == "netem" else None
    if kind == "netem" and description["handle"] == SENDER_HANDLE:
        rate = (options.get("rate") or {}).get("rate")
        order_mbps = None
    return Qdisc(
        node=node,
        interface=values.text(description["dev"]),
        kind=kind,
        handle=values.text(description["handle"]),
        parent=values.text_or_none(description.get("parent")),
        rate_mbps=None if rate is None else values.time(rate) * 8 / 1e6,
        limit_bytes=_limit_bytes(options) if in_bytes else None,
        limit_packets=_limit_packets(options, in_bytes),
        delay_ms=values.time(delay.get("delay", 0)) * 1e3,
        jitter_ms=values.time(delay.get("jitter", 0)) * 1e3,
        loss_percent=values.time((options.get("loss-random") or {}).get("loss", 0))
        * 100,
        bytes=values.count(description.get("bytes", 0)),
        packets=values.count(description.get("packets", 0)),
        drops=values.count(description.get("drops", 0)),
        lost=values.count(description.get("lost", 0)),
        document=description,
        order_mbps=order_mbps,
    )


def _order_mbps(options: Mapping[str, Any]) -> float | None:
    """The rate of a netem in Mbit/s; tc shows it in bytes per second."""
    rate = options.get("rate")
    return values.time(rate["rate"]) * 8 / 1e6 if rate else None


def _limit_packets(options: Mapping[str, Any], in_bytes: bool) -> int | None:
    """The capacity of a queue in packets; None if it is one in bytes, or not shown."""
    if "limit_packets" in options:
        return values.count(options["limit_packets"])
    limit = options.get("limit")
    return None if in_bytes or limit is None else values.count(limit)


def _limit_bytes(options: Mapping[str, Any]) -> float | None:
    """The capacity of a queue in bytes; None if tc does not show it.

    For a tbf, tc shows a latency instead: the time to send the part of the queue that
    exceeds the burst.
    """
    if options.get("limit") is not None:
        return values.time(options["limit"])
    if options.get("lat") is None:
        return None
    # Where tc shows details, the burst has a unit and the size of a cell: `3027b/1`.
    burst = float(str(options["burst"]).partition("b")[0])
    return values.time(options["rate"]) * values.time(options["lat"]) / 1e6 + burst
