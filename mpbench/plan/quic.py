"""Traffic of cases whose protocol a program speaks, and not the kernel.

Bulk data of such a case are sent by the case's program, with the text of
`tools/plugin/endpoint.py`, as a tool of the user's own would do it. The connections of
other tools go through relays (`jobs.relays`), and their entries stay as they are.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jobs.plugins import PROGRAMS
from mpbench.errors import UserError
from mpbench.spec import Spec
from mpbench.spec.cases import Case
from mpbench.spec.endpoint import COUNTS, COURSES, TOOL
from mpbench.spec.traffic import Entry
from tools import plugin
from tools.plugin.record import INTERVAL

BULK = "iperf3"
FILE_BYTES = 256 << 20
"""The largest file of a program that writes a qlog."""


def document(
    spec: Spec, entry: Entry, case: Case, index: int, whole: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The entry of a job, from that of the experiment file; the same if the case's
    program has no part in it.

    whole : the entry of the job for a protocol of the kernel

    Raises UserError for an entry that can have no such transport.
    """
    if not case.is_quic or entry.own_code or entry.without_connection:
        return whole
    if entry.many or spec.network_description.mesh:
        raise UserError(
            f"{spec.where('traffic', index)}: traffic[{index}]: no {case.protocol}"
            " between the hosts of a data centre; give the entry a `transport` of its"
            " own, or take a network with named hosts"
        )
    if entry.via:
        raise UserError(
            f"{spec.where('traffic', index)}: traffic[{index}].via: proxies split TCP,"
            f" and not {case.protocol}; give the entry a `transport` of its own"
        )
    if not _of_program(entry):
        return whole  # it goes through relays
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
        "bytes": whole["bytes"],
        "reverse": whole["reverse"],
        "values": {
            "control": case.congestion_control.name,
            INTERVAL: whole["interval_s"],
            "paths": ",".join(map(str, paths)),
            "program": f"{PROGRAMS}/{case.program}",
            "reversed": float(whole["reverse"]),
            **({} if whole["bytes"] is None else {"size": float(whole["bytes"])}),
            "scheduler": case.scheduler.name if case.scheduler else "",
            **{name: 1.0 for name in ("keys", "qlog") if getattr(case, name)},
            **({"gather_us": round(1e3 * case.gather)} if case.gather else {}),
        },
        **({"file_limit_bytes": FILE_BYTES} if case.qlog else {}),
    }


def check(spec: Spec, entries: Sequence[Entry], name: str, case: Case) -> None:
    """Raises UserError for TCP on a host whose other connections are relayed, and for a
    case that asks for what none of its traffic has.

    The kernel counts the connections of relays among those of TCP.
    """
    _check_gathering(spec, entries, name, case)
    hosts: dict[bool, dict[str, int]] = {True: {}, False: {}}
    for index, entry in enumerate(entries):
        own = entry.transport or case
        if entry.own_code or entry.without_connection:
            continue
        if own.is_quic and _of_program(entry):
            continue
        for pair in entry.ends(spec.network_description):
            for host in pair:
                hosts[own.is_quic].setdefault(host, index)
    for host in hosts[True].keys() & hosts[False].keys():
        index = hosts[True][host]
        where = f"{spec.where('traffic', index)}: traffic[{index}]"
        raise UserError(
            f"{where}: {host} also has connections of TCP in"
            f" traffic[{hosts[False][host]}]; give one of them other hosts, or take"
            f" {BULK} with one connection over QUIC"
        )


def _check_gathering(
    spec: Spec, entries: Sequence[Entry], name: str, case: Case
) -> None:
    """Raises UserError for a `gather` that no traffic has: relays read each packet."""
    why = f"only bulk data of {BULK} over one connection have it"
    if case.gather and not any(
        one.transport is None and _of_program(one) for one in entries
    ):
        raise UserError(
            f"{spec.where('cases', name)}: cases.{name}.gather: {why}, and no entry of"
            " this case sends any; take it away, or leave out `parallel`"
        )
    for index, entry in enumerate(entries):
        if entry.transport and entry.transport.gather and not _of_program(entry):
            raise UserError(
                f"{spec.where('traffic', index)}: traffic[{index}].transport.gather:"
                f" {why}; take it away"
            )


def _of_program(entry: Entry) -> bool:
    """Whether a case's program sends an entry's data itself, without a relay."""
    return entry.plain_bulk and entry.per_user[0] == 1


def _text() -> str:
    return Path(plugin.__path__[0], f"{TOOL}.py").read_text()
