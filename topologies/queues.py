"""Queue disciplines of links: their options, and how `tc` builds them.

A direction of a link is a delay line (netem), then a rate limit (tbf), then the queue:

    netem (delay, loss) --- tbf (rate) --- discipline

The discipline replaces the queue of the tbf, so that no packet waits in any other
queue. `cake` limits the rate itself and stands in the place of both:

    netem (delay, loss) --- cake (rate, queue)

A tbf looks at the next packet before it may send it. codel, fq_codel and pie hand over
that packet, so the packet that is being sent is no longer in their queue.

This file uses the standard library only, because the guest imports it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FRAME_BYTES = 1514

DROP_TAIL = "drop_tail"
"""A first-in first-out queue that refuses packets when it is full: the default."""

RED = "red"
CAKE = "cake"

Value = float | int | bool | str | None

TICK_MS = 10.0
"""Of the guest's clock (CONFIG_HZ=100)."""

SUFFIXES = {"bytes": "_bytes", "ms": "_ms", "%": "_percent"}


@dataclass(frozen=True)
class Option:
    """An option of a discipline.

    name : in experiment files
    unit : `bytes`, `ms`, `%`, `` for a plain number, `switch` or `word`
    default : in that unit; a pair of a number and `ms` for a time at the link's
        capacity; None for a value that the kernel chooses
    minimum, maximum : the range of valid numbers, ends included
    size : whether a file may also give packets, or a time at the link's capacity
    words : the values of a word
    power : whether only powers of two work
    step : only multiples of it work; 0 for any number
    doc : one sentence for users
    """

    name: str
    unit: str
    default: Value | tuple[float, str]
    doc: str
    minimum: float = 0.0
    maximum: float = 0.0
    size: bool = False
    words: tuple[str, ...] = ()
    power: bool = False
    step: float = 0.0

    @property
    def key(self) -> str:
        """The name with its unit, as in jobs."""
        return self.name + SUFFIXES.get(self.unit, "")

    def fault(self, value: object) -> str:
        """Reason why a value in the canonical unit cannot be; empty if it can."""
        if value is None:
            return "" if self.default is None else "needs a value"
        if self.unit == "switch":
            return "" if isinstance(value, bool) else "expected true or false"
        if self.unit == "word":
            return "" if value in self.words else f"known: {', '.join(self.words)}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "expected a number"
        if not self.minimum <= value <= self.maximum:
            unit = f" {self.unit}" if self.unit else ""
            limits = f"{self.minimum:g} to {self.maximum:g}{unit}"
            return f"{value:g}{unit} is out of range; {self.name} is {limits}"
        if self.unit in ("", "bytes") and value != int(value):
            return f"{value:g} is not a whole number"
        if self.step and value % self.step:
            unit = f" {self.unit}" if self.unit else ""
            return f"{value:g}{unit} is not a multiple of {self.step:g}{unit}"
        if self.power and int(value).bit_count() != 1:
            return f"{value:g} is not a power of two, such as 16"
        return ""


def _time(name: str, default_ms: float, maximum_ms: float, doc: str) -> Option:
    return Option(name, "ms", default_ms, doc, 0.01, maximum_ms)


def _switch(name: str, default: bool, doc: str) -> Option:
    return Option(name, "switch", default, doc)


_MARKS = "whether packets of ECN are marked where others are dropped"
_MOST_BYTES = 1 << 30

