"""Tables of the core to frames of one unit a column: what to compute with.

Times are seconds; those that end in `_at_s` count from the capture's first packet.
Missing is missing (NaN or None), never zero.
"""

import ipaddress
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.capture.analyse import EVENTS, NANO, Tables

KINDS = ("tcp", "mptcp", "fallback")
FALLBACKS = (None, "handshake", "no DSS", "infinite mapping", "MP_FAIL")
HOW = ("plain", "capable", "join", "unseen")
UNKNOWN = (
    (1, "the capture begins after the handshake"),
    (2, "the initiator's key"),
    (4, "the responder's key"),
    (8, "the first subflow: its token explains no handshake that was captured"),
    (16, "options: packets are cut within their TCP header"),
    (32, "data whose mapping was not captured"),
    (64, "what the memory allowed had no room for"),
)
SUBTYPES = (
    *("MP_CAPABLE", "MP_JOIN", "DSS", "ADD_ADDR", "REMOVE_ADDR", "MP_PRIO"),
    *("MP_FAIL", "MP_FASTCLOSE", "MP_TCPRST"),
)
WHY = ("fast", "timeout", "probe")


@dataclass(frozen=True)
class Frames:
    """connections : one row a connection
    data : one a connection and direction; direction 0 is the initiator's
    subflows : one a subflow and direction
    series : one an interval, subflow and direction; empty if none was asked for
    events : one an event; marks : one an event to draw
    zero_s : when the capture begins, s since 1970
    """

    connections: pd.DataFrame
    data: pd.DataFrame
    subflows: pd.DataFrame
    series: pd.DataFrame
    events: pd.DataFrame
    marks: pd.DataFrame
    zero_s: float

    def all(self) -> dict[str, pd.DataFrame]:
        return {
            name: getattr(self, name)
            for name in ("connections", "data", "subflows", "series", "events")
        }


def frames(tables: Tables) -> Frames:
    """The frames of what the core saw."""
    began = tables.inputs["first_ns"]
    zero_ns = int(began[began >= 0].min()) if (began >= 0).any() else 0
    subflows = _subflows(tables, zero_ns)
    connections = _connections(tables, zero_ns)
    return Frames(
        connections=connections,
        data=_data(tables, zero_ns, subflows, connections),
        subflows=subflows,
        series=_series(tables, zero_ns, subflows),
        events=_events(tables.events, zero_ns),
        marks=_events(tables.marks, zero_ns),
        zero_s=zero_ns / NANO,
    )


def _frame(rows: np.ndarray, zero_ns: int) -> pd.DataFrame:
    """Nanoseconds to seconds: times since `zero_ns`, lengths of time as they are."""
    columns = {}
    for name in rows.dtype.names or ():
        values = rows[name]
        if not name.endswith("_ns"):
            columns[name] = values
            continue
        known = values >= 0
        lasting = name.startswith(("rtt_", "delay_", "idle_"))
        offset = 0 if lasting else zero_ns
        seconds = np.where(known, (values - offset) / NANO, np.nan)
        stem = name.removesuffix("_ns")
        columns[f"{stem}_s" if lasting else f"{stem}_at_s"] = seconds
    return pd.DataFrame(columns)


def _connections(tables: Tables, zero_ns: int) -> pd.DataFrame:
    frame = _frame(tables.connections, zero_ns)
    frame["kind"] = [KINDS[kind] for kind in frame["kind"]]
    frame["fallback"] = [FALLBACKS[why] for why in frame["fallback"]]
    frame["unknown"] = [
        "; ".join(text for bit, text in UNKNOWN if bits & bit)
        for bits in frame["unknown"]
    ]
    known = frame.pop("keys_known").astype(int)
    for bit, end in ((1, "a"), (2, "b")):
        keys = frame[f"key_{end}"]
        frame[f"key_{end}"] = [
            f"{int(key):016x}" if bits & bit else None
            for key, bits in zip(keys, known, strict=True)
        ]
        frame[f"token_{end}"] = [
            f"{token:08x}" if token >= 0 else None for token in frame[f"token_{end}"]
        ]
    for name in ("version", "checksum"):
        frame[name] = frame[name].where(frame[name] >= 0).astype("Int64")
    frame["handshake_s"] = frame["established_at_s"] - frame["syn_at_s"]
    frame["duration_s"] = frame["last_at_s"] - frame["first_at_s"]
    return frame


def _address(version: int, high: int, low: int) -> str:
    if version == 4:
        return str(ipaddress.IPv4Address(int(low) & 0xFFFFFFFF))
    return str(ipaddress.IPv6Address(int(high) << 64 | int(low)))


def ends(subflow: np.void) -> dict[int, tuple[str, int]]:
    """Address and port of who sends in each direction."""
    version, of_a = int(subflow["ip_version"]), int(subflow["direction_of_a"])
    found = {}
    for end, direction in (("a", of_a), ("b", 1 - of_a)):
        high, low = subflow[f"{end}_high"], subflow[f"{end}_low"]
        found[direction] = (_address(version, high, low), int(subflow[f"{end}_port"]))
    return found


_OF_SUBFLOW = ("connection", "number", "point", "backup", "elsewhere_packets")


