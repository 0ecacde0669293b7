"""Keys of traffic entries that a design can vary."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Varied:
    """A key of an entry that a design can vary."""

    key: str
    unit: str
    suffix: str
    low: float
    high: float
    whole: bool
    doc: str


SIZE = Varied("size", "bytes", "size_bytes", 1, 1e12, True, "amount of data")
START = Varied("start", "s", "start_s", 0, 86_400, False, "when it starts")
DURATION = Varied("duration", "s", "duration_s", 1, 86_400, True, "how long it sends")
TIMEOUT = Varied("timeout", "s", "timeout_s", 0.001, 86_400, False, "longest time")
