"""Steps of a search, and the log of them that a folder keeps."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from mpbench.errors import UserError
from mpbench.store.json_file import DamagedError, read_object

Outcome = Literal["good", "bad", "undecided", "skipped"]
LOG = "bisect.json"
FORMAT = 1


class Noted(NamedTuple):
    """A step as a log has it, in the order of the fields of `Step`."""

    outcome: Outcome
    reason: str
    same: bool = False
    kernel: str = ""
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """The first patches of a series, judged.

    number : of changes; patch : the name of the last one
    reason : why it was skipped; else the judgement in words
    same : whether its first runs left the bytes of the good kernel's
    kernel : in words; runs : ids of its runs and of those of the good kernel
    """

    number: int
    patch: str
    outcome: Outcome
    reason: str
    same: bool = False
    kernel: str = ""
    runs: tuple[str, ...] = ()


def read_log(path: Path) -> dict[str, Noted]:
    """The steps of a log, by their names. Raises UserError, one line."""
    try:
        steps = read_object(path).get("steps")
        if not isinstance(steps, list):
            raise DamagedError("it has no list of steps")
        found: dict[str, Noted] = {}
        for number, step in enumerate(steps, start=1):
            given = step if isinstance(step, dict) else {}
            name, outcome = given.get("patch"), given.get("outcome")
            if not isinstance(name, str) or outcome not in get_args(Outcome):
                known = ", ".join(get_args(Outcome))
                raise DamagedError(
                    f"step {number} needs a name, 'patch', and an outcome: {known}"
                )
            runs = given.get("runs")
            found[name] = Noted(
                cast(Outcome, outcome),
                str(given.get("reason", ""))[:1000],
                given.get("same") is True,
                str(given.get("kernel", ""))[:1000],
                tuple(map(str, runs)) if isinstance(runs, list) else (),
            )
    except DamagedError as error:
        raise UserError(f"{path}: no log of a search: {error}") from None
    return found
