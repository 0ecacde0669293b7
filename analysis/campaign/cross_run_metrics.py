"""What of an MPTCP run needs other runs of its network: TCP's, another scheduler's.

Sources: [thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and
Models", UCLouvain, 2017.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.campaign import model_validation
from analysis.run import metrics

Row = Mapping[str, Any]
FIRST_SCHEDULER, SECOND_SCHEDULER = "lowrtt", "roundrobin"
"""Of R_N ([thesis], App. C)."""


def columns(row: Row, alone: Sequence[Row | None], twin: Row | None) -> dict[str, Any]:
    """Columns of a run over two paths.

    row : of MPTCP; alone : of TCP on each path by itself, None where there is none
    twin : the run under SECOND_SCHEDULER, of one under FIRST_SCHEDULER

    first_path_quality : `best` or `worst`, by TCP's goodput ([thesis], sec. 3.2)
    first_path_use : likewise by what each path carried of this connection (sec. 4.2.1)
    mean_loss_percent : the loss asked of each path, weighted with its share (5.2.2)
    less_lossy_share : what the path carried on which TCP retransmits less (5.2.2)
    request_balance : R_N (App. C)
    path<i>.sent_packets_per_s, .model_packets_per_s, .model_error_packets_per_s : of
        LIA under random loss, what was sent, what the model has (eq. 6.6), and the
        model's less the sent
    path<i>.model_error_arrived_packets_per_s : the model's less what arrived

    What is not defined is left out.
    """
    shares = [row.get(f"path{path}.share") for path in (1, 2)]
    goodputs = [tcp.get("goodput_mbps") if tcp else None for tcp in alone]
    ratios = [tcp.get("retransmission_ratio") if tcp else None for tcp in alone]
    losses = [row.get(f"path{path}.loss_percent") for path in (1, 2)]
    added: dict[str, Any] = {
        "first_path_quality": _quality(goodputs),
        "first_path_use": _quality(shares),
        "mean_loss_percent": _mean_loss(losses, shares),
        "less_lossy_share": _less_lossy(ratios, shares),
    }
    if twin is not None:
        added["request_balance"] = _balance(row, twin)
    known = {name: value for name, value in added.items() if value is not None}
    return known | _model(row)


def _model(row: Row) -> dict[str, Any]:
    try:
        found = model_validation.compare(row)
    except (KeyError, ValueError):
        return {}  # a run that the model says nothing of
    added = {}
    for path, (sent, model, loss) in enumerate(
        zip(found.observed, found.predicted, found.losses, strict=True), start=1
    ):
        arrived = sent * (1 - loss)
        added[f"path{path}.sent_packets_per_s"] = sent
        added[f"path{path}.model_packets_per_s"] = model
        added[f"path{path}.model_error_packets_per_s"] = model - sent
        added[f"path{path}.model_error_arrived_packets_per_s"] = model - arrived
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
    return 100 * metrics.mean_loss_probability(known, split)


def _less_lossy(
    ratios: Sequence[float | None], shares: Sequence[float | None]
) -> float | None:
    known = [ratio for ratio in ratios if ratio is not None]
    if len(known) < len(ratios) or len(set(known)) < 2:
        return None
    return shares[metrics.less_lossy_path(known) - 1]


def _balance(row: Row, twin: Row) -> float | None:
    counts = [each.get("requests_per_s") for each in (row, twin)]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or not any(known):
        return None
    return metrics.request_balance(*known)
