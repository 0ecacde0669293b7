"""Results of packets at a constant bit rate. `analysis.run.tools` describes each
function."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.job import Traffic
from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted


@dataclass(frozen=True)
class Report:
    """The counts of both ends.

    received_bytes : payload
    seconds : the time in which the sender was to send, pauses included
    """

    sent_packets: int
    received_packets: int
    received_bytes: int
    seconds: float


def read(folder: Path, index: int) -> Report:
    sent = files.read_object(folder / f"traffic-{index}-client.json")
    received = files.read_object(folder / f"traffic-{index}-server.json")
    try:
        return Report(
            sent_packets=int(sent["packets"]),
            received_packets=int(received["packets"]),
            received_bytes=int(received["bytes"]),
            seconds=float(sent["seconds"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"traffic-{index}: not counts of packets ({reason})"
        ) from error


def flow(_entry: Traffic, report: Report) -> Flow:
    """All received payload. It has no streams, so that it does not enter fairness."""
    return Flow(report.seconds, report.received_bytes, ())


def part(
    _entry: Traffic, _report: Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: the receiver does not record when packets arrived."""
    return None


def columns(_entry: Traffic, report: Report) -> Mapping[str, Any]:
    """The number of sent packets, and the share of them that was lost, 0-1."""
    lost = report.sent_packets - report.received_packets
    return {
        "packets": report.sent_packets,
        "packet_loss_ratio": lost / max(report.sent_packets, 1),
    }


def wrong(_entry: Traffic, report: Report) -> Iterator[str]:
    """Check that packets were sent, and that some arrived."""
    if not report.sent_packets:
        yield "nothing was sent"
    elif not report.received_packets:
        yield "nothing was received"


def lasted(_entry: Traffic, report: Report) -> Lasted:
    """UDP has no connections."""
    return Lasted(0, report.seconds)


def allowed(_entry: Traffic) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
