"""The model of LIA beside what runs measured: Figs 6.3 and 6.4 of the thesis.

[thesis] Chauvenne and Libioulle, 2017, sec. 6.2.1.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.models import throughput
from analysis.run.job import FRAME_BYTES

_PATH = re.compile(r"path(\d+)\.loss_percent")


@dataclass(frozen=True)
class Compared:
    """One run.

    losses : of each path, 0-1; rtts_ms : without queues
    observed : packets a second that were sent on each path
    predicted : the same by [thesis] eq. 6.6
    bounded : the same by the fixed point with LIA's bound
    """

    point: int
    case: str
    losses: tuple[float, ...]
    rtts_ms: tuple[float, ...]
    observed: tuple[float, ...]
    predicted: tuple[float, ...]
    bounded: tuple[float, ...]


def compare(row: Mapping[str, Any]) -> Compared:
    """A run of MPTCP with LIA over paths with random loss, from its row.

    Packets sent on a path are the frames that left its router, of full size, and those
    that were lost there before: frames / (1 - p). Raises ValueError for a run that the
    model says nothing of.
    """
    if row.get("protocol") != "mptcp" or row.get("congestion_control") != "lia":
        raise ValueError("the model is of MPTCP with lia")
    paths = sorted(int(m[1]) for m in map(_PATH.fullmatch, row) if m)
    losses = tuple(float(row[f"path{i}.loss_percent"]) / 100 for i in paths)
    rtts_s = [2 * float(row[f"path{i}.delay_ms"]) / 1e3 for i in paths]
    frames = [float(row[f"path{i}.bytes"]) / FRAME_BYTES for i in paths]
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
    """Root-mean-square error of each path over all runs, packets a second."""
    if not runs:
        raise ValueError("no run to compare with")
    return tuple(
        throughput.rmse(
            [(run.bounded if bounded else run.predicted)[path] for run in runs],
            [run.observed[path] for run in runs],
        )
        for path in range(len(runs[0].observed))
    )
