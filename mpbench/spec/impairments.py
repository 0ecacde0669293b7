"""Burst loss, reordering, duplication and corruption in experiment files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults
from topologies.impairments import BurstLoss, Reordering

BURST_LOSS, REORDERING = "burst_loss", "reordering"
BURST_EXAMPLE, REORDERING_EXAMPLE = "{share: 1 %, length: 5}", "{share: 1 %, by: 5 ms}"

MOST_PACKETS = 1e6
"""Mean length of a burst of losses."""

MOST_MS = 10_000.0

BURST_KEYS = ("share", "length", "enter", "leave", "bad", "good")
REORDERING_KEYS = ("share", "correlation", "by")


def share(value: object) -> float:
    """A share of packets, above 0 and below 100 %."""
    number = _percent(value)
    if not 0 < number < 100:
        raise ValueError(f"{number:g} % is out of range; above 0 and below 100 % works")
    return number


def _percent(value: object) -> float:
    number = units.parse(value, "%")
    if not 0 <= number <= 100:
        raise ValueError(f"{number:g} % is out of range; 0 to 100 % works")
    return number


def _length(value: object) -> float:
    number = units.parse(value, "packets")
    if not 1 <= number <= MOST_PACKETS:
        raise ValueError(
            f"{number:g} packets is out of range; 1 to {MOST_PACKETS:g} works"
        )
    return number


def _time_ms(value: object) -> float:
    number = units.parse(value, "ms")
    if not 0 < number <= MOST_MS:
        raise ValueError(f"{number:g} ms is out of range; up to {MOST_MS:g} ms works")
    return number


def _read(value: object, readers: Mapping[str, Any], example: str) -> dict[str, float]:
    """The values of a mapping. Raises ValueError or ValidationError."""
    if not isinstance(value, Mapping):
        raise ValueError(f"'{shortened(value)}': write e.g. {example}")
    faults = Faults()
    found: dict[str, float] = {}
    for key, given in value.items():
        if key not in readers:
            hint = nearest(shortened(key), readers)
            faults.add((str(key),), f"unknown key; {hint}")
            continue
        try:
            found[str(key)] = readers[key](given)
        except ValueError as error:
            faults.add((str(key),), str(error))
    faults.raise_any()
    return found


@dataclass(frozen=True)
class Settings:
    """Keys of burst loss or reordering in canonical units, as far as a file gives them.

    trait : `burst_loss` or `reordering`
    values : pairs of a key and its number
    """

    trait: str
    values: tuple[tuple[str, float], ...]

    def with_key(self, key: str, number: float) -> "Settings":
        """The settings with another value of a key, or with one key more."""
        return Settings(self.trait, tuple((dict(self.values) | {key: number}).items()))

    @property
    def missing(self) -> str:
        """Reason why the keys alone cannot be; empty if they can."""
        keys = {key for key, _ in self.values}
        if self.trait == REORDERING:
            lone = f"without a share; write e.g. {REORDERING_EXAMPLE}"
            return "" if "share" in keys else lone
        if by_share := {"share", "length"} & keys:
            if by_share == keys and len(by_share) == 2:
                return ""
            return f"share and length stand together and alone: {BURST_EXAMPLE}"
        if {"enter", "leave"} <= keys:
            return ""
        return f"needs enter and leave, or share and length: {BURST_EXAMPLE}"

    @property
    def made(self) -> BurstLoss | Reordering | None:
        """The impairment; None where it is of no packet.

        Every packet of a bad state is lost unless `bad` says otherwise. Bursts then
        last 1 / r packets on average, and the share p / (p + r) of packets is lost.
        Raises ValueError, in one line, for keys that do not fit one another.
        """
        if reason := self.missing:
            raise ValueError(reason)
        found = dict(self.values)
        if found.get("share", 1.0) == 0:
            return None
        if self.trait == REORDERING:
            return Reordering(
                found["share"], found.get("correlation", 0.0), found.get("by")
            )
        return _by_share(found) if "share" in found else _by_states(found)


def _by_share(found: Mapping[str, float]) -> BurstLoss:
    leave = 100 / found["length"]
    enter = leave * found["share"] / (100 - found["share"])
    if enter > 100:
        most = 100 * found["length"] / (found["length"] + 1)
        reason = f"bursts of {found['length']:g} packets lose {most:.4g} % at most"
        raise ValueError(f"{reason}; give a greater length")
    return BurstLoss(round(enter, 9), round(leave, 9))


def _by_states(found: Mapping[str, float]) -> BurstLoss | None:
    if not found["leave"]:
        raise ValueError("leave is 0 %: a bad state would never end; give more")
    if found.get("good", 0.0) >= found.get("bad", 100.0):
        raise ValueError("good loses no less than bad; give it a smaller probability")
    made = BurstLoss(**{f"{key}_percent": number for key, number in found.items()})
    return made if made.share_percent else None


def burst_loss(value: object, partly: bool = False) -> Settings:
    """Loss in bursts: by its share and mean length, or by the model's probabilities.

    partly : whether keys may be left out, because a design varies them
    """
    readers = {
        "share": share,
        "length": _length,
        "enter": share,
        "leave": _percent,
        "bad": _percent,
        "good": _percent,
    }
    found = Settings(BURST_LOSS, tuple(_read(value, readers, BURST_EXAMPLE).items()))
    if not partly:
        _ = found.made
    return found


def reordering(value: object, partly: bool = False) -> Settings:
    """Packets that overtake others: their share alone, or a mapping.

    partly : as for `burst_loss`
    """
    if not isinstance(value, Mapping):
        return Settings(REORDERING, (("share", share(value)),))
    readers = {"share": share, "correlation": _percent, "by": _time_ms}
    read = _read(value, readers, REORDERING_EXAMPLE)
    found = Settings(REORDERING, tuple(read.items()))
    if not partly:
        _ = found.made
    return found


def _schema(keys: tuple[str, ...]) -> JsonDict:
    return {
        "type": "object",
        "properties": {key: ANY_QUANTITY for key in keys},
        "additionalProperties": False,
    }


BURST_LOSS_SCHEMA: JsonDict = {"anyOf": [_schema(BURST_KEYS)]}
REORDERING_SCHEMA: JsonDict = {
    "anyOf": [{"type": "string"}, {"type": "number"}, _schema(REORDERING_KEYS)]
}
