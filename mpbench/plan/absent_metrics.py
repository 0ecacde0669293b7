"""Metrics that no run of an experiment can have."""

from collections.abc import Iterator

from analysis.run import needs
from mpbench.spec import Spec
from mpbench.spec.document import Place, dotted
from mpbench.spec.own_metrics import DOT


def faults(spec: Spec) -> Iterator[str]:
    """One line for each metric that the experiment asks for and cannot have."""
    for index, metric in enumerate(spec.metrics):
        fault = lacking(spec, metric)
        if fault is not None:
            place: Place = _asked(spec).get(metric, ("metrics", index))
            at = f"{spec.where(*place)}: {dotted(place)}"
            at += f": {metric}" if place[0] == "metrics" else ""
            yield f"{at}: {fault}"


def lacking(spec: Spec, metric: str) -> str | None:
    """The reason why no run of the experiment can have a metric, if that is so."""
    needed = needs.NEEDS.get(metric)
    if needed is None or needed in _present(spec):
        return None
    return f"no run of this experiment has it; it needs {needed}"


def _asked(spec: Spec) -> dict[str, tuple[str, str, str]]:
    """The places in `compare` that ask for metrics, by metric."""
    if spec.compare is None:
        return {}
    parts = {"better": spec.compare.better, "limits": spec.compare.limits}
    return {
        name.rpartition(DOT)[2]: ("compare", key, name)
        for key, names in parts.items()
        for name in names or ()
    }


def _present(spec: Spec) -> set[str]:
    """Features that `needs` names, as far as the experiment has them."""
    found: set[str] = set()
    for entry in spec.traffic:
        found |= entry.measures
    captured = bool(spec.capture) or any(case.capture for case in spec.cases.values())
    own = [entry.transport for entry in spec.traffic if entry.transport]
    transports = [*spec.cases.values(), *own]
    mptcp = any(one.protocol in ("mptcp", "mpquic") for one in transports)
    found |= {needs.NEEDS["capture_retransmission_ratio"]} if captured else set()
    found |= {needs.CAPTURE} if captured and mptcp else set()
    found |= {needs.NEEDS["traffic_split"]} if mptcp else set()
    return found
