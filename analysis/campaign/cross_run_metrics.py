"""Metrics of an MPTCP run that need other runs of the same network.

The other runs are those of TCP on each path, and of MPTCP under another scheduler.

Source: [thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and
Models", UCLouvain, 2017.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.campaign import model_validation
from analysis.run import metrics

Row = Mapping[str, Any]
DECIMALS = 9
"""Of a mean loss in per cent."""
FIRST_SCHEDULER, SECOND_SCHEDULER = "lowrtt", "roundrobin"
"""The two schedulers that R_N of [thesis], App. C, compares."""


def columns(
    row: Row,
    paths: Sequence[str],
    tcp_rows: Sequence[Row | None],
    twin: Row | None,
) -> dict[str, Any]:
    """The columns that other runs add to the row of an MPTCP run over two paths.

    row : the MPTCP run, under FIRST_SCHEDULER if it has a twin
    paths : the names of path 1 and path 2
    tcp_rows : the run of TCP on path 1, and on path 2; None where there is none
    twin : the run of the same network under SECOND_SCHEDULER; None if there is none

    first_path_quality : `best` or `worst`: the rank of path 1 by the goodput of TCP
        on each path ([thesis], sec. 3.2)
    first_path_use : `best` or `worst`: the rank of path 1 by the bytes that each path
        carried of this connection (sec. 4.2.1)
    mean_loss_percent : the configured loss of the paths, 0-100, each weighted with
        the share of the traffic that the path carried (sec. 5.2.2)
    less_lossy_share : the share of the traffic, 0-1, on the path where TCP has the
        lower retransmission ratio (sec. 5.2.2)
    request_balance : R_N, in [-1, 1] (App. C)
    PATH.sent_packets_per_s : packets sent on a path; this and the next three are
        for runs with LIA under random loss only
    PATH.model_packets_per_s : packets that the model predicts (eq. 6.6)
    PATH.model_error_packets_per_s : predicted less sent packets
    PATH.model_error_arrived_packets_per_s : predicted less arrived packets

    A column that is not defined for the run is left out.
    """
    shares = [row.get(f"{path}.share") for path in paths]
    goodputs = [tcp.get("goodput_mbps") if tcp else None for tcp in tcp_rows]
    ratios = [tcp.get("retransmission_ratio") if tcp else None for tcp in tcp_rows]
    losses = [row.get(f"{path}.loss_percent") for path in paths]
    added: dict[str, Any] = {
        "first_path_quality": _quality(goodputs),
        "first_path_use": _quality(shares),
        "mean_loss_percent": _mean_loss(losses, shares),
        "less_lossy_share": _less_lossy(ratios, shares),
    }
    if twin is not None:
        added["request_balance"] = _balance(row, twin)
    known = {name: value for name, value in added.items() if value is not None}
    return known | _model(row, paths)


def _model(row: Row, names: Sequence[str]) -> dict[str, Any]:
    try:
        compared = model_validation.compare(row)
    except (KeyError, ValueError):
        return {}  # The model does not apply to this run.
    added = {}
    paths = zip(compared.observed, compared.predicted, compared.losses, strict=True)
    for path, (sent, model, loss) in zip(names, paths, strict=True):
        arrived = sent * (1 - loss)
        added[f"{path}.sent_packets_per_s"] = sent
        added[f"{path}.model_packets_per_s"] = model
        added[f"{path}.model_error_packets_per_s"] = model - sent
        added[f"{path}.model_error_arrived_packets_per_s"] = model - arrived
    return added


def _quality(values: Sequence[float | None]) -> str | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values) or len(set(known)) < 2:
        return None
    return metrics.first_path_quality(known)


def _mean_loss(
    losses: Sequence[float | None], shares: Sequence[float | None]
) -> float | None:
    known = [loss / 100 for loss in losses if loss is not None]
    split = [share for share in shares if share is not None]
    if len(known) < len(losses) or len(split) < len(shares):
        return None
    loss = 100 * metrics.mean_loss_probability(known, split)
    # Two paths of 1 % each have 1 %, and not 1.0000000000000002 %: statements compare
    # connections above 1 % with those below.
    return round(loss, DECIMALS)


def _less_lossy(
    ratios: Sequence[float | None], shares: Sequence[float | None]
) -> float | None:
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios) or len(set(known)) < 2:
        return None
    return shares[metrics.less_lossy_path(known) - 1]


def _balance(row: Row, twin: Row) -> float | None:
    first, second = row.get("requests_per_s"), twin.get("requests_per_s")
    if first is None or second is None or not (first or second):
        return None
    return metrics.request_balance(first, second)
