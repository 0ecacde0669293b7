"""Traffic by any program: its server, its client, and the numbers that they print."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.file_limit import MOST_BYTES, FileLimit
from jobs.marks import WRITTEN, Checked, Key, Length
from jobs.plugins import Unit
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds

PLACES = ("address", "port", "source", "duration")
"""Words in braces that the guest replaces by what they name."""
TAKEN = ("last", "first", "mean", "sum", "least", "greatest")
ENDS = ("client", "server")
MOST_WORDS = 100
MOST_CHARACTERS = 4096
MOST_NUMBERS = 50
MOST_PATTERN_CHARACTERS = 500

_PROGRAM = re.compile(r"[A-Za-z0-9_.+-]+")
PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def words(value: Sequence[str]) -> None:
    """Raises ValueError for words that no command can be."""
    if not 0 < len(value) <= MOST_WORDS:
        raise ValueError(
            f"{len(value)} words; a command has 1 to {MOST_WORDS}:"
            " write [ping, -c, '10', '{address}']"
        )
    for word in value:
        if len(word) > MOST_CHARACTERS or "\0" in word:
            raise ValueError(
                f"'{_short(word)}': a word has up to {MOST_CHARACTERS} characters"
            )
        for match in PLACE.finditer(word):
            if match[1] is not None and match[1] not in PLACES:
                raise ValueError(
                    f"'{{{_short(match[1])}}}' stands for nothing;"
                    " write '{{' for a brace"
                )
    if not _PROGRAM.fullmatch(value[0]):
        raise ValueError(
            f"'{_short(value[0])}' is not the name of a program; programs are"
            " found by name and not by path, and no shell is there"
        )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."


Words = Annotated[tuple[str, ...], Checked(words)]


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Numbers that are read from the output of a program, line by line.

    pattern : a regular expression of RE2, with a named group per number
    units : unit of each group
    take : which number counts if several lines match
    of : the end whose output it is
    """

    pattern: Annotated[str, Length(0, MOST_PATTERN_CHARACTERS)]
    units: Mapping[str, Unit]
    take: Literal["last", "first", "mean", "sum", "least", "greatest"]
    of: Literal["client", "server"]


@dataclass(frozen=True, kw_only=True)
class Command(Entry):
    """duration_s : how long the client takes, about
    client, server : the commands, word by word; None for no server
    ready : how the guest finds out that the server is ready; None for no server
    ready_line : text of a line that the server prints when it is ready
    file_limit_bytes : the largest file that its programs can write; None for the usual
    """

    tool: Literal["command"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: LastingSeconds
    bytes: None
    reverse: bool
    client: Words
    server: Words | None
    ready: Literal["port", "udp_port", "line", "nothing"] | None
    ready_line: Annotated[str, Length(1, 200)] | None
    numbers: Annotated[tuple[Numbers, ...], Length(0, MOST_NUMBERS)]
    transport: Annotated[Transport | None, WRITTEN] = None
    file_limit_bytes: FileLimit | None = None

    @property
    def most_file_bytes(self) -> int:
        return self.file_limit_bytes or MOST_BYTES

    @property
    def own_program(self) -> bool:
        return True

    @property
    def best_start_s(self) -> float:
        # `ping` takes its clock's second 0 for "nothing sent yet", and sends without
        # an interval until the machine has been up for a second.
        return 1.0 if "ping" in {self.client[0], (self.server or ("",))[0]} else 0.0

    @property
    def patterns(self) -> tuple[tuple[str, Collection[str]], ...]:
        return tuple((each.pattern, each.units.keys()) for each in self.numbers)


RECORD = Command
