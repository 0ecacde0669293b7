"""Summary of a capture, for people to read."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.capture.analyse import NANO
from analysis.capture.collect import Totals
from analysis.capture.drawing import endpoint
from analysis.capture.frames import Frames
from analysis.words import many

WAYS = {0: "->", 1: "<-"}
MOST = 20
"""Connections that have lines of their own, the largest first; others are counted."""


def summary(frames: Frames, totals: Totals) -> list[str]:
    """Lines; nothing is said twice, and what is 0 is left out.

    frames : of the largest connections; totals : of all
    """
    if not totals.kinds:
        return ["no TCP connection in it"]
    counts = _counted(totals, 0) or "no TCP connection here"
    if far := _counted(totals, 1):
        counts += f"; at the far point {far}"
    last_s = totals.last_ns / NANO - frames.zero_s
    lines = [f"{counts}; {last_s:.3f} s"]
    sizes = frames.data.groupby("connection")["bytes"].sum()
    largest: Any = sizes.sort_values(ascending=False, kind="stable").index
    for index in [int(number) for number in largest][:MOST]:
        lines.append("")
        lines += _connection(frames, index)
    if (more := totals.kinds.total() - MOST) > 0:
        lines += ["", f"and {more} smaller connections; --json tells all"]
    return lines


_KIND = {
    "mptcp": ("MPTCP connection", ""),
    "tcp": ("TCP connection", ""),
    "fallback": ("connection", " that fell back to TCP"),
}


def _counted(totals: Totals, point: int) -> str:
    kinds = [(count, kind) for (at, kind), count in totals.kinds.items() if at == point]
    words = ((count, *_KIND[kind]) for count, kind in sorted(kinds, reverse=True))
    return ", ".join(
        f"{count} {noun}{'' if count == 1 else 's'}{rest}"
        for count, noun, rest in words
    )


_SIGNALS = {
    "add_addrs": "ADD_ADDR",
    "remove_addrs": "REMOVE_ADDR",
    "mp_prios": "MP_PRIO",
    "mp_fails": "MP_FAIL",
    "fastcloses": "MP_FASTCLOSE",
    "mp_resets": "MP_TCPRST",
    "resets": "RST",
}


def _connection(frames: Frames, index: int) -> Iterator[str]:
    row: Any = frames.connections.set_index("connection").loc[index]
    subflows = frames.subflows[frames.subflows["connection"] == index]
    version = f" version {row['version']}" if pd.notna(row["version"]) else ""
    kind = {"mptcp": f"MPTCP{version}", "tcp": "TCP", "fallback": "TCP"}[row["kind"]]
    where = " (far)" if row["point"] else ""
    yield (
        f"connection {index}{where}: {kind}, {_ends(subflows)}, "
        f"{int(row['subflows'])} subflow{'' if row['subflows'] == 1 else 's'}, "
        f"{row['duration_s']:.3f} s from {row['first_at_s']:.3f} s"
    )
    if pd.notna(row["fallback"]):
        yield f"  fell back to TCP: {row['fallback']}"
    if pd.notna(row["handshake_s"]):
        yield f"  handshake {_ms(row['handshake_s'])}"
    if pd.notna(row["contradiction"]):
        yield (
            f"  contradiction in frame {row['contradiction_frame']} of file "
            f"{row['contradiction_file']}: {row['contradiction']}"
        )
    if row["unknown"]:
        yield f"  not known: {row['unknown']}"
    data = frames.data[frames.data["connection"] == index]
    for _, row_of_data in data.iterrows():
        if row_of_data["bytes"]:
            yield from _direction(row_of_data)
    if told := "; ".join(_signals(subflows)):
        yield f"  signals: {told}"
    for number in sorted(subflows["number"].unique()):
        yield from _subflow(subflows[subflows["number"] == number], row)


def _ends(subflows: pd.DataFrame) -> str:
    here = subflows[(subflows["number"] == 0) & (subflows["direction"] == 0)].iloc[0]
    return f"{endpoint(here, 'source')} -> {endpoint(here, 'target')}"


def _direction(row: pd.Series) -> Iterator[str]:
    facts = [f"{_size(row['bytes'])}"]
    if pd.notna(row["goodput_mbps"]):
        facts.append(f"goodput {row['goodput_mbps']:.3f} Mbit/s")
    if pd.notna(row["completion_s"]):
        facts.append(f"complete after {row['completion_s']:.3f} s")
    if row["missing_bytes"]:
        facts.append(f"{_size(row['missing_bytes'])} never seen")
    if row["ooo_packets"]:
        facts.append(f"{many(int(row['ooo_packets']), 'packet')} out of order")
    if row["reinjected_packets"]:
        facts.append(
            f"{many(int(row['reinjected_packets']), 'packet')} reinjected "
            f"({_size(row['reinjected_bytes'])})"
        )
    if row["resent_packets"]:
        facts.append(f"{int(row['resent_packets'])} resent on the same subflow")
    if row["idle_periods"]:
        facts.append(f"idle {row['idle_s']:.3f} s")
    if pd.notna(row["mean_loss_probability"]):
        facts.append(f"mean loss {row['mean_loss_probability']:.3%}")
    yield f"  {WAYS[row['direction']]} {', '.join(facts)}"


def _signals(subflows: pd.DataFrame) -> Iterator[str]:
    """Signals that each end sent to the other, and their counts."""
    sums = subflows.groupby("direction")[list(_SIGNALS)].sum()
    for direction, counts in sums.iterrows():
        told = [f"{int(counts[c])} {name}" for c, name in _SIGNALS.items() if counts[c]]
        if told:
            yield f"{WAYS[int(str(direction))]} {', '.join(told)}"


def _subflow(directions: pd.DataFrame, connection: pd.Series) -> Iterator[str]:
    here = directions[directions["direction"] == 0].iloc[0]
    facts = [f"{endpoint(here, 'source')} -> {endpoint(here, 'target')}"]
    if here["how"] == "join" and pd.notna(here["handshake_s"]):
        began = here["syn_at_s"] - connection["first_at_s"]
        facts.append(f"joined at {began:.3f} s in {_ms(here['handshake_s'])}")
    if pd.notna(here["syn_at_s"]) and directions["packets"].min() == 0:
        facts.append("never answered")
    if here["backup"]:
        facts.append("backup")
    yield f"  subflow {int(here['number'])}: {', '.join(facts)}"
    for _, row in directions.sort_values("direction").iterrows():
        if row["payload_packets"]:
            numbers = ", ".join(_direction_of_subflow(row))
            yield f"    {WAYS[row['direction']]} {numbers}"


def _direction_of_subflow(row: pd.Series) -> Iterator[str]:
    yield f"{_size(row['data_bytes'])}"
    if pd.notna(row["share"]):
        yield f"{row['share']:.1%}"
    yield many(int(row["packets"]), "packet")
    again = int(row["retransmissions"])
    if again:
        parts = [
            f"{int(row[f'{why}_retransmissions'])} {why}"
            for why in ("fast", "timeout", "probe")
            if row[f"{why}_retransmissions"]
        ]
        share = f"{row['retransmission_ratio']:.2%}, " if again else ""
        yield f"{again} retransmitted ({share}{', '.join(parts)})"
    if row["ooo_packets"]:
        yield f"{int(row['ooo_packets'])} out of order"
    if row["reinjected_packets"]:
        yield f"{int(row['reinjected_packets'])} reinjected here"
    if row["rtt_samples"]:
        low, middle = _ms(row["rtt_min_s"]), _ms(row["rtt_p50_s"])
        yield f"RTT {low} least, {middle} median"
    if pd.notna(row["delay_p50_s"]):
        low, middle = _ms(row["delay_min_s"]), _ms(row["delay_p50_s"])
        yield f"one way {low} least, {middle} median"
    if pd.notna(row["lost_packets"]) and row["lost_packets"]:
        yield f"{int(row['lost_packets'])} lost ({row['loss_probability']:.2%})"


def _size(count: float) -> str:
    for unit, width in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= width:
            return f"{count / width:.4g} {unit}"
    return f"{int(count)} B"


def _ms(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3f} s"
    return f"{seconds * 1e3:.3f}".rstrip("0").rstrip(".") + " ms"
