"""Metrics that no run of an experiment can have."""

from collections.abc import Iterator

from analysis.campaign import needs
from mpbench.spec import Spec


def warnings(spec: Spec) -> Iterator[str]:
    """One line for each metric that the experiment asks for and cannot have."""
    there = _present(spec)
    for index, metric in enumerate(spec.metrics):
        needed = needs.NEEDS.get(metric)
        if needed is not None and needed not in there:
            at = f"{spec.where('metrics', index)}: metrics[{index}]: {metric}"
            yield f"{at}: no run of this experiment has it; it needs {needed}"


def _present(spec: Spec) -> set[str]:
    """What `needs` names, as far as the experiment has it."""
    found = set()
    for entry in spec.traffic:
        sized = entry.tool == "flows" and getattr(entry, "size", None) is not None
        found |= {needs.SIZED_FLOWS, needs.ONE_DOWNLOAD} if sized else set()
        found |= {needs.ONE_DOWNLOAD} if entry.tool == "curl" else set()
        found |= {needs.REQUESTS} if entry.tool == "ab" else set()
        found |= (
            {needs.MESSAGES} if getattr(entry, "over", "") == "connection" else set()
        )
        timed = entry.tool == "iperf3" and getattr(entry, "duration", None) is not None
        found |= {needs.TIMED} if timed else set()
    captured = bool(spec.capture) or any(case.capture for case in spec.cases.values())
    own = [entry.transport for entry in spec.traffic if entry.transport]
    transports = [*spec.cases.values(), *own]
    mptcp = any(one.protocol == "mptcp" for one in transports)
    found |= {needs.NEEDS["capture_retransmission_ratio"]} if captured else set()
    found |= {needs.CAPTURE} if captured and mptcp else set()
    found |= {needs.NEEDS["aggregation_benefit"]} if mptcp else set()
    return found
