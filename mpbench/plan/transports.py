"""Transports of cases and of traffic entries, as jobs have them."""

from collections.abc import Mapping
from typing import Any

from jobs import Transport
from mpbench.plan import (
    case_values,
)
from mpbench.spec import Spec
from mpbench.spec.cases import Case
from mpbench.spec.traffic import Entry
from mpbench.spec.with_params import WithParams


def transport(case: Case, defaults: Mapping[str, str] | None = None) -> Transport:
    """The transport of a case, with what it leaves unsaid.

    defaults : sysctls of the network's hosts, where the case does not set them
    """
    mptcp = case.protocol == "mptcp"
    of_program = case.scheduler.name if case.is_quic and case.scheduler else None
    sysctls = {**(defaults or {}), **case.sysctls, **case.parameter_sysctls}
    return Transport(
        protocol=case.protocol,
        congestion_control=case.congestion_control.name,
        scheduler=_name(case.scheduler, "default") if mptcp else of_program,
        path=case.number,
        path_manager=_name(case.path_manager, "fullmesh") if mptcp else None,
        sysctls={name: str(sysctls[name]) for name in sorted(sysctls)},
        backup=case.backup,
        program=case.program,
        keys=case.keys,
        qlog=case.qlog,
    )


def _name(tuned: WithParams | None, otherwise: str) -> str:
    return tuned.name if tuned else otherwise


def with_transports(
    spec: Spec, entries: list[Entry], values: Mapping[str, Any], number: int | None
) -> list[Entry]:
    """The entries with their own transports as the point has them.

    values : of parameters and factors, by name
    number : of the point, for messages
    """
    made = []
    for index, entry in enumerate(entries):
        if entry.transport is not None:
            at = ("traffic", index, "transport")
            own = case_values.at_point(spec, entry.transport, at, values, number)
            if own is not entry.transport:
                entry = entry.model_copy(update={"transport": own})
        made.append(entry)
    return made
