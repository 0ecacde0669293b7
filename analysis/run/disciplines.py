"""Queue disciplines and impairments of links: what was asked for, and what tc shows.

Both are brought into one form, a mapping from words such as `red min_bytes` to values
in the units of jobs, so that the two can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from analysis.run.readers.qdiscs import FABRIC, Qdisc
from jobs import Discipline, Impairments, traits

Facts = Mapping[str, Any]

DROP_TAIL = "drop_tail"
CAKE = "cake"
SHOWN: Mapping[str, Mapping[str, tuple[str, float]]] = {
    "red": {
        "min_bytes": ("min", 1),
        "max_bytes": ("max", 1),
        "probability_percent": ("probability", 100),
        "gentle": ("harddrop", 1),
        "ecn": ("ecn", 1),
    },
    "codel": {
        "target_ms": ("target", 1e-3),
        "interval_ms": ("interval", 1e-3),
        "ecn": ("ecn", 1),
    },
    "fq_codel": {
        "target_ms": ("target", 1e-3),
        "interval_ms": ("interval", 1e-3),
        "quantum_bytes": ("quantum", 1),
        "flows": ("flows", 1),
        "ecn": ("ecn", 1),
    },
    "pie": {
        "target_ms": ("target", 1e-3),
        "update_ms": ("tupdate", 1e-3),
        "alpha": ("alpha", 1),
        "beta": ("beta", 1),
        "ecn": ("ecn", 1),
    },
    CAKE: {
        "rtt_ms": ("rtt", 1e-3),
        "isolation": ("flowmode", 1),
        "priorities": ("diffserv", 1),
    },
}
"""Of each discipline: key of a job to the key that tc prints, and the size of tc's unit
in that of the job."""

FULL_DROPS = {
    "red": "pdrop",
    "codel": "drop_overlimit",
    "fq_codel": "drop_overlimit",
    "pie": "overlimit",
}
MARKS = {"red": "marked", "codel": "ecn_mark", "fq_codel": "ecn_mark"} | {
    "pie": "ecn_mark"
}
GEMODEL = {"enter": "p", "leave": "r", "bad": "1-h", "good": "1-k"}

MS_STEP = 2e-3
RELATIVE_STEP = 1e-3
"""tc shows times in whole microseconds, of which the kernel cuts the last bits."""


@dataclass(frozen=True)
class Traits:
    """Queue discipline and impairments that tc shows for a direction of a link.

    facts : settings, in the form of this module
    discipline : its name
    full_drops : packets dropped because the queue was full; None if tc does not say
    marks : packets that got a mark of ECN; None if there were to be none
    """

    facts: Facts = field(default_factory=dict)
    discipline: str = DROP_TAIL
    full_drops: int | None = None
    marks: int | None = None

    @property
    def loses(self) -> bool:
        """Whether the link loses packets by its model of bursts."""
        return any(name.startswith("burst_loss") for name in self.facts)

    @property
    def corrupts(self) -> bool:
        return "corruption_percent" in self.facts


def observed(at_interface: Sequence[Qdisc]) -> Traits:
    """The traits of a direction. at_interface : the disciplines of its interface"""
    facts: dict[str, Any] = {}
    lines = [q for q in at_interface if q.kind == "netem"]
    for line in lines:
        facts |= _impairments(line, several=len(lines) > 1)
    for link in at_interface:
        if link.kind == FABRIC and "red" in (link.document.get("options") or {}):
            return _of_fabric(link)
    managed = [q for q in at_interface if q.kind in SHOWN]
    if not managed:
        return Traits(facts)
    queue = managed[-1]
    options = queue.document.get("options") or {}
    facts["discipline"] = queue.kind
    for key, (shown, unit) in SHOWN[queue.kind].items():
        value = options.get(shown, False if key in ("ecn", "gentle") else None)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None:
            facts[f"{queue.kind} {key}"] = value * unit if number else value
    if "ewma" in options:
        facts["red averaging"] = 2 ** int(options["ewma"])
    if queue.kind == CAKE:
        facts["cake ack_filter"] = options.get("ack-filter") != "disabled"
    return Traits(facts, queue.kind, _count(queue, FULL_DROPS), _marks(queue, facts))


def _of_fabric(link: Qdisc) -> Traits:
    """The traits of a link of the fabric with RED, most of whose options are fixed."""
    red = link.document["options"]["red"]
    facts = {"discipline": "red", "red min_bytes": red["min"]}
    facts |= {"red max_bytes": red["max"], "red probability_percent": 10.0}
    facts |= {"red averaging": 16, "red gentle": True, "red ecn": False}
    return Traits(facts, "red", int(link.document.get("full", 0)), None)


def _count(queue: Qdisc, names: Mapping[str, str]) -> int | None:
    name = names.get(queue.kind)
    return None if name is None else int(queue.document.get(name, 0))


def _marks(queue: Qdisc, facts: Facts) -> int | None:
    if queue.kind == CAKE:
        return sum(int(tin.get("ecn_mark", 0)) for tin in queue.document["tins"])
    return _count(queue, MARKS) if facts.get(f"{queue.kind} ecn") else None


def _impairments(line: Qdisc, *, several: bool) -> dict[str, Any]:
    """Impairments of a delay line. several : whether another one follows"""
    options = line.document.get("options") or {}
    facts: dict[str, Any] = {}
    if model := options.get("loss-gemodel"):
        for name, key in GEMODEL.items():
            facts[f"burst_loss {name}_percent"] = 100 * float(model[key])
    if order := options.get("reorder"):
        facts["reordering share_percent"] = 100 * float(order["reorder"])
        facts["reordering correlation_percent"] = 100 * float(order["correlation"])
        facts["reordering by_ms"] = line.delay_ms if several else None
    for name, found in traits(Impairments).items():
        if found.netem in options:
            facts[name] = 100 * float(options[found.netem][found.netem])
    return facts


def asked(
    discipline: Discipline | None, impairments: Impairments | None, delay_ms: float
) -> Facts:
    """Traits that a job asks for. delay_ms : of the direction"""
    facts: dict[str, Any] = {}
    for key, value in (asdict(impairments) if impairments else {}).items():
        if isinstance(value, Mapping):
            facts |= {f"{key} {inner}": number for inner, number in value.items()}
        elif value:
            facts[key] = value
    if facts.get("reordering by_ms") == delay_ms:
        facts["reordering by_ms"] = None
    if discipline is not None:
        name = discipline.name
        facts["discipline"] = name
        facts |= {f"{name} {key}": value for key, value in discipline.values}
        # tc shows what the kernel chose.
        facts.pop("cake memory_bytes", None)
    return facts


def differences(wanted: Facts, shown: Facts) -> Iterator[str]:
    """Differences between tc's output and what was asked for."""
    for name, value in wanted.items():
        if name not in shown:
            yield f"{name} cannot be read back"
        elif not _alike(name, value, shown[name]):
            yield f"{name} is {_words(shown[name])}, asked for {_words(value)}"
    for name in shown.keys() - wanted.keys():
        yield f"{name} is {_words(shown[name])}, asked for none"


def _alike(name: str, wanted: Any, shown: Any) -> bool:
    numbers = all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in (wanted, shown)
    )
    if not numbers:
        return bool(wanted == shown)
    step = MS_STEP if name.endswith("_ms") else 1e-4
    return bool(abs(wanted - shown) <= max(step, RELATIVE_STEP * abs(wanted)))


def _words(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
