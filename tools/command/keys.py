"""Traffic by any program: its server, its client, and the numbers that they print."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from analysis.campaign.directions import WORDS, Direction
from analysis.run import patterns
from analysis.run.number_columns import column
from jobs.vocabulary import NUMBER_UNITS
from mpbench.spec.file_limits import FileLimit, limited
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import Faults, OneOf, Part, Quantity, Switch
from mpbench.spec.varied import START, Varied
from tools.command.processes import PLACES

READY = ("port", "udp_port", "nothing")
TAKEN = ("last", "first", "mean", "sum", "least", "greatest")
ENDS = ("client", "server")
MOST_WORDS = 100
MOST_CHARACTERS = 4096
MOST_NUMBERS = 50

_PROGRAM = re.compile(r"[A-Za-z0-9_.+-]+")
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def _pattern(value: str) -> str:
    patterns.compiled(value)
    return value


def words(value: Sequence[str]) -> Sequence[str]:
    """Words of a command; raises ValueError for what no command can be."""
    if not 0 < len(value) <= MOST_WORDS:
        raise ValueError(
            f"{len(value)} words; a command has 1 to {MOST_WORDS}:"
            " write [ping, -c, '10', '{address}']"
        )
    for word in value:
        if len(word) > MOST_CHARACTERS or "\0" in word:
            raise ValueError(
                f"'{shortened(word)}': a word has up to {MOST_CHARACTERS} characters"
            )
        for match in _PLACE.finditer(word):
            place = match[1]
            if place is not None and place not in PLACES:
                hint = nearest(place, PLACES)
                raise ValueError(
                    f"'{{{shortened(place)}}}' stands for nothing; {hint};"
                    " write '{{' for a brace"
                )
    if not _PROGRAM.fullmatch(value[0]):
        raise ValueError(
            f"'{shortened(value[0])}' is not the name of a program; programs are"
            " found by name and not by path, and no shell is there"
        )
    return value


Words = Annotated[tuple[str, ...], AfterValidator(words)]


class Numbers(Part):
    """Numbers that are read from a program's output, line by line."""

    pattern: Annotated[str, AfterValidator(_pattern)] = Field(
        description="Regular expression (RE2) with a named group for each number."
    )
    units: dict[str, Annotated[str, OneOf("unit", NUMBER_UNITS)]] = Field(
        description="The unit of each group: ms, s, Mbit/s, ...; '1' for none."
    )
    good: dict[str, Annotated[Direction, OneOf("direction", WORDS)]] = Field(
        default={}, description="Groups of which more or less is good: `more`, `less`."
    )
    take: Annotated[str, OneOf("way to take numbers", TAKEN)] = Field(
        default="last", description="Which number counts if several lines match."
    )
    of: Annotated[str, OneOf("end", ENDS)] = Field(
        default="client", description="Whose output it is."
    )

    @model_validator(mode="after")
    def _each_group_has_a_unit(self) -> "Numbers":
        faults = Faults()
        named = patterns.names(self.pattern)
        for name in named:
            if name not in self.units:
                reason = f"the group '{name}' has no unit; write '{name}: ms'"
                faults.add(("units",), reason)
        for name in self.units:
            if name not in named:
                reason = f"the pattern has no group '{shortened(name)}'"
                faults.add(("units", name), f"{reason}; {nearest(name, named)}")
        for name in self.good:
            if name not in named:
                reason = f"the pattern has no group '{shortened(name)}'"
                faults.add(("good", name), f"{reason}; {nearest(name, named)}")
        faults.raise_any()
        return self

    def job(self) -> Json:
        return {
            "pattern": self.pattern,
            "units": dict(sorted(self.units.items())),
            "take": self.take,
            "of": self.of,
        }


class Command(Entry):
    """A program of the user's choice on each end."""

    first_port: ClassVar[int] = 9001

    tool: Annotated[str, OneOf("tool", ("command",))] = Field(
        description="The program that sends."
    )
    client: Words = Field(description="The command on `from`, as a list of words.")
    server: Words | None = Field(
        default=None, description="The command on `to`; none if not said."
    )
    ready: Annotated[str, OneOf("way to be ready", READY)] = Field(
        default="port", description="When the server is ready."
    )
    ready_line: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="Text of a line that the server prints when ready."
    )
    duration: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        description="How long the client takes, about."
    )
    reverse: Switch = Field(
        default=False, description="Whether data flows from `to` to `from`."
    )
    file_limit: FileLimit | None = Field(
        default=None, description="The largest file that its programs can write."
    )
    numbers: Annotated[tuple[Numbers, ...], Field(max_length=MOST_NUMBERS)] = Field(
        default=(), description="What is read from the output."
    )

    def _check(self, faults: Faults) -> None:
        if self.server is None and "ready" in self.model_fields_set:
            faults.add(("ready",), "there is no server; take it away")
        if self.ready_line is not None and self.server is None:
            faults.add(("ready_line",), "there is no server; take it away")
        elif self.ready_line is not None and "ready" in self.model_fields_set:
            faults.add(("ready_line",), "beside ready; take one of them away")
        seen: dict[str, int] = {}
        for index, read in enumerate(self.numbers):
            if read.of == "server" and self.server is None:
                reason = "there is no server; read the client's output"
                faults.add(("numbers", index, "of"), reason)
            for name in read.units:
                first = seen.setdefault(name, index)
                if first != index:
                    reason = f"'{name}' is in numbers[{first}] already"
                    faults.add(("numbers", index), f"{reason}; give another name")

    @property
    def end_s(self) -> float:
        return self.start.latest + self.duration

    @property
    def commands(self) -> dict[str, str]:
        known = {"client": self.client, "server": self.server}
        return {end: words[0] for end, words in known.items() if words is not None}

    @property
    def named_programs(self) -> tuple[str, ...]:
        return (*self.client, *(self.server or ()))

    @property
    def own_code(self) -> bool:
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the numbers get, without the entry's name."""
        return tuple(
            column(name, unit)
            for read in self.numbers
            for name, unit in read.units.items()
        )

    @property
    def good(self) -> Mapping[str, Direction]:
        """For the column of each number, whether more or less of it is better."""
        return {
            column(name, read.units[name]): direction
            for read in self.numbers
            for name, direction in read.good.items()
        }

    def job(self, port: int) -> Json:
        ready = None if self.server is None else self.ready
        return {
            **super().job(port),
            "duration_s": self.duration,
            "bytes": None,
            "reverse": self.reverse,
            **limited(self.file_limit),
            "client": list(self.client),
            "server": None if self.server is None else list(self.server),
            "ready": "line" if self.ready_line is not None else ready,
            "ready_line": self.ready_line,
            "numbers": [read.job() for read in self.numbers],
        }


MODEL = Command
SUMMARY = "any program, and the numbers that it prints"
VARIED = (
    Varied("duration", "s", "duration_s", 0.001, 86_400, False, "its duration"),
    START,
)
