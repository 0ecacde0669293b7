"""The time of a subflow, by what kept data back in it."""

from analysis.run.explain.subflows import Subflow

LIMITS = (
    "limited_by_window",
    "limited_by_buffer",
    "limited_by_network",
    "limited_by_application",
)
"""The parts of the time, by their columns (`analysis.run.waiting`)."""
Shares = tuple[float, float, float, float]


def shares(subflow: Subflow, host: str, mptcp: bool) -> tuple[int, Shares] | None:
    """The acknowledged bytes of a subflow, and the shares of its time at one end.

    MPTCP gives a subflow no more data than its congestion window takes. So nothing is
    left to send while data are on their way, which TCP counts for a full send buffer;
    for a subflow of MPTCP, that time belongs to the network.

    The shares are those of LIMITS, and their sum is 1. None if the end's last state is
    not known or lacks its times, as in a fake run, or if it lasted for no time.
    """
    own = [event for event in subflow.both if event.host == host]
    last = subflow.last(host)
    if last is None or not last.count("acked") or not last.get("busy_ms"):
        return None
    lasted_ms = 1e3 * (last.time_s - own[0].time_s)
    if lasted_ms <= 0:
        return None
    window = last.count("rwnd_ms") / lasted_ms
    buffer = 0.0 if mptcp else last.count("sndbuf_ms") / lasted_ms
    busy = min(1.0, last.count("busy_ms") / lasted_ms)
    network = max(0.0, busy - window - buffer)
    idle = max(0.0, 1 - window - buffer - network)
    return last.count("acked"), (window, buffer, network, idle)