OPTIONS: Mapping[str, tuple[Option, ...]] = {
    DROP_TAIL: (),
    RED: (
        Option(
            "min",
            "bytes",
            (30.28, "ms"),
            "average queue at which drops begin",
            2 * FRAME_BYTES,
            _MOST_BYTES,
            size=True,
        ),
        Option(
            "max",
            "bytes",
            (60.56, "ms"),
            "average queue at which the probability of a drop is `probability`",
            2 * FRAME_BYTES,
            _MOST_BYTES,
            size=True,
        ),
        Option("probability", "%", 10.0, "see `max`", 0.01, 100.0),
        Option(
            "averaging",
            "",
            16,
            "the queue's average gives each arrival the weight 1 / `averaging`",
            2,
            512,
            power=True,
        ),
        _switch(
            "gentle",
            True,
            "whether the probability rises further, to 1 at twice `max`; otherwise"
            " everything above `max` is dropped",
        ),
        _switch("ecn", False, _MARKS + "; only with `gentle: false`"),
    ),
    "codel": (
        _time("target", 5.0, 10_000.0, "wait that the queue may always have"),
        _time("interval", 100.0, 100_000.0, "time above `target` before a drop"),
        _switch("ecn", False, _MARKS),
    ),
    "fq_codel": (
        _time("target", 5.0, 10_000.0, "wait that each flow's queue may always have"),
        _time("interval", 100.0, 100_000.0, "time above `target` before a drop"),
        Option("quantum", "bytes", 1514, "bytes per turn of a flow", 256, 1 << 20),
        Option("flows", "", 1024, "number of queues among flows", 1, 65_536),
        _switch("ecn", True, _MARKS),
    ),
    "pie": (
        _time("target", 15.0, 10_000.0, "wait that the probability aims at"),
        Option(
            "update",
            "ms",
            20.0,
            "how often the probability changes, in ticks of the guest's clock",
            TICK_MS,
            1_000.0,
            step=TICK_MS,
        ),
        Option("alpha", "", 2, "weight of the difference to `target`", 0, 32),
        Option("beta", "", 20, "weight of the change of the wait", 0, 32),
        _switch("ecn", False, _MARKS),
    ),
    CAKE: (
        _time("rtt", 100.0, 10_000.0, "round trips of most flows; it gives the target"),
        Option(
            "isolation",
            "word",
            "triple-isolate",
            "what gets a fair share",
            words=(
                "flowblind",
                "srchost",
                "dsthost",
                "hosts",
                "flows",
                "dual-srchost",
                "dual-dsthost",
                "triple-isolate",
            ),
        ),
        Option(
            "priorities",
            "word",
            "diffserv3",
            "classes by DSCP",
            words=("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"),
        ),
        _switch("ack_filter", False, "whether superseded acknowledgements are dropped"),
        Option(
            "memory",
            "bytes",
            None,
            "memory of all queues; the kernel chooses 4 MiB or more by default",
            16_384,
            _MOST_BYTES,
        ),
    ),
}
"""The options of each discipline, in the order of the documentation."""

NAMES = tuple(OPTIONS)


@dataclass(frozen=True)
class Discipline:
    """A discipline with the value of every option, by key.

    values : pairs of an option's key and value, in the order of `OPTIONS`
    """

    name: str
    values: tuple[tuple[str, Value], ...]

    def value(self, key: str) -> Any:
        return dict(self.values)[key]

    def to_json(self) -> dict[str, Value]:
        """The discipline as a job has it."""
        return {"name": self.name, **dict(self.values)}


def from_json(document: Mapping[str, Any]) -> Discipline:
    """The inverse of `Discipline.to_json`. Raises ValueError for anything else."""
    name = document.get("name")
    if not isinstance(name, str) or name not in OPTIONS or name == DROP_TAIL:
        raise ValueError(f"no discipline {str(name)[:40]!r}")
    keys = {option.key: option for option in OPTIONS[name]}
    for key in document.keys() ^ {"name", *keys}:
        kind = "is missing" if key in keys else "is unknown"
        raise ValueError(f"{name}: {str(key)[:40]!r} {kind}")
    for key, option in keys.items():
        if reason := option.fault(document[key]):
            raise ValueError(f"{name}: {key}: {reason}")
    found = Discipline(name, tuple((key, document[key]) for key in keys))
    if reason := fault(found):
        raise ValueError(f"{name}: {reason}")
    return found


def fault(discipline: Discipline) -> str:
    """Fault of the options together; empty if there is none."""
    if discipline.name != RED:
        return ""
    values = dict(discipline.values)
    low, high = values["min_bytes"], values["max_bytes"]
    if low >= high:  # type: ignore[operator]
        return f"min, {low:g} bytes, is not below max, {high:g} bytes"
    if values["ecn"] and values["gentle"]:
        return "ecn works with 'gentle: false' only; gentle red drops"
    if int(high) * int(values["averaging"]) >= 1 << 31:  # type: ignore[arg-type]
        return f"max, {high:g} bytes, is too much for averaging {values['averaging']}"
    averaging = int(values["averaging"])  # type: ignore[arg-type]
    if _averaging(low, red_burst(low, averaging)) != averaging:  # type: ignore[arg-type]
        return (
            f"tc has no averaging {averaging} with min {low:g} bytes; give a larger min"
        )
    return ""


