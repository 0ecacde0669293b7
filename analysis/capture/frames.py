"""Tables of the core to frames of one unit a column: what to compute with.

Times are seconds; those that end in `_at_s` count from the capture's first packet.
Missing is missing (NaN or None), never zero.
"""

import ipaddress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.capture.analyse import EVENTS, NANO, Rows, Tables

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
    (64, "what did not fit into the memory that was allowed"),
    (128, "payload and mappings that waited for each other, more than are kept"),
)
CONTRADICTIONS = (
    None,
    "an end echoes another key than its peer has sent",
    "an end sends another key than before",
    "MP_FASTCLOSE has another key than its receiver's",
)
SUBTYPES = (
    "MP_CAPABLE",
    "MP_JOIN",
    "DSS",
    "ADD_ADDR",
    "REMOVE_ADDR",
    "MP_PRIO",
    "MP_FAIL",
    "MP_FASTCLOSE",
    "MP_TCPRST",
)
WHY = ("fast", "timeout", "probe")


@dataclass(frozen=True)
class Frames:
    """connections : one row per connection
    data : one row per connection and direction; direction 0 is the initiator's
    subflows : one row per subflow and direction
    series : one row per interval, subflow and direction; empty without an interval
    events : one row per event; marks : one row per event to draw
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
    """The frames of all that the core found."""
    connections, data, subflows = of_connections(tables)
    owners = np.full(int(tables.subflows["subflow"].max(initial=-1)) + 1, -1)
    owners[tables.subflows["subflow"]] = tables.subflows["connection"]
    losses = Losses.of(subflows, len(owners))
    return Frames(
        connections=connections,
        data=data,
        subflows=subflows,
        series=of_series(tables.series, tables.interval_s, owners, losses),
        events=of_events(tables.events, tables.zero_ns),
        marks=of_events(tables.marks, tables.zero_ns),
        zero_s=tables.zero_ns / NANO,
    )


def of_connections(
    rows: Tables | Rows,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The frames `connections`, `data` and `subflows` of whole connections."""
    subflows = _subflows(rows, rows.zero_ns)
    connections = _connections(rows, rows.zero_ns)
    return connections, _data(rows, rows.zero_ns, subflows, connections), subflows


@dataclass
class Losses:
    """Of each subflow and direction, both bool and of shape (subflows, 2):

    known : whether its losses are known
    in_bytes : whether they are counted in bytes
    """

    known: np.ndarray
    in_bytes: np.ndarray

    @staticmethod
    def of(subflows: pd.DataFrame, count: int) -> "Losses":
        losses = Losses(np.zeros((count, 2), bool), np.zeros((count, 2), bool))
        losses.add(subflows)
        return losses

    def add(self, subflows: pd.DataFrame) -> None:
        """Note what the frame `subflows` of some connections says."""
        count = int(subflows["subflow"].max()) + 1 if len(subflows) else 0
        if count > len(self.known):
            self.resize(2 * count)
        at = subflows["subflow"].to_numpy(), subflows["direction"].to_numpy()
        self.known[at] = subflows["lost_packets"].notna()
        self.in_bytes[at] = subflows["resegmented_packets"] > 0

    def resize(self, count: int) -> None:
        """To `count` subflows."""
        for name in ("known", "in_bytes"):
            sized = np.zeros((count, 2), bool)
            old = getattr(self, name)[:count]
            sized[: len(old)] = old
            setattr(self, name, sized)


Columns = dict[str, Any]
"""Arrays or lists by name: a frame is made of them once, which is what costs."""


def _columns(rows: np.ndarray, zero_ns: int) -> Columns:
    """Nanoseconds to seconds: times since `zero_ns`, lengths of time as they are."""
    columns: Columns = {}
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
    return columns


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """NaN where there is no whole."""
    missing = np.full(len(whole), np.nan)
    return np.asarray(np.divide(part, whole, out=missing, where=whole > 0))


def _integers(
    values: np.ndarray, known: np.ndarray
) -> pd.api.extensions.ExtensionArray:
    """Integers of which some are missing."""
    return pd.arrays.IntegerArray(values.copy(), ~known)


