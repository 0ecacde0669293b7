"""Plots of a connection over time, as users of mptcptrace and tcptrace know them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.capture.frames import Frames

EVENTS = ("data", "retransmission", "reinjection", "data_ack")
"""The events that `draw` draws (`Settings.drawn`)."""
ALL_EVENTS = (*EVENTS, "segment", "ack", "sack", "flight", "rtt", "delay")
"""The events that `draw_all` draws."""
SIZE_IN = (9, 5.5)
BINS = 200
"""Intervals of the goodput's plot, at most."""

_SEGMENTS = (
    (0, "C0", 1.5, "new, in order"),
    (1, "C3", 4.0, "sent again"),
    (2, "C2", 2.5, "late: fills a gap"),
)
"""Value of the event `segment`; colour, size and label of its mark."""


def largest(frames: Frames) -> int:
    """The connection with the most data. Raises ValueError if there is none."""
    sizes = frames.data.groupby("connection")["bytes"].sum()
    if sizes.empty or not sizes.max():
        raise ValueError("no connection in it carries data; nothing to plot")
    index: Any = sizes.idxmax()
    return int(index)


def endpoint(row: pd.Series, name: str) -> str:
    """Address and port of the `source` or the `target` of a row of subflows."""
    address, port = row[name], row[f"{name}_port"]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


class Drawn:
    """The direction of a connection that carries more data.

    way : the direction; subflows : its rows by number; marks : the connection's events
    Raises ValueError if the connection is not there or carries nothing.
    """

    def __init__(self, frames: Frames, connection: int) -> None:
        data = frames.data[frames.data["connection"] == connection]
        if data.empty or not data["bytes"].max():
            raise ValueError(f"connection {connection}: not there, or carries no data")
        way: Any = data.set_index("direction")["bytes"].idxmax()
        self.connection, self.way = connection, int(way)
        self.subflows = frames.subflows[
            (frames.subflows["connection"] == connection)
            & (frames.subflows["direction"] == way)
        ].sort_values("number")
        self.marks = frames.marks[frames.marks["connection"] == connection]

    def events(
        self, kind: str, subflow: int | None = None, back: bool = False
    ) -> pd.DataFrame:
        """Of one kind, in the direction drawn or `back`, of all subflows or one."""
        marks = self.marks
        chosen = (marks["kind"] == kind) & ((marks["direction"] == self.way) ^ back)
        if subflow is not None:
            chosen &= marks["subflow"] == subflow
        return marks[chosen]

    def title(self, what: str) -> str:
        way = "from the responder" if self.way else "from the initiator"
        return f"{what} (connection {self.connection}, {way})"

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Number of each subflow in the capture, its colour and its label."""
        for place, (_, row) in enumerate(self.subflows.iterrows()):
            ends = f"{endpoint(row, 'source')} -> {endpoint(row, 'target')}"
            colour = f"C{place % 10}"
            yield int(row["subflow"]), colour, f"{int(row['number'])}: {ends}"


@contextmanager
def _axes(target: Path, title: str, ylabel: str) -> Iterator[Any]:
    """Axes of a figure that is saved to `target` in the end."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=SIZE_IN)
    try:
        yield axes
        axes.set_xlabel("time since the capture began, s")
        axes.set_ylabel(ylabel)
        axes.set_title(title, fontsize="medium")
        axes.grid(alpha=0.25)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small", loc="best")
        figure.tight_layout()
        figure.savefig(target, dpi=150)
    finally:
        pyplot.close(figure)


def draw(frames: Frames, connection: int, target: Path) -> None:
    """Data over time; the file's suffix says the format.

    y : bytes of the connection's data by their number. Dots are data sent for the first
    time, crosses reinjections, ticks at the foot retransmissions; the line is what has
    been acknowledged.
    Raises ValueError if the connection is not there or carries nothing.
    """
    drawn = Drawn(frames, connection)
    positions = drawn.events("data")["position"]
    origin = float(positions.min()) if len(positions) else 0.0
    unit, width = _unit(positions.max() - origin if len(positions) else 0)
    with _axes(target, drawn.title("Data"), f"data, {unit}") as axes:
        for place, (subflow, colour, label) in enumerate(drawn.lines()):
            new, again, lost = (
                drawn.events(kind, subflow)
                for kind in ("data", "reinjection", "retransmission")
            )
            for events, mark, size, text in (
                (new, ".", 2.0, label),
                (again, "x", 6.0, None),
            ):
                y = (events["position"] - origin) / width
                axes.plot(events["at_s"], y, mark, ms=size, color=colour, label=text)
            axes.plot(
                lost["at_s"],
                np.full(len(lost), 0.01 + 0.015 * place),
                "|",
                ms=6,
                color=colour,
                transform=axes.get_xaxis_transform(),
            )
        acked = drawn.events("data_ack", back=True)
        if len(acked):
            axes.step(
                acked["at_s"],
                (acked["position"] - origin) / width,
                where="post",
                color="0.5",
                lw=0.8,
                label="acknowledged",
            )
        for kind, mark, text in (
            ("reinjection", "x", "reinjected"),
            ("retransmission", "|", "retransmitted (time alone)"),
        ):
            if len(drawn.events(kind)):
                axes.plot([], [], mark, ms=6, color="0.3", label=text)
        axes.legend(loc="upper left", fontsize="small", markerscale=1.5)


