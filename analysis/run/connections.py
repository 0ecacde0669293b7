"""Many connections of one traffic entry, each with its times."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """One connection. Times are in seconds after the beginning of the traffic; None
    for what did not happen.

    number : its line in the run's list, from 0
    user : number of its user at the host, from 1
    source, destination : the hosts that open and accept it
    size : bytes to send; None for one that sends for a given time
    start_s : when it was to open
    opened_s : when it opened
    connected_s : when the connection was established, at the host that opened it
    first_byte_s, completed_s : when the receiver read the first byte, and the end
    ended_s : when it was closed at both ends, complete or not
    received_bytes : what the receiver read
    subflows : at its end; 0 for an MPTCP connection that fell back to TCP, or for one
        that was never established
    error : "" for none, `timeout`, or the name of an error number
    """

    number: int
    user: int
    source: str
    destination: str
    size: int | None
    start_s: float
    opened_s: float | None
    connected_s: float | None
    first_byte_s: float | None
    completed_s: float | None
    ended_s: float
    received_bytes: int
    subflows: int
    error: str


@dataclass(frozen=True)
class Report:
    """The flows of one traffic entry.

    protocol, controller : as the program set them on each socket
    intervals : (number of the flow, number of the interval from 0, bytes)
    interval_s : length of the intervals
    """

    protocol: str
    controller: str
    flows: tuple[Flow, ...]
    intervals: tuple[tuple[int, int, int], ...]
    interval_s: float = 1.0