def tc_command(
    discipline: Discipline, position: str, queue_packets: int, rate_bps: int
) -> str:
    """The line for `tc -batch` that adds a discipline.

    position : device, parent and handle, in tc's words
    queue_packets : the limit of its queue; `cake` has a limit of its own
    rate_bps : rate of the link, bit/s
    """
    options = _OPTIONS_OF[discipline.name](discipline, queue_packets, rate_bps)
    return f"qdisc add {position} {discipline.name} {' '.join(options)}"


def _red(discipline: Discipline, packets: int, rate_bps: int) -> list[str]:
    low, averaging = discipline.value("min_bytes"), discipline.value("averaging")
    words = [f"limit {packets * FRAME_BYTES}", f"min {low:.0f}"]
    words += [f"max {discipline.value('max_bytes'):.0f}", f"avpkt {FRAME_BYTES}"]
    words += [f"burst {red_burst(low, averaging)}", f"bandwidth {rate_bps}bit"]
    words += [f"probability {discipline.value('probability_percent') / 100:.9g}"]
    # See kernel/patches/0015-sched-gentle-red.patch.
    words += ["harddrop"] if discipline.value("gentle") else []
    return [*words, *(["ecn"] if discipline.value("ecn") else [])]


def red_burst(min_bytes: float, averaging: int) -> int:
    """The number of packets for tc's `burst` that gives an average its weight.

    tc takes the first weight W of 1/2, 1/4, 1/8 ... with

        burst + 1 - min / avpkt <= (1 - (1 - W)^burst) / W

    min_bytes : least average queue with drops
    averaging : 1 / W
    """
    burst = math.ceil(min_bytes / FRAME_BYTES)
    while _averaging(min_bytes, burst) < averaging:
        burst += 1
    return burst


def _averaging(min_bytes: float, burst: int) -> int:
    """1 / W as tc computes it."""
    wanted = burst + 1 - min_bytes / FRAME_BYTES
    averaging = 2
    while wanted > averaging * (1 - (1 - 1 / averaging) ** burst):
        averaging *= 2
    return averaging


def _us(milliseconds: float) -> str:
    return f"{milliseconds * 1e3:.3f}us"


def _ecn(discipline: Discipline) -> str:
    return "ecn" if discipline.value("ecn") else "noecn"


def _codel(discipline: Discipline, packets: int, _rate_bps: int) -> list[str]:
    return [
        f"limit {packets}",
        f"target {_us(discipline.value('target_ms'))}",
        f"interval {_us(discipline.value('interval_ms'))}",
        _ecn(discipline),
    ]


def _fq_codel(discipline: Discipline, packets: int, rate_bps: int) -> list[str]:
    return [
        *_codel(discipline, packets, rate_bps),
        f"quantum {discipline.value('quantum_bytes'):.0f}",
        f"flows {discipline.value('flows')}",
    ]


def _pie(discipline: Discipline, packets: int, _rate_bps: int) -> list[str]:
    return [
        f"limit {packets}",
        f"target {_us(discipline.value('target_ms'))}",
        f"tupdate {_us(discipline.value('update_ms'))}",
        f"alpha {discipline.value('alpha')}",
        f"beta {discipline.value('beta')}",
        _ecn(discipline),
    ]


def _cake(discipline: Discipline, _packets: int, rate_bps: int) -> Sequence[str]:
    memory = discipline.value("memory_bytes")
    return [
        f"bandwidth {rate_bps}bit",
        f"rtt {_us(discipline.value('rtt_ms'))}",
        discipline.value("isolation"),
        discipline.value("priorities"),
        "ack-filter" if discipline.value("ack_filter") else "no-ack-filter",
        *([] if memory is None else [f"memlimit {memory:.0f}b"]),
    ]


_OPTIONS_OF = {
    RED: _red,
    "codel": _codel,
    "fq_codel": _fq_codel,
    "pie": _pie,
    CAKE: _cake,
}
