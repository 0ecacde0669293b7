"""Traffic by a user's own tool, with the text that the guest runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.file_limit import MOST_BYTES, FileLimit
from jobs.marks import WRITTEN, Key, Length
from jobs.plugins import MOST_KEYS, Code, Numbers, PluginName
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Number, NumberName, Port, Seconds, Size

PERCENTILES = {"median": 50.0, "p95": 95.0, "p99": 99.0, "greatest": 100.0}
"""The columns of a list of samples, and the percentile of each."""

INTERVAL = "interval_s"
"""The value that stands for the length of intervals."""
Value = Number | Annotated[str, Length(0, 1000)]


@dataclass(frozen=True, kw_only=True)
class Plugin(Entry):
    """plugin : name of the tool
    code : its text
    numbers : the numbers that it returns, and the unit of each
    received : whether it says what arrived, and when
    samples, series : the lists of values, and of values with times, that it returns,
        and the unit of each
    file_limit_bytes : the largest file that its programs can write; None for the usual
    values : the keys of the entry that are the tool's own, in the tool's units
    """

    tool: Literal["plugin"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    plugin: PluginName
    code: Code
    numbers: Numbers
    duration_s: LastingSeconds | None
    bytes: Size | None
    reverse: bool
    values: Annotated[Mapping[NumberName, Value], Length(0, MOST_KEYS)]
    transport: Annotated[Transport | None, WRITTEN] = None
    received: bool = False
    samples: Numbers = field(default_factory=dict)
    series: Numbers = field(default_factory=dict)
    file_limit_bytes: FileLimit | None = None

    def check(self) -> None:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("needs either duration_s or bytes")

    @property
    def most_file_bytes(self) -> int:
        return self.file_limit_bytes or MOST_BYTES

    @property
    def lists(self) -> bool:
        """Whether it returns anything but numbers."""
        return self.received or bool(self.samples) or bool(self.series)

    @property
    def own_protocol(self) -> bool:
        return True

    @property
    def interval_s(self) -> float | None:
        """Length of the intervals in which interruptions count; None for none."""
        value = self.values.get(INTERVAL) if self.received else None
        return float(value) if isinstance(value, int | float) and value > 0 else None


RECORD = Plugin
