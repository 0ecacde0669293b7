"""How long a run lasts in virtual time: as expected, and at most."""

from collections.abc import Mapping, Sequence
from typing import Any

Values = Mapping[str, float | int | None]
Entry = Mapping[str, Any]

PACKET_BITS = 8 * 1514  # a full packet with its Ethernet header
SLACK_S = 30.0  # set-up, handshakes with a few lost SYNs, and tidying away
SLACK_ROUND_TRIPS = 10
ROUND_TRIPS_PER_REQUEST = 3  # to connect, to be answered, to part
WORST_SHARE = 0.05  # of the slowest path, that a sized transfer still gets


def _named(values: Values, quantity: str) -> list[float]:
    """The values of all parameters of that quantity, such as `delay_ms`."""
    return [float(v or 0) for k, v in values.items() if k.endswith(f".{quantity}")]


def round_trip_s(values: Values) -> float:
    """A bound on the round-trip time: all delays and full queues, end to end."""
    ms = 2 * sum(_named(values, "delay_ms")) + 2 * sum(_named(values, "jitter_ms"))
    ms += sum(_named(values, "queueing_delay_ms"))
    for key, packets in values.items():
        prefix, _, quantity = key.rpartition(".")
        capacity = values.get(f"{prefix}.capacity_mbps")
        if quantity == "queue_packets" and packets and capacity:
            ms += packets * PACKET_BITS / capacity / 1e3
    return ms / 1e3


def capacity_mbps(values: Values, transport: Mapping[str, Any]) -> float:
    """What a run's transport can use: its path's capacity, or the sum of all."""
    path = transport.get("path")
    if path is not None and f"path{path}.capacity_mbps" in values:
        return float(values[f"path{path}.capacity_mbps"] or 0)
    return sum(_named(values, "capacity_mbps"))


def traffic_end_s(values: Values, transport: Mapping[str, Any], entry: Entry) -> float:
    """When an entry's traffic ends if it gets all the capacity there is."""
    return float(entry["start_s"] + _lasts_s(values, transport, entry))


def _lasts_s(values: Values, transport: Mapping[str, Any], entry: Entry) -> float:
    if entry["duration_s"] is not None:
        return float(entry["duration_s"])
    if entry["tool"] == "ab":
        return float(entry["requests"] * request_s(values, transport, entry))
    rate = max(capacity_mbps(values, transport), 1e-6) * 1e6
    lasts_s = 8 * entry["bytes"] / rate + round_trip_s(values)
    return min(lasts_s, entry.get("timeout_s") or lasts_s)


def request_s(values: Values, transport: Mapping[str, Any], entry: Entry) -> float:
    """Time of ab for each request, several at a time, without slow start or queues."""
    rate = max(capacity_mbps(values, transport), 1e-6) * 1e6
    trip_s = 2 * max(_named(values, "delay_ms"), default=0.0) / 1e3
    turns = ROUND_TRIPS_PER_REQUEST / entry["concurrency"]
    return float(8 * entry["bytes"] / rate + turns * trip_s)


def time_limit_s(
    values: Values, transport: Mapping[str, Any], entries: Sequence[Entry]
) -> float:
    """Virtual time after which a run hangs for sure, in whole seconds.

    The end of the last traffic, and on top of it 30 s and ten round trips with
    full queues. Sized traffic is granted a rate of 5 % of the slowest path,
    shared by all entries.
    """
    slowest = min(_named(values, "capacity_mbps"), default=0.0)
    rate = max(slowest, 1e-6) * 1e6 * WORST_SHARE / len(entries)
    ends = [entry["start_s"] + _at_most_s(values, entry, rate) for entry in entries]
    slack = SLACK_S + SLACK_ROUND_TRIPS * round_trip_s(values)
    return float(int(max(ends) + slack) + 1)


def _at_most_s(values: Values, entry: Entry, rate: float) -> float:
    """How long an entry lasts at so many bit/s."""
    duration_s = entry["duration_s"]
    if entry["tool"] == "ab":
        if duration_s is not None:  # and the last answers, which ab awaits
            return float(duration_s + 8 * entry["bytes"] * entry["concurrency"] / rate)
        trips_s = ROUND_TRIPS_PER_REQUEST * round_trip_s(values)
        return float(entry["requests"] * (8 * entry["bytes"] / rate + trips_s))
    if duration_s is not None:
        return float(duration_s)
    if entry.get("timeout_s") is not None:
        return float(entry["timeout_s"])
    return float(8 * entry["bytes"] / rate)