def _subflows(tables: Tables, zero_ns: int) -> pd.DataFrame:
    by_index = {int(s["subflow"]): s for s in tables.subflows}
    sides = {index: ends(s) for index, s in by_index.items()}
    times = _frame(tables.subflows, zero_ns).set_index("subflow")
    frame = _frame(tables.halves, zero_ns)
    mine = [by_index[index] for index in frame["subflow"]]
    head = pd.DataFrame({name: [int(s[name]) for s in mine] for name in _OF_SUBFLOW})
    head["how"] = [HOW[int(s["how"])] for s in mine]
    pairs = list(zip(frame["subflow"], frame["direction"], strict=True))
    for name, other in (("source", 0), ("target", 1)):
        found = [sides[s][d if not other else 1 - d] for s, d in pairs]
        head[name] = [address for address, _ in found]
        head[f"{name}_port"] = [port for _, port in found]
    for name in ("syn_at_s", "syn_ack_at_s", "established_at_s", "fourth_ack_at_s"):
        head[name] = times.loc[frame["subflow"], name].to_numpy()
    frame = pd.concat([frame.iloc[:, :2], head, frame.iloc[:, 2:]], axis=1)
    frame["rtt_mean_s"] = _over(frame.pop("rtt_sum_s"), frame["rtt_samples"])
    frame["delay_mean_s"] = _over(frame.pop("delay_sum_s"), frame["matched"])
    frame["in_flight_mean_bytes"] = _over(
        frame.pop("in_flight_sum_bytes"), frame["payload_packets"]
    )
    sent = frame["payload_packets"] - frame["retransmissions"]
    frame["retransmission_ratio"] = _over(frame["retransmissions"], sent)
    frame["handshake_s"] = frame["established_at_s"] - frame["syn_at_s"]
    lasted = frame["last_at_s"] - frame["first_at_s"]
    frame["throughput_mbps"] = _over(frame["ip_bytes"] * 8e-6, lasted)
    crossing = frame["origin"] > 0
    decided = frame["matched"] + frame["unmatched"]
    silent = (frame["matched"] == 0) & (frame["origin"] == 0)
    counted = crossing | (silent & (frame["unmatched"] > 0) & (frame["point"] == 0))
    lost = frame["unmatched"].where(counted)
    frame["lost_packets"] = lost.astype("Int64")
    frame["loss_probability"] = _over(lost, decided)
    total = frame.groupby(["connection", "direction"])["data_bytes"].transform("sum")
    frame["share"] = _over(frame["data_bytes"], total)
    return frame.drop(columns=["origin"])


def _over(part: pd.Series, whole: pd.Series) -> pd.Series:
    return part.astype(float) / whole.astype(float).where(whole > 0)


def _data(
    tables: Tables, zero_ns: int, subflows: pd.DataFrame, connections: pd.DataFrame
) -> pd.DataFrame:
    frame = _frame(tables.data, zero_ns)
    known = frame.pop("first_dsn_known")
    numbers = frame["first_dsn"].astype("UInt64")
    frame["first_dsn"] = numbers.where(known == 2)
    key = ["connection", "direction"]
    groups = subflows.groupby(key)
    sums = groups[
        ["packets", "payload_packets", "payload_bytes", "ip_bytes", "retransmissions"]
    ].sum()
    sums.columns = [f"subflow_{name}" for name in sums.columns]
    frame = frame.merge(sums, left_on=key, right_index=True, how="left")
    opened = connections.set_index("connection")["syn_at_s"]
    frame["completion_s"] = frame["complete_at_s"] - frame["connection"].map(opened)
    lasted = frame["last_at_s"] - frame["first_at_s"]
    frame["goodput_mbps"] = _over(frame["bytes"] * 8e-6, lasted)
    frame["throughput_mbps"] = _over(frame["subflow_ip_bytes"] * 8e-6, lasted)
    first = frame["subflow_payload_packets"] - frame["subflow_retransmissions"]
    frame["retransmission_ratio"] = _over(frame["subflow_retransmissions"], first)
    frame["reinjection_ratio"] = _over(frame["reinjected_packets"], first)
    weighted = subflows.assign(
        weight=subflows["loss_probability"] * subflows["share"]
    ).groupby(key)["weight"]
    mean = weighted.sum(min_count=1).rename("mean_loss_probability")
    return frame.merge(mean, left_on=key, right_index=True, how="left")


def _series(tables: Tables, zero_ns: int, subflows: pd.DataFrame) -> pd.DataFrame:
    frame = _frame(tables.series, zero_ns)
    interval_s = tables.interval_s
    frame.insert(0, "at_s", frame.pop("interval") * interval_s)
    connection = subflows.drop_duplicates("subflow").set_index("subflow")["connection"]
    frame.insert(1, "connection", frame["subflow"].map(connection))
    for name, count in (("rtt", "rtt_samples"), ("delay", "matched")):
        mean = _over(frame.pop(f"{name}_sum_s"), frame[count])
        frame[f"{name}_mean_s"] = mean
        for edge in ("min", "max"):
            column = f"{name}_{edge}_s"
            frame[column] = frame[column].where(frame[count] > 0)
    decided = frame["matched"] + frame["unmatched"]
    frame["loss_probability"] = _over(frame["unmatched"], decided)
    together = frame.groupby(["at_s", "connection", "direction"])["data_bytes"]
    frame["share"] = _over(frame["data_bytes"], together.transform("sum"))
    if interval_s:
        for name, column in (
            ("throughput_mbps", "frame_bytes"),
            ("goodput_mbps", "data_bytes"),
        ):
            frame[name] = frame[column] * 8e-6 / interval_s
    return frame


def _events(rows: np.ndarray, zero_ns: int) -> pd.DataFrame:
    frame = _frame(rows, zero_ns)
    names = {bit: name for name, bit in EVENTS.items()}
    frame["kind"] = [names[int(kind)] for kind in frame["kind"]]
    frame = frame.rename(columns={"time_at_s": "at_s"})
    frame["what"] = [
        _what(kind, int(other), int(value))
        for kind, other, value in zip(
            frame["kind"], frame["other"], frame["value"], strict=True
        )
    ]
    return frame


def _what(kind: str, other: int, value: int) -> str | None:
    if kind == "signal":
        return SUBTYPES[other]
    return WHY[value] if kind == "retransmission" else None
