"""Traffic by a user's own tool, with the text that the guest runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Key, Length
from jobs.plugins import MOST_KEYS, Code, Numbers, PluginName
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Number, NumberName, Port, Seconds

Value = Number | Annotated[str, Length(0, 1000)]


@dataclass(frozen=True, kw_only=True)
class Plugin(Entry):
    """plugin : name of the tool
    code : its text
    numbers : the numbers that it returns, and the unit of each
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
    duration_s: LastingSeconds
    bytes: None
    reverse: bool
    values: Annotated[Mapping[NumberName, Value], Length(0, MOST_KEYS)]
    transport: Annotated[Transport | None, WRITTEN] = None


RECORD = Plugin
