"""The columns of a run's row that come from its events."""

from pathlib import Path
from typing import Any

from analysis.run import events as record_of_events
from analysis.run.events import Events


def columns(artefacts: Path) -> dict[str, Any]:
    """The columns of a run with a record of events; none if it has no such file.

    tcp_timeouts : retransmission timeouts at all hosts
    first_tcp_timeout_s, first_stale_s : time of the first timeout, and of the first
        subflow that went stale, in seconds after the start of the traffic; None if
        there was none
    reinjection_bursts : bursts of reinjections, see docs/events.md

    Raises ValueError if the file is damaged.
    """
    events = record_of_events.load(artefacts)
    if events is None:
        return {}
    return {
        "tcp_timeouts": events.count("TCPTimeouts"),
        "first_tcp_timeout_s": _first(events, "TCPTimeouts"),
        "first_stale_s": _first(events, "SubflowStale"),
        "reinjection_bursts": events.count("reinjected"),
    }


def _first(events: Events, name: str) -> float | None:
    return next((event.time_s for event in events.named(name)), None)