def draw_all(
    frames: Frames, series: pd.DataFrame, connection: int, folder: Path
) -> list[Path]:
    """Every plot of a connection, as PNG files; returns those that were drawn.

    series : the frame `series` of the connection, for its goodput
    The delay is drawn if there was a second capture point. Raises ValueError if the
    connection is not there or carries nothing.
    """
    drawn = Drawn(frames, connection)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"connection-{connection}"
    draw(frames, connection, folder / f"{stem}-data.png")
    paths = [folder / f"{stem}-data.png"]
    for (_, row), (subflow, _, label) in zip(
        drawn.subflows.iterrows(), drawn.lines(), strict=True
    ):
        path = folder / f"{stem}-subflow-{int(row['number'])}-sequence.png"
        if _sequence(drawn, subflow, label, path):
            paths.append(path)
    for kind, title, ylabel, width in (
        ("rtt", "Round-trip time", "round-trip time, ms", 1e6),
        ("flight", "Flight size", "bytes in flight, kB", 1e3),
        ("delay", "One-way delay", "one-way delay, ms", 1e6),
    ):
        path = folder / f"{stem}-{kind}.png"
        if _values(drawn, kind, title, ylabel, width, path):
            paths.append(path)
    path = folder / f"{stem}-goodput.png"
    if _goodput(drawn, series, path):
        paths.append(path)
    return paths


def _sequence(drawn: Drawn, subflow: int, label: str, target: Path) -> bool:
    """The time-sequence graph of a subflow: each segment from its first byte to its
    last, the ACKs, the end of the window that they offer, and SACK blocks."""
    from matplotlib.collections import LineCollection

    segments = drawn.events("segment", subflow)
    if segments.empty:
        return False
    acks = drawn.events("ack", subflow, back=True)
    sacks = drawn.events("sack", subflow, back=True)
    last = (segments["position"] + segments["length"]).max()
    unit, width = _unit(last)

    def bars(axes: Any, rows: pd.DataFrame, colour: str, text: str, lw: float) -> None:
        x, low = rows["at_s"].to_numpy(), rows["position"].to_numpy() / width
        high = low + rows["length"].to_numpy() / width
        ends = np.stack([np.stack([x, low], 1), np.stack([x, high], 1)], 1)
        axes.add_collection(
            LineCollection(list(ends), colors=colour, lw=lw, label=text)
        )

    with _axes(
        target, drawn.title(f"Subflow {label}"), f"sequence number, {unit}"
    ) as axes:
        for value, colour, size, text in _SEGMENTS:
            rows = segments[segments["value"] == value]
            if len(rows):
                bars(axes, rows, colour, text, 1.5)
                # A segment is a dot at least, however long the connection.
                axes.plot(
                    rows["at_s"],
                    rows["position"] / width,
                    ".",
                    ms=size,
                    color=colour,
                    zorder=3,
                )
        if len(sacks):
            bars(axes, sacks, "C4", "SACK", 1.0)
        if len(acks):
            y = acks["position"] / width
            axes.step(acks["at_s"], y, where="post", color="0.3", lw=0.9, label="ACK")
        offered = acks[acks["value"] < 1 << 62]
        if len(offered):
            edge = (offered["position"] + offered["value"].astype(float)) / width
            axes.step(
                offered["at_s"],
                edge,
                where="post",
                color="C8",
                lw=0.9,
                label="end of the window",
            )
        axes.autoscale_view()
        # The window may be far above: the segments say what is to be seen.
        axes.set_ylim(-0.03 * last / width, 1.15 * last / width)
        axes.legend(loc="upper left", fontsize="small")
    return True


def _values(
    drawn: Drawn, kind: str, title: str, ylabel: str, width: float, target: Path
) -> bool:
    """The `length` of events of one kind over time, a colour per subflow."""
    if drawn.events(kind).empty:
        return False
    with _axes(target, drawn.title(title), ylabel) as axes:
        for subflow, colour, label in drawn.lines():
            rows = drawn.events(kind, subflow)
            if len(rows):
                y = rows["length"] / width
                style = {"drawstyle": "steps-post", "lw": 0.8, "ms": 0}
                if kind != "flight":
                    style = {"lw": 0, "ms": 2.5}
                axes.plot(
                    rows["at_s"], y, marker=".", color=colour, label=label, **style
                )
        axes.set_ylim(bottom=0)
    return True


def _goodput(drawn: Drawn, series: pd.DataFrame, target: Path) -> bool:
    """New data of each subflow and of all over intervals of equal length."""
    rows = series[
        (series["connection"] == drawn.connection) & (series["direction"] == drawn.way)
    ]
    if rows.empty or not rows["data_bytes"].sum():
        return False
    times = np.unique(series["at_s"])
    step_s = float(np.diff(times).min()) if len(times) > 1 else 1.0
    first, last = float(rows["at_s"].min()), float(rows["at_s"].max())
    count = round((last - first) / step_s) + 1
    together = max(1, -(-count // BINS))
    width_s = step_s * together
    bins = np.round((rows["at_s"] - first) / step_s).astype(int) // together
    edges = first + width_s * np.arange(bins.max() + 2)
    ylabel = f"goodput, Mbit/s, over {width_s:.3g} s"
    with _axes(target, drawn.title("Goodput"), ylabel) as axes:

        def stairs(chosen: pd.Series, **style: Any) -> None:
            sums = np.bincount(bins[chosen], rows["data_bytes"][chosen], len(edges) - 1)
            axes.stairs(sums * 8e-6 / width_s, edges, **style)

        everything = pd.Series(True, rows.index)
        if len(drawn.subflows) > 1:
            stairs(everything, color="0.88", fill=True, label="all subflows")
        for subflow, colour, label in drawn.lines():
            stairs(rows["subflow"] == subflow, color=colour, lw=1.2, label=label)
        axes.set_ylim(bottom=0)
    return True


def _unit(size: float) -> tuple[str, float]:
    """Of an axis that reaches `size` bytes."""
    return ("MB", 1e6) if size >= 1e6 else ("kB", 1e3)