def _groups(*keys: np.ndarray) -> tuple[np.ndarray, int]:
    """The number of each row's group of equal keys, and how many there are."""
    if not len(keys[0]):
        return np.zeros(0, int), 0
    order = np.lexsort(keys)
    new = np.zeros(len(order), int)
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    numbers = np.empty(len(order), int)
    numbers[order] = np.cumsum(new)
    return numbers, int(new.sum()) + 1


def _sums(values: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    sums = np.zeros(count, values.dtype)
    np.add.at(sums, groups, values)
    return sums


def _connections(tables: Tables | Rows, zero_ns: int) -> pd.DataFrame:
    columns = _columns(tables.connections, zero_ns)
    columns["kind"] = [KINDS[kind] for kind in columns["kind"]]
    columns["fallback"] = [FALLBACKS[why] for why in columns["fallback"]]
    columns["unknown"] = [
        "; ".join(text for bit, text in UNKNOWN if bits & bit)
        for bits in columns["unknown"]
    ]
    known = columns.pop("keys_known")
    for bit, end in ((1, "a"), (2, "b")):
        columns[f"key_{end}"] = [
            f"{int(key):016x}" if bits & bit else None
            for key, bits in zip(columns[f"key_{end}"], known, strict=True)
        ]
        columns[f"token_{end}"] = [
            f"{token:08x}" if token >= 0 else None for token in columns[f"token_{end}"]
        ]
    columns["contradiction"] = [CONTRADICTIONS[n] for n in columns["contradiction"]]
    numbers = ("version", "checksum", "contradiction_file", "contradiction_frame")
    for name in numbers:
        columns[name] = _integers(columns[name], columns[name] >= 0)
    columns["handshake_s"] = columns["established_at_s"] - columns["syn_at_s"]
    columns["duration_s"] = columns["last_at_s"] - columns["first_at_s"]
    return pd.DataFrame(columns)


def _address(version: int, high: int, low: int) -> str:
    if version == 4:
        return str(ipaddress.IPv4Address(int(low) & 0xFFFFFFFF))
    return str(ipaddress.IPv6Address(int(high) << 64 | int(low)))


def ends(subflow: np.void) -> dict[int, tuple[str, int]]:
    """Address and port of who sends in each direction."""
    version, of_a = int(subflow["ip_version"]), int(subflow["direction_of_a"])
    tables = {}
    for end, direction in (("a", of_a), ("b", 1 - of_a)):
        high, low = subflow[f"{end}_high"], subflow[f"{end}_low"]
        tables[direction] = (_address(version, high, low), int(subflow[f"{end}_port"]))
    return tables


_OF_SUBFLOW = ("connection", "number", "point", "backup", "elsewhere_packets")
_TIMES = ("syn_at_s", "syn_ack_at_s", "established_at_s", "fourth_ack_at_s")


def _addresses(subflows: np.ndarray, end: str) -> np.ndarray:
    """The addresses of end `a` or `b` of each."""
    parts = ("ip_version", f"{end}_high", f"{end}_low")
    groups, count = _groups(*(subflows[name] for name in parts))
    names = np.empty(count, object)
    member = np.zeros(count, int)
    member[groups] = np.arange(len(groups))
    for group, at in enumerate(member):
        names[group] = _address(*(int(subflows[name][at]) for name in parts))
    return np.asarray(names[groups])


def _subflows(tables: Tables | Rows, zero_ns: int) -> pd.DataFrame:
    of_direction = _columns(tables.directions, zero_ns)
    order = np.argsort(tables.subflows["subflow"])
    sorted_numbers = tables.subflows["subflow"][order]
    row_of = order[np.searchsorted(sorted_numbers, of_direction["subflow"])]
    columns = {name: of_direction.pop(name) for name in ("subflow", "direction")}
    for name in _OF_SUBFLOW:
        columns[name] = tables.subflows[name][row_of]
    columns["how"] = np.array(HOW, object)[tables.subflows["how"][row_of]]
    sends_a = columns["direction"] == tables.subflows["direction_of_a"][row_of]
    addresses = {end: _addresses(tables.subflows, end)[row_of] for end in "ab"}
    ports = {end: tables.subflows[f"{end}_port"][row_of] for end in "ab"}
    for name, first, second in (("source", "a", "b"), ("target", "b", "a")):
        for suffix, of_end in (("", addresses), ("_port", ports)):
            chosen = np.where(sends_a, of_end[first], of_end[second])
            columns[f"{name}{suffix}"] = chosen
    times = _columns(tables.subflows, zero_ns)
    columns |= {name: times[name][row_of] for name in _TIMES}
    columns |= of_direction
    columns["rtt_mean_s"] = _over(columns.pop("rtt_sum_s"), columns["rtt_samples"])
    columns["delay_mean_s"] = _over(columns.pop("delay_sum_s"), columns["matched"])
    columns["in_flight_mean_bytes"] = _over(
        columns.pop("in_flight_sum_bytes"), columns["payload_packets"]
    )
    sent = columns["payload_packets"] - columns["retransmissions"]
    columns["retransmission_ratio"] = _over(columns["retransmissions"], sent)
    columns["handshake_s"] = columns["established_at_s"] - columns["syn_at_s"]
    lasted = columns["last_at_s"] - columns["first_at_s"]
    columns["throughput_mbps"] = _over(columns["ip_bytes"] * 8e-6, lasted)
    _losses(columns, losses_known(tables.directions, tables.subflows["point"][row_of]))
    groups, count = _groups(columns["connection"], columns["direction"])
    total = _sums(columns["data_bytes"], groups, count)[groups]
    columns["share"] = _over(columns["data_bytes"], total)
    return pd.DataFrame(columns)


def losses_known(directions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether losses between two points are known; bool, shape (n,).

    directions : `Tables.directions`, shape (n,); points : at which each was captured
    Of a direction that the second point saw first, the rows of the first say nothing.
    What the second did not see at all went by elsewhere if it was answered, and is
    lost if not. Nothing is known where `clocks_differ`.
    """
    origin, packets = directions["origin"], directions["packets"]
    silent = (directions["matched"] == 0) & (origin == 0) & (points == 0)
    groups, count = _groups(directions["subflow"])
    passed = _sums((origin != 0).astype(int), groups, count)[groups] > 0
    answers = _sums(packets, groups, count)[groups] - packets
    lost = silent & (directions["unmatched"] > 0) & (passed | (answers == 0))
    return np.asarray(((origin > 0) | lost) & ~clocks_differ(directions))


def clocks_differ(directions: np.ndarray) -> np.ndarray:
    """Packets of which one point saw both directions of a subflow before the other did,
    be it by 1 ns, as nothing can pass; bool, shape (n,).

    directions : `Tables.directions`, shape (n,)
    """
    first = (directions["origin"] > 0) & (directions["delay_min_ns"] > 0)
    groups, count = _groups(directions["subflow"])
    return np.asarray(_sums(first.astype(int), groups, count)[groups] > 1)


def _losses(columns: Columns, known: np.ndarray) -> None:
    """Of packets, or of bytes where the capture points show other packets."""
    del columns["origin"]
    columns["resegmented_packets"] = columns.pop("resegmented")
    lost_bytes = columns.pop("unmatched_bytes")
    columns["lost_packets"] = _integers(columns["unmatched"], known)
    columns["lost_bytes"] = _integers(lost_bytes, known)
    ratio = _over(columns["unmatched"], columns["matched"] + columns["unmatched"])
    cut = columns["resegmented_packets"] > 0
    ratio[cut] = _over(lost_bytes, columns["matched_bytes"] + lost_bytes)[cut]
    columns["loss_probability"] = np.where(known, ratio, np.nan)


def _data(
    tables: Tables | Rows,
    zero_ns: int,
    subflows: pd.DataFrame,
    connections: pd.DataFrame,
) -> pd.DataFrame:
    columns = _columns(tables.data, zero_ns)
    known = columns.pop("first_dsn_known")
    columns["first_dsn"] = _integers(columns["first_dsn"], known == 2)
    rows = len(tables.data)
    keys = (
        np.concatenate([tables.data[name], subflows[name].to_numpy()])
        for name in ("connection", "direction")
    )
    groups, count = _groups(*keys)
    of_data, of_subflows = groups[:rows], groups[rows:]
    for name in _SUMMED:
        sums = _sums(subflows[name].to_numpy(), of_subflows, count)
        columns[f"subflow_{name}"] = sums[of_data]
    opened = connections.set_index("connection")["syn_at_s"]
    opened_at_s = opened.reindex(columns["connection"]).to_numpy()
    columns["completion_s"] = columns["complete_at_s"] - opened_at_s
    lasted = columns["last_at_s"] - columns["first_at_s"]
    columns["goodput_mbps"] = _over(columns["bytes"] * 8e-6, lasted)
    columns["throughput_mbps"] = _over(columns["subflow_ip_bytes"] * 8e-6, lasted)
    again = columns["subflow_retransmissions"]
    first = columns["subflow_payload_packets"] - again
    columns["retransmission_ratio"] = _over(again, first)
    columns["reinjection_ratio"] = _over(columns["reinjected_packets"], first)
    mean_losses = _mean_losses(subflows, of_subflows, count)
    columns["mean_loss_probability"] = mean_losses[of_data]
    return pd.DataFrame(columns)


def _mean_losses(subflows: pd.DataFrame, groups: np.ndarray, count: int) -> np.ndarray:
    """Of each group of subflows; NaN if the loss of one that carried data is not
    known."""
    loss, share = (
        subflows[name].to_numpy(float, na_value=np.nan)
        for name in ("loss_probability", "share")
    )
    carried = np.where(share > 0, share, 0.0)
    weighted = np.where(carried > 0, loss * carried, 0.0)
    some = _sums(carried, groups, count) > 0
    return np.where(some, _sums(weighted, groups, count), np.nan)


_SUMMED = (
    "packets",
    "payload_packets",
    "payload_bytes",
    "ip_bytes",
    "retransmissions",
)


def of_series(
    rows: np.ndarray, interval_s: float, owners: np.ndarray, losses: Losses
) -> pd.DataFrame:
    """The frame `series` of settled and summed rows.

    rows : all rows of the intervals that they belong to
    owners : the connection of each subflow, shape (subflows,)
    """
    of_direction = _columns(rows, 0)
    columns = {
        "at_s": of_direction.pop("interval") * interval_s,
        "connection": owners[of_direction["subflow"]],
        **of_direction,
    }
    for name, count in (("rtt", "rtt_samples"), ("delay", "matched")):
        columns[f"{name}_mean_s"] = _over(columns.pop(f"{name}_sum_s"), columns[count])
        for edge in ("min", "max"):
            column = f"{name}_{edge}_s"
            columns[column] = np.where(columns[count] > 0, columns[column], np.nan)
    at = columns["subflow"], columns["direction"]
    lost_bytes, matched_bytes = (
        columns.pop(f"{name}_bytes") for name in ("unmatched", "matched")
    )
    loss = _over(columns["unmatched"], columns["matched"] + columns["unmatched"])
    cut = losses.in_bytes[at]
    loss[cut] = _over(lost_bytes, matched_bytes + lost_bytes)[cut]
    columns["loss_probability"] = np.where(losses.known[at], loss, np.nan)
    again = columns["retransmissions"]
    first = columns["payload_packets"] - again
    columns["retransmission_ratio"] = _over(again, first)
    together = (rows["interval"], columns["connection"], columns["direction"])
    groups, groups_count = _groups(*together)
    total = _sums(columns["data_bytes"], groups, groups_count)[groups]
    columns["share"] = _over(columns["data_bytes"], total)
    if interval_s:
        for name, column in (
            ("throughput_mbps", "ip_bytes"),
            ("goodput_mbps", "data_bytes"),
        ):
            columns[name] = columns[column] * 8e-6 / interval_s
    return pd.DataFrame(columns)


def of_events(rows: np.ndarray, zero_ns: int) -> pd.DataFrame:
    columns = _columns(rows, zero_ns)
    names = {bit: name for name, bit in EVENTS.items()}
    columns["kind"] = [names[int(kind)] for kind in columns["kind"]]
    columns = {("at_s" if n == "time_at_s" else n): c for n, c in columns.items()}
    columns["what"] = [
        _what(kind, int(other), int(value))
        for kind, other, value in zip(
            columns["kind"], columns["other"], columns["value"], strict=True
        )
    ]
    return pd.DataFrame(columns)


def _what(kind: str, other: int, value: int) -> str | None:
    if kind == "signal":
        return SUBTYPES[other]
    return WHY[value] if kind == "retransmission" else None
