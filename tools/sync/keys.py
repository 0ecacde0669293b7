"""The keys of a sync of files."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from analysis.campaign.directions import LESS, MORE, NONE, Direction
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import (
    Count,
    Faults,
    OneOf,
    Part,
    Quantity,
    Switch,
    several,
    several_schema,
)
from mpbench.spec.varied import START, TIMEOUT, Varied
from tools.sync.columns import (
    CONNECTIONS,
    DONE_BYTES,
    DONE_FILES,
    FILE,
    FILES,
    TIMES,
)
from tools.sync.record import (
    MOST_AHEAD,
    MOST_CONNECTIONS,
    MOST_FILES,
    MOST_GROUPS,
    ORDERS,
)

MOST_BYTES = 1e10


class SyncFiles(Part):
    """Files of one size."""

    count: Annotated[Count, Field(le=MOST_FILES)] = Field(
        default=1, description="How many there are."
    )
    size: Annotated[float, Quantity("bytes", 1, MOST_BYTES, usual="B")] = Field(
        description="Size of each."
    )


class Copy(Entry):
    """Files, several of which can be under way at a time."""

    first_port: ClassVar[int] = 9101

    tool: Annotated[str, OneOf("tool", ("sync",))] = Field(
        description="The program that copies."
    )
    files: Annotated[
        tuple[SyncFiles, ...],
        several(dict),
        Field(min_length=1, max_length=MOST_GROUPS),
    ] = Field(
        description="The files: a list of {count, size}, or one of these.",
        json_schema_extra=several_schema,
    )
    reverse: Switch = Field(
        default=False, description="Whether `from` gets the files in place of sending."
    )
    order: Annotated[str, OneOf("order", ORDERS)] = Field(
        default="given",
        description="given: as listed; smallest or largest first; mixed: each group"
        " spread over the whole.",
    )
    connections: Annotated[Count, Field(le=MOST_CONNECTIONS)] = Field(
        default=1, description="Connections over which they go."
    )
    ahead: Annotated[Count, Field(le=MOST_AHEAD)] = Field(
        default=1,
        description="The most files that a connection has under way. With 1, it waits"
        " for a file to be done before the next.",
    )
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        default=300.0, description="When the client gives up, after its start."
    )

    def _check(self, faults: Faults) -> None:
        count = sum(each.count for each in self.files)
        if count > MOST_FILES:
            faults.add(("files",), f"{count} files; at most {MOST_FILES} work")
        if self._bytes > MOST_BYTES:
            faults.add(("files",), f"more than {MOST_BYTES:g} bytes in all")

    @property
    def _bytes(self) -> int:
        return sum(each.count * round(each.size) for each in self.files)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*TIMES, FILES, CONNECTIONS)

    @property
    def good(self) -> Mapping[str, Direction]:
        more: Direction = MORE
        neither: Direction = NONE
        return {**dict.fromkeys(TIMES, LESS), FILES: more, CONNECTIONS: neither}

    @property
    def samples(self) -> tuple[str, ...]:
        return (FILE,)

    @property
    def series(self) -> tuple[str, ...]:
        return (DONE_BYTES, DONE_FILES)

    def job(self, port: int) -> Json:
        return {
            **super().job(port),
            "duration_s": None,
            "bytes": self._bytes,
            "reverse": self.reverse,
            "files": [
                {"count": each.count, "bytes": round(each.size)} for each in self.files
            ],
            "order": self.order,
            "connections": self.connections,
            "ahead": self.ahead,
            "timeout_s": self.timeout,
        }


MODEL = Copy
SUMMARY = "many files of stated sizes over several connections"
STEADY = True
VARIED = (
    START,
    TIMEOUT,
    Varied(
        "connections",
        "connections",
        "connections",
        1,
        MOST_CONNECTIONS,
        True,
        "over which files go",
    ),
    Varied(
        "ahead", "requests", "ahead", 1, MOST_AHEAD, True, "under way per connection"
    ),
)
