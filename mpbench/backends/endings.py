"""Decide how a guest ended from the files that it left."""

import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench.backends.base import Bounds, Status
from mpbench.backends.console import last_words

LONGEST_OUTCOME_BYTES = 16 << 20
LONGEST_REASON = 2_000
"""Characters."""
LONGEST_S = 1e9
LONGEST_LAST_WORDS = 10_000
NO_HOST_MEMORY = "Kernel mode signal 7"
"""A guest's panic where the host has no memory left for the file that is the guest's
own (SIGBUS)."""
REFUSED_BY_HOST = re.compile("Too many open files|Input/output error")
"""Messages of a guest's programs where the host refuses a file that the guest reads."""


@dataclass(frozen=True)
class Ending:
    """The end of a guest.

    virtual_s : None if the guest did not report it
    host_accident : whether the host ended the guest, and not the job
    """

    status: Status
    reason: str
    virtual_s: float | None
    host_accident: bool = False


def judge(artefacts: Path, returncode: int, bounds: Bounds, memory_mib: int) -> Ending:
    """The end of a guest.

    artefacts : the folder with ``console.log`` and, if all went well, ``outcome.json``
    returncode : that of the host process, negative for a signal
    memory_mib : the guest's memory, used in the reason only
    """
    console = (artefacts / "console.log").read_text(errors="replace")
    words = last_words(console)
    outcome = _outcome(artefacts / "outcome.json")
    virtual_s = _seconds(outcome.get("virtual_s"))
    if words.panic:
        reason = f"guest kernel panicked: {words.panic}"
        refused = words.panic == NO_HOST_MEMORY
        return Ending("panicked", reason, virtual_s, host_accident=refused)
    if words.out_of_memory:
        reason = (
            f"guest ran out of memory: its kernel killed {words.out_of_memory} "
            f"with {memory_mib} MiB in all"
        )
        return Ending("failed", reason, virtual_s)
    if words.limit:
        reason = f"not done after {bounds.virtual_s:g} virtual seconds"
        return Ending("timeout", reason, virtual_s)
    if words.exit_code == 0:
        return Ending("finished", "", virtual_s)
    if words.exit_code is not None:
        said = outcome.get("error")
        if not isinstance(said, str) or not said:
            said = f"guest code ended with {words.exit_code}"
        reason = " ".join(said.split())[:LONGEST_REASON]
        refused = REFUSED_BY_HOST.search(console[-LONGEST_LAST_WORDS:]) is not None
        return Ending("failed", reason, virtual_s, host_accident=refused)
    if words.boot:
        refused = words.boot.startswith("cannot be confined")
        return Ending("failed", f"guest {words.boot}", virtual_s, host_accident=refused)
    if returncode < 0:
        name = signal.Signals(-returncode).name
        reason = f"guest was killed by signal {-returncode} ({name})"
        return Ending("killed", reason, virtual_s, host_accident=True)
    reason = f"guest ended with status {returncode} and no last word"
    return Ending("failed", reason, virtual_s, host_accident=True)


def _outcome(path: Path) -> dict[str, Any]:
    """The outcome that the guest code wrote last; empty if the guest code did not write
    it."""
    try:
        if path.stat().st_size > LONGEST_OUTCOME_BYTES:
            return {}
        outcome = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return outcome if isinstance(outcome, dict) else {}


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < LONGEST_S else None
