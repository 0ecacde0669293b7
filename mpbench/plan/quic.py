"""Traffic of cases whose protocol a program of the user's own speaks.

Bulk data of such a case are sent by the case's program, with the text of
`tools/plugin/endpoint.py`, as a tool of the user's own would do it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jobs.plugins import PROGRAMS
from mpbench.errors import UserError
from mpbench.spec import Spec
from mpbench.spec.cases import Case
from mpbench.spec.endpoint import COUNTS, COURSES, TOOL
from mpbench.spec.traffic import Entry
from tools import plugin

BULK = "iperf3"


def document(
    spec: Spec, entry: Entry, case: Case, index: int, whole: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The entry of a job, from that of the experiment file; the same if the case's
    program has no part in it.

    whole : the entry as the kernel's protocols would have it

    Raises UserError for an entry that can have no such transport.
    """
    if not case.is_quic or entry.own_code or entry.without_connection:
        return whole
    where = f"{spec.where('traffic', index)}: traffic[{index}]"
    if entry.tool != BULK:
        raise UserError(
            f"{where}: {entry.tool} cannot send over {case.protocol}; take {BULK}, or"
            " give the entry a `transport` of its own"
        )
    if whole["duration_s"] is None or whole["parallel"] > 1:
        lacking = "parallel" if whole["parallel"] > 1 else "size"
        raise UserError(
            f"{where}: no '{lacking}' over {case.protocol}; a program sends for a"
            " duration, over one connection"
        )
    user = spec.network_description.user(entry.source)
    every = range(1, len(user.paths) + 1)
    paths = [case.number or 1] if case.one_path else list(every)
    kept = [f"path{number}" for number in paths]
    return {
        **{key: whole[key] for key in ("from", "to", "start_s", "port")},
        "tool": "plugin",
        "plugin": TOOL,
        "code": _text(),
        "numbers": {
            f"{path}_{name}": unit for path in kept for name, unit in COUNTS.items()
        },
        "received": True,
        "samples": {},
        "series": {
            f"{path}_{name}": unit for path in kept for name, unit in COURSES.items()
        },
        "duration_s": whole["duration_s"],
        "bytes": None,
        "reverse": whole["reverse"],
        "values": {
            "control": case.congestion_control.name,
            "paths": ",".join(map(str, paths)),
            "program": f"{PROGRAMS}/{case.program}",
            "reversed": float(whole["reverse"]),
            "scheduler": case.scheduler.name if case.scheduler else "",
        },
    }


def _text() -> str:
    return Path(plugin.__path__[0], f"{TOOL}.py").read_text()
