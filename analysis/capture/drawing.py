"""Time-sequence plot of a connection, its subflows in colour."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.capture.frames import Frames

EVENTS = ("data", "retransmission", "reinjection", "data_ack", "signal")
"""What the plot needs to be drawn (`Settings.drawn`)."""

_MARKS = {
    "reinjection": "reinjected",
    "retransmission": "retransmitted (time alone)",
}


def largest(frames: Frames) -> int:
    """The connection with the most data. Raises ValueError if there is none."""
    sizes = frames.data.groupby("connection")["bytes"].sum()
    if sizes.empty or not sizes.max():
        raise ValueError("no connection in it carries data; nothing to plot")
    index: Any = sizes.idxmax()
    return int(index)


def draw(frames: Frames, connection: int, target: Path) -> None:
    """Draw the direction that carries more; the file's suffix says the format.

    x : seconds since the capture began; y : bytes of the connection's data. Dots are
    data sent for the first time, crosses reinjections, ticks at the foot
    retransmissions; the line is what has been acknowledged.
    Raises ValueError if the connection is not there or carries nothing.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    data = frames.data[frames.data["connection"] == connection]
    if data.empty or not data["bytes"].max():
        raise ValueError(f"connection {connection}: not there, or carries no data")
    way: Any = data.set_index("direction")["bytes"].idxmax()
    events = frames.marks[frames.marks["connection"] == connection]
    sent = events[(events["direction"] == way) & (events["kind"] != "data_ack")]
    subflows = frames.subflows[
        (frames.subflows["connection"] == connection)
        & (frames.subflows["direction"] == way)
    ].sort_values("number")
    figure, axes = pyplot.subplots(figsize=(9, 5.5))
    origin = _origin(sent)
    for place, (_, row) in enumerate(subflows.iterrows()):
        colour = f"C{place % 10}"
        mine = sent[sent["subflow"] == row["subflow"]]
        label = f"{int(row['number'])}: {row['source']} -> {row['target']}"
        new = mine[mine["kind"] == "data"]
        axes.plot(
            new["at_s"],
            (new["position"] - origin) / 1e6,
            ".",
            ms=2,
            color=colour,
            label=label,
        )
        again = mine[mine["kind"] == "reinjection"]
        axes.plot(
            again["at_s"], (again["position"] - origin) / 1e6, "x", ms=6, color=colour
        )
        lost = mine[mine["kind"] == "retransmission"]
        axes.plot(
            lost["at_s"],
            np.full(len(lost), 0.01 + 0.015 * place),
            "|",
            ms=6,
            color=colour,
            transform=axes.get_xaxis_transform(),
        )
    acked = events[(events["kind"] == "data_ack") & (events["direction"] != way)]
    if len(acked):
        axes.step(
            acked["at_s"],
            (acked["position"] - origin) / 1e6,
            where="post",
            color="0.5",
            lw=0.8,
            label="acknowledged",
        )
    for kind, mark in (("reinjection", "x"), ("retransmission", "|")):
        if (sent["kind"] == kind).any():
            axes.plot([], [], mark, ms=1.5, color="0.3", label=_MARKS[kind])
    axes.set_xlabel("time, s")
    axes.set_ylabel("data, MB")
    axes.set_title(f"connection {connection}, {'<-' if way else '->'}")
    axes.legend(loc="upper left", fontsize="small", markerscale=4)
    figure.tight_layout()
    figure.savefig(target, dpi=150)
    pyplot.close(figure)


def _origin(sent: pd.DataFrame) -> float:
    positions = sent.loc[sent["kind"] == "data", "position"]
    return float(positions.min()) if len(positions) else 0.0
