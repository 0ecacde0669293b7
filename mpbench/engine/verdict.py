"""From how an execution ended, and what was measured, to a run's row."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mpbench.backends.base import Exit
from mpbench.engine.types import Measure, Verdict
from mpbench.store import layout
from mpbench.store.campaign import Entry

TAIL_LINES = 20
_TAIL_BYTES = 16 * 1024
_UNPRINTABLE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")

_VERDICTS: Mapping[str, Verdict] = {
    "panicked": "failed",
    "killed": "failed",
    "failed": "failed",
    "timeout": "timeout",
}


def make_row(
    entry: Entry, run: layout.Run, ended: Exit, measure: Measure
) -> dict[str, Any]:
    """The row of an execution whose artefacts lie in `run`.

    Only a finished execution is measured, and `measure` then gives verdict and
    reason. A row that is not ok carries the last lines of the console. What
    cannot be measured is failed: its artefacts stay, for ``mpbench analyse``.
    """
    if ended.status == "finished":
        found = measured(run, measure)
    else:
        reason = one_line(ended.reason) or ended.status
        found = {"verdict": _VERDICTS[ended.status], "reason": reason}
    row = {**entry.columns(), "verdict": None, "reason": "", **found}
    if row["verdict"] != "ok":
        row["console_tail"] = console_tail(run.console)
    return row


def measured(run: layout.Run, measure: Measure) -> dict[str, Any]:
    """What `measure` finds; a failed verdict if it raises."""
    try:
        found = dict(measure(run.root))
    except Exception as error:
        why = one_line(f"{type(error).__name__}: {error}")
        return {"verdict": "failed", "reason": f"cannot be measured: {why}"}
    found.setdefault("verdict", "ok")
    return {key: plain(value) for key, value in found.items()}


def plain(value: Any) -> Any:
    """A measured value as JSON knows it: no array, no NaN (None stands for it)."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
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
    return [line for line in clean if line][-TAIL_LINES:]


def one_line(text: str) -> str:
    """`text` with all white space, line breaks included, as single blanks."""
    return " ".join(text.split())
