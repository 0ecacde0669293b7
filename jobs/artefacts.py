"""The heads of the tables that a guest leaves, one name per column.

The guest and the fake backend write these tables, and the analysis reads them.
"""

CHANGES = ("time_s", "at_s", "link", "direction", "quantity", "value")
"""`changes.csv`: when a change was made, and when it was due, seconds."""
TRACE = (
    "time_s",
    "host",
    "path",
    "local",
    "remote",
    "token",
    "local_id",
    "remote_id",
    "cwnd",
    "ssthresh",
    "srtt_us",
    "retransmissions",
    "bytes_acked",
)
"""`trace.csv`: one row per connection or subflow and sample."""
EVENTS = (
    "time_s",
    "host",
    "connection",
    "port",
    "subflow",
    "local",
    "remote",
    "event",
    "value",
)
"""`events.csv`: one row per event of a connection, written by the guest's kernel."""
MIDDLEBOXES = ("time_s", "at_s", "box", "link", "kind", "state")
"""`middleboxes.csv`: when a middlebox was switched on or off, and when that was due,
seconds; its number in the job, from 0."""
HOST_CHANGES = ("time_s", "at_s", "host", "link", "state")
"""`host-changes.csv`: when a host changed, and when that was due, seconds; what it has
from then on, or what became of a command to a path manager in user space."""
NO_CONNECTION, REFUSED = "no connection", "refused: "
"""Parts of such a state."""
UNINVITED = "uninvited"
"""The chain of a firewall's rules about connections that come from the servers' side,
in `middlebox-end.json`."""
