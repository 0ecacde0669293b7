"""Reasons why a run lacks metrics: the column `absent` of its row.

The text is `METRICS: REASON; METRICS: REASON`, where metrics with the same reason stand
together, separated by commas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from analysis.run import needs, path_names, run_metrics, together
from analysis.run.artefacts import Artefacts
from analysis.run.readers.counters import total

COLUMN = "absent"
OF_OTHER_RUNS = (
    "experimental_aggregation_benefit",
    "less_lossy_share",
    "request_balance",
)
"""Metrics that need other runs of the network, see `analysis.campaign.absent`."""
TCP = "TCP takes one path"
ONE_PATH = {"tcp": TCP, "quic": "QUIC takes one path"}
OF_KERNEL_S_TCP = "it compares MPTCP with TCP"
NOTHING = "nothing arrived"
TWO_WINDOWS = "it needs two windows of 1 s in the last half of each transfer"
QUIC = "the kernel does not count the packets of QUIC"
OF_KERNEL = (
    "retransmission_ratio",
    "reinjection_ratio",
    "out_of_order_ratio",
    "duplicate_ratio",
)
"""Metrics that are made of the counters of the kernel's own connections."""
EACH = "each traffic entry has its own"
AMOUNTS = ("goodput", "utilisation", "payload_utilisation", "aggregation_benefit")
"""Metrics that are made of the goodput."""
SUMS = (*AMOUNTS, "jain")
CAPTURED = (
    "capture_traffic_split",
    "capture_retransmission_ratio",
    "capture_reinjection_ratio",
    "mean_loss_probability",
)
BOTH_ENDS = "it needs captures at both ends of each path"
EVENTS = "it needs the events of a connection that sent data"
NO_EVENTS = "its kernel writes no events"
NO_COUNTER = "its kernel does not count this"
COUNTED = {
    "reinjection_ratio": "MPTCPRetrans",
    "out_of_order_ratio": "OFOQueue",
    "duplicate_ratio": "DuplicateData",
}
"""Metrics that need a counter of MPTCP's, which a kernel may lack."""
SHARED = "subflows of MPTCP share a send buffer"
USUAL = {
    "jain": "a single stream has no fairness",
    "aggregation_benefit": "it needs one host that sends over paths of one link each",
    "utilisation": "no link has a capacity",
    "payload_utilisation": "no link has a capacity",
    "retransmission_ratio": "nothing was sent",
    "reinjection_ratio": "nothing was sent",
    "wire_bytes_per_byte": "what arrived, or what interfaces carried, is not known",
    "loss_probability": "no packet reached a bottleneck link",
    "mean_queue": "it needs 'queues', or the fabric",
    "traffic_split": "it needs one host with several paths",
    "smoothed_rtt": "it needs a 'trace' with data",
    "settling_time": NOTHING,
    "rate_jitter": NOTHING,
    "max_min_distance": "it needs iperf3 with a duration from several hosts, one way",
    "flow_goodput": "it needs traffic of 'flows'",
    "out_of_order_ratio": "nothing was sent",
    "duplicate_ratio": "nothing was sent",
    "limited_by_window": EVENTS,
    "limited_by_buffer": SHARED,
    "limited_by_network": EVENTS,
    "limited_by_application": EVENTS,
}
"""The reason of a metric where nothing more is known."""


def column(
    run: Artefacts, row: Mapping[str, Any], captured: str = ""
) -> dict[str, str]:
    """The column, by its name.

    row : all other columns of the run
    captured : reason why its captures give no metric, empty if they give some
    """
    first = next(iter(path_names.of_row(row)), "path1")
    known = _known(run, row)
    found: dict[str, str] = {}
    for metric in needs.METRICS:
        name = needs.column(metric, first)
        if row.get(name) is None and metric not in OF_OTHER_RUNS:
            found[metric] = _reason(run, row, known, metric, name)
            if metric in CAPTURED and run.job.capture and found[metric] != TCP:
                found[metric] = captured or BOTH_ENDS
    return {COLUMN: written(found)}


