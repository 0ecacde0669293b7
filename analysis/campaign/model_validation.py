"""The model of LIA against measured runs, as in Figs 6.3 and 6.4 of the thesis.

[thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and Models",
UCLouvain, 2017, sec. 6.2.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.models import throughput
from analysis.run import path_names
from jobs import FRAME_BYTES


@dataclass(frozen=True)
class Compared:
    """One run, with what the model predicts for it. Every tuple has a value per path.

    losses : loss probability, 0-1
    rtts_ms : round-trip time of an empty network
    observed : packets per second that were sent
    predicted : packets per second by [thesis] eq. 6.6
    bounded : packets per second by `analysis.models.lia.bounded_windows`
    """

    point: int
    case: str
    losses: tuple[float, ...]
    rtts_ms: tuple[float, ...]
    observed: tuple[float, ...]
    predicted: tuple[float, ...]
    bounded: tuple[float, ...]


def compare(row: Mapping[str, Any]) -> Compared:
    """Compare a run with the model: MPTCP with LIA over paths with random loss.

    row : the run's row in the table of runs

    The model counts the packets sent, and the row has the bytes that left the router
    of each path. Its random loss comes before that, so the packets sent are the bytes
    over the size of a full frame, divided by 1 - p.

    Raises ValueError if the model does not apply to the run, and KeyError if the row
    lacks a column.
    """
    if row.get("protocol") != "mptcp" or row.get("congestion_control") != "lia":
        raise ValueError("the model applies to MPTCP with lia only")
    paths = path_names.of_row(row)
    losses = tuple(float(row[f"{i}.loss_percent"]) / 100 for i in paths)
    rtts_s = [2 * float(row[f"{i}.delay_ms"]) / 1e3 for i in paths]
    sent = [row[f"{i}.bytes"] for i in paths]
    if None in sent:
        raise ValueError("the model applies to data of one direction only")
    frames = [float(count) / FRAME_BYTES for count in sent]
    free, bounded = (
        throughput.predict(losses, rtts_s, bounded=with_bound)
        for with_bound in (False, True)
    )
    return Compared(
        point=int(row["point"]),
        case=str(row["case"]),
        losses=losses,
        rtts_ms=tuple(1e3 * rtt for rtt in rtts_s),
        observed=tuple(
            count / (1 - loss) / float(row["measured_s"])
            for count, loss in zip(frames, losses, strict=True)
        ),
        predicted=tuple(path.packets_per_s for path in free.paths),
        bounded=tuple(path.packets_per_s for path in bounded.paths),
    )


def errors(runs: Sequence[Compared], bounded: bool = False) -> tuple[float, ...]:
    """Root-mean-square error of the prediction on each path over all runs.

    bounded : True for the error of `Compared.bounded`, False for `Compared.predicted`

    Returns packets per second, one value per path. Raises ValueError without runs.
    """
    if not runs:
        raise ValueError("no run to compare with")
    return tuple(
        throughput.rmse(
            [(run.bounded if bounded else run.predicted)[path] for run in runs],
            [run.observed[path] for run in runs],
        )
        for path in range(len(runs[0].observed))
    )
