"""Burst loss, reordering, duplication and corruption in experiment files."""

from collections.abc import Mapping
from typing import Any

from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults
from topologies.impairments import BurstLoss, Reordering

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


def burst_loss(value: object) -> BurstLoss:
    """Loss in bursts: by its share and mean length, or by the model's probabilities.

    Every packet of a bad state is lost unless `bad` says otherwise. Bursts then last
    1 / r packets on average, and the share p / (p + r) of packets is lost.
    """
    example = "{share: 1 %, length: 5}"
    readers = {
        "share": share,
        "length": _length,
        "enter": share,
        "leave": _percent,
        "bad": _percent,
        "good": _percent,
    }
    found = _read(value, readers, example)
    by_share = {"share", "length"} & found.keys()
    if by_share:
        if by_share != found.keys() or len(by_share) != 2:
            raise ValueError(f"share and length stand together and alone: {example}")
        leave = 100 / found["length"]
        enter = leave * found["share"] / (100 - found["share"])
        if enter > 100:
            most = 100 * found["length"] / (found["length"] + 1)
            reason = f"bursts of {found['length']:g} packets lose {most:.4g} % at most"
            raise ValueError(f"{reason}; give a greater length")
        return BurstLoss(round(enter, 9), round(leave, 9))
    if not {"enter", "leave"} <= found.keys():
        raise ValueError(f"needs enter and leave, or share and length: {example}")
    if not found["leave"]:
        raise ValueError("leave is 0 %: a bad state would never end; give more")
    if found.get("good", 0.0) >= found.get("bad", 100.0):
        raise ValueError("good loses no less than bad; give it a smaller probability")
    return BurstLoss(**{f"{key}_percent": number for key, number in found.items()})


def reordering(value: object) -> Reordering:
    """Packets that overtake others: their share alone, or a mapping."""
    if not isinstance(value, Mapping):
        return Reordering(share(value))
    readers = {"share": share, "correlation": _percent, "by": _time_ms}
    found = _read(value, readers, "{share: 1 %, by: 5 ms}")
    if "share" not in found:
        raise ValueError("without a share; write e.g. {share: 1 %, by: 5 ms}")
    return Reordering(
        found["share"], found.get("correlation", 0.0), found.get("by", None)
    )


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