def written(reasons: Mapping[str, str]) -> str:
    """The text of the reasons, by metric."""
    grouped: dict[str, list[str]] = {}
    for metric, reason in reasons.items():
        grouped.setdefault(reason, []).append(metric)
    return "; ".join(f"{', '.join(of)}: {reason}" for reason, of in grouped.items())


def read(text: object) -> dict[str, str]:
    """The reasons in a text, by metric; empty for anything else."""
    return dict(_read(text)) if isinstance(text, str) else {}


@lru_cache(maxsize=4096)
def _read(text: str) -> Mapping[str, str]:
    """The rows of a campaign have few different texts."""
    found: dict[str, str] = {}
    for part in text.split("; "):
        metrics, colon, reason = part.partition(": ")
        if colon:
            found |= dict.fromkeys(metrics.split(", "), reason)
    return found


@dataclass(frozen=True)
class _Known:
    """Facts about a run that the reasons of all its metrics need.

    quic : whether all its entries are over QUIC
    moved : whether any tool says what arrived
    silent : whether the tool of an entry does not say it
    apart : the reason why its entries cannot be added; None if they can
    of_each : columns that some path, host or entry of the run has
    """

    quic: bool
    moved: bool
    silent: bool
    apart: str | None
    of_each: frozenset[str]


def _known(run: Artefacts, row: Mapping[str, Any]) -> _Known:
    moved = together.measured(run, run_metrics.flows(run))
    of_each = set()
    for name, value in row.items():
        if value is not None:
            parts = name.split(".")
            of_each |= {".".join(parts[place:]) for place in range(1, len(parts))}
    return _Known(
        quic=run_metrics.quic_alone(run),
        moved=any(moved),
        silent=bool(together.silent(run)),
        apart=together.apart(run, moved),
        of_each=frozenset(of_each),
    )


def _reason(
    run: Artefacts, row: Mapping[str, Any], known: _Known, metric: str, column: str
) -> str:
    protocol = run.job.transport.protocol
    of_mptcp = metric in needs.OF_MPTCP
    if metric in OF_KERNEL and known.quic:
        return QUIC
    apart = known.apart
    if metric not in SUMS and known.silent:
        apart = None  # what is not known of the amounts has no part in it
    if of_mptcp and protocol in ONE_PATH:
        return ONE_PATH[protocol]
    if column in known.of_each:
        return apart or EACH
    if metric in (*SUMS, "traffic_split") and apart:
        return apart
    if metric in AMOUNTS and not known.moved:
        return "no tool says what arrived"
    if metric in COUNTED and total(run.counters.values(), COUNTED[metric]) is None:
        return NO_COUNTER
    if metric == "limited_by_buffer" and protocol != "mptcp":
        return _events(run)
    if USUAL.get(metric) == EVENTS:
        return _events(run)
    needed = needs.NEEDS.get(metric)
    if needed is not None and metric not in USUAL:
        return f"it needs {needed}"
    if metric in ("settling_time", "rate_jitter"):
        return _of_rates(run, row, metric, column)
    return USUAL.get(metric, "it is not defined for this run")


def _of_rates(run: Artefacts, row: Mapping[str, Any], metric: str, column: str) -> str:
    """The reason of a metric that is made of the rates of windows."""
    names = (f"{entry.name}.goodput_mbps" for entry in run.traffic if entry.name)
    goodputs = [row.get(name) for name in (*names, "goodput_mbps") if name in row]
    short = row.get("rate_jitter") is not None or (goodputs and all(goodputs))
    if column in row and not short:
        return NOTHING
    if column in row and metric == "rate_jitter":
        return TWO_WINDOWS
    return f"it needs {needs.NEEDS[metric]}"


def _events(run: Artefacts) -> str:
    """The reason of a metric that needs the events of connections."""
    linux = run.job.linux
    return EVENTS if linux is None or linux.lab else NO_EVENTS
