"""One sentence about a run, with its evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A sentence in plain words.

    evidence : the counters, events and changes that it follows from
    about : what it is about, such as a path; "" for what nothing else is about
    known : False if it says that a reason is not known, which gives way to any other
        sentence about the same
    """

    sentence: str
    evidence: str
    about: str = ""
    known: bool = True

    @property
    def line(self) -> str:
        return f"{self.sentence} [{self.evidence}]"


def many(number: int, noun: str) -> str:
    """`1 subflow`, `2 subflows`, `2 stretches`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def at(times_s: Sequence[float]) -> str:
    """One time, or the first and the last of several, in running text."""
    first, last = f"{min(times_s):.1f}", f"{max(times_s):.1f}"
    return f"at {first} s" if first == last else f"from {first} to {last} s"


def listed(words: Iterable[str]) -> str:
    """Words without repetitions: `a`, `a and b`, `a, b and c`; "" for none."""
    *rest, last = dict.fromkeys(words) or ("",)
    return f"{', '.join(rest)} and {last}" if rest else last
