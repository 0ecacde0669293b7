"""Makes a run's row from how its execution ended and what was measured."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mpbench.backends.base import Exit
from mpbench.engine.types import Measure, Verdict
from mpbench.errors import DIRECTIONS
from mpbench.store import layout
from mpbench.store.campaign import Entry
from mpbench.store.json_file import DamagedError
from mpbench.store.records import check_row

TAIL_LINES = 20
_TAIL_BYTES = 16 * 1024
_UNPRINTABLE = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"
    rf"|[\x00-\x08\x0b-\x1f\x7f-\x9f{DIRECTIONS}]|[\ud800-\udfff]"
)
MOST_CHARACTERS = 5000
"""Of a reason, and of a line of a console's end."""

_VERDICTS: Mapping[str, Verdict] = {
    "panicked": "failed",
    "killed": "interrupted",
    "failed": "failed",
    "timeout": "timeout",
}


def make_row(
    entry: Entry, run: layout.Run, ended: Exit, measure: Measure
) -> dict[str, Any]:
    """The row of an execution whose artefacts lie in `run`.

    Only a finished execution is measured, and `measure` then gives verdict and
    reason. A row that is not ok carries the last lines of the console. What
    cannot be measured has failed; its artefacts stay, for ``mpbench analyse``.
    """
    if ended.status == "finished":
        values = measured(run, measure)
    else:
        values = {"verdict": verdict_of(ended), "reason": ended.reason or ended.status}
    row = {**entry.columns(), "verdict": None, "reason": "", **values}
    row["reason"] = one_line(row["reason"])
    try:
        check_row(row, entry.id)
    except DamagedError as error:
        reason = f"cannot be measured: {error}"
        row = {**entry.columns(), "verdict": "failed", "reason": reason}
    if row["verdict"] != "ok":
        row["console_tail"] = console_tail(run.console)
    return row


def verdict_of(ended: Exit) -> Verdict:
    """The verdict of an execution that did not finish.

    It is `interrupted` where the cause lies with the host: nothing is known of the
    experiment then, and the same job may well succeed at the next attempt.
    """
    return "interrupted" if ended.host_accident else _VERDICTS[ended.status]


def measured(run: layout.Run, measure: Measure) -> dict[str, Any]:
    """Result of `measure` for a run; a failed verdict if it raises."""
    try:
        values = dict(measure(run.root))
    except Exception as error:
        why = one_line(f"{type(error).__name__}: {error}")
        return {"verdict": "failed", "reason": f"cannot be measured: {why}"}
    values.setdefault("verdict", "ok")
    return {key: plain(value) for key, value in values.items()}


def plain(value: Any) -> Any:
    """A measured value as JSON has it: no numpy scalar, and None in place of NaN."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def console_tail(path: Path) -> list[str]:
    """The last lines of a console, without control characters; empty if none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    lines = text.replace("\r\n", "\n").split("\n")
    clean = (_UNPRINTABLE.sub("", line).rstrip() for line in lines)
    return [line[:MOST_CHARACTERS] for line in clean if line][-TAIL_LINES:]


def one_line(text: str) -> str:
    """`text` without control characters, its white space as single blanks."""
    return " ".join(_UNPRINTABLE.sub(" ", text).split())[:MOST_CHARACTERS]
