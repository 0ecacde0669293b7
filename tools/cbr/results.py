"""Results of packets, or of messages over a connection, at a constant bit rate.

`analysis.run.tools` describes each function.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import files, values
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.cbr.programs import messages
from tools.cbr.record import Cbr

DELAYS = {
    "mean": "message_delay_ms",
    "p50": "message_delay_median_ms",
    "p95": "message_delay_p95_ms",
    "p99": "message_delay_p99_ms",
    "max": "message_delay_max_ms",
}
"""The columns of the delays, by their names in a report."""


@dataclass(frozen=True)
class Report:
    """The counts of both ends.

    received_bytes : payload that arrived within the time, from the first packet on
    seconds : the time in which the sender was to send, pauses included
    """

    sent_packets: int
    received_packets: int
    received_bytes: int
    seconds: float


@dataclass(frozen=True)
class Messages:
    """The counts of both ends of a connection.

    seconds : the time in which the writer was to write, pauses included
    interval_s : length of the intervals, from the time at which the first message was
        due
    intervals : bytes that arrived in each; the last one is that after the duration
    delay_ms : from when a message was due until its reader had all of it: `mean`,
        `p50`, `p95`, `p99` and `max`; empty without messages
    connected_s : time that connecting took, before the first message was due
    due_s, late_ms : of each message, when it was due after the first one, and how late
        it was; empty where the reader did not keep them
    """

    sent: int
    received: int
    seconds: float
    interval_s: float
    intervals: tuple[int, ...]
    delay_ms: Mapping[str, float]
    connected_s: float = 0.0
    due_s: tuple[float, ...] = ()
    late_ms: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.due_s) != len(self.late_ms):
            raise ValueError("as many times as delays of messages are needed")


def read(folder: Path, index: int, _entry: Traffic[Cbr]) -> Report | Messages:
    sent = files.read_object(folder / f"traffic-{index}-client.json")
    received = files.read_object(folder / f"traffic-{index}-server.json")
    try:
        if "messages" in sent:
            return Messages(
                sent=values.count(sent["messages"]),
                received=values.count(received["messages"]),
                seconds=values.time(sent["seconds"]),
                interval_s=values.time(received["interval_s"]),
                intervals=tuple(map(values.count, received["intervals"])),
                delay_ms={
                    str(name): values.real(value)
                    for name, value in received["delay_ms"].items()
                },
                connected_s=values.time(sent.get("connected_s", 0.0)),
                due_s=tuple(
                    values.whole(one) / 1e6 for one in received.get("due_us", ())
                ),
                late_ms=tuple(
                    values.whole(one) / 1e3 for one in received.get("late_us", ())
                ),
            )
        return Report(
            sent_packets=values.count(sent["packets"]),
            received_packets=values.count(received["packets"]),
            received_bytes=values.count(
                received.get("bytes_inside", received["bytes"])
            ),
            seconds=values.time(sent["seconds"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"traffic-{index}: not counts of packets ({reason})"
        ) from error


def flow(_entry: Traffic[Cbr], report: Report | Messages) -> Flow:
    """The payload that arrived within the time in which the sender was to send.

    It has no streams, so that it does not enter fairness: the rate was asked for.
    """
    if isinstance(report, Messages):
        return Flow(report.seconds, sum(report.intervals[:-1]), ())
    return Flow(report.seconds, report.received_bytes, ())


def part(
    _entry: Traffic[Cbr], report: Report | Messages, start_s: float, end_s: float
) -> Flow | None:
    """The intervals of a connection, in proportion to their time inside.

    None for datagrams: the receiver does not record when packets arrived.
    """
    if isinstance(report, Report):
        return None
    # Intervals count from when the first message was due.
    start_s, end_s = start_s - report.connected_s, end_s - report.connected_s
    seconds = count = 0.0
    for number, arrived in enumerate(report.intervals[:-1]):
        begin_s = number * report.interval_s
        stop_s = min(begin_s + report.interval_s, report.seconds)
        inside_s = max(0.0, min(stop_s, end_s) - max(begin_s, start_s))
        seconds += inside_s
        count += arrived * inside_s / (stop_s - begin_s)
    return Flow(seconds, count, ()) if seconds > 0 else None


def columns(_entry: Traffic[Cbr], report: Report | Messages) -> Mapping[str, Any]:
    """The number of sent packets, and the share of them that was lost, 0-1.

    Of a connection, the number of messages, and how late they were.
    """
    if isinstance(report, Messages):
        return {
            "messages": report.received,
            **{column: report.delay_ms.get(name) for name, column in DELAYS.items()},
        }
    lost = report.sent_packets - report.received_packets
    return {
        "packets": report.sent_packets,
        "packet_loss_ratio": lost / max(report.sent_packets, 1),
    }


def part_columns(
    _entry: Traffic[Cbr], report: Report | Messages, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The delays of the messages that were due in a part of the time."""
    if isinstance(report, Report):
        return {}
    zero_s = report.connected_s
    pairs = zip(report.due_s, report.late_ms, strict=True)
    late_ms = sorted(ms for due_s, ms in pairs if start_s <= zero_s + due_s < end_s)
    delay_ms = messages.summary(late_ms)
    return {
        "messages": len(late_ms) if report.due_s else None,
        **{column: delay_ms.get(name) for name, column in DELAYS.items()},
    }


def wrong(_entry: Traffic[Cbr], report: Report | Messages) -> Iterator[str]:
    """Check that packets were sent, and that some arrived; all of a connection's."""
    if isinstance(report, Messages):
        if not report.sent:
            yield "nothing was sent"
        elif report.received != report.sent:
            yield f"{many(report.received, 'message')} received of {report.sent}"
        return
    if not report.sent_packets:
        yield "nothing was sent"
    elif not report.received_packets:
        yield "nothing was received"


def lasted(_entry: Traffic[Cbr], report: Report | Messages) -> Lasted:
    """The connection, for as long as its writer writes; UDP has none."""
    return Lasted(int(isinstance(report, Messages)), report.seconds)


def allowed(_entry: Traffic[Cbr]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
