"""Packets with data that the receiver of iperf3 could not store, by its counters.

`RcvPruned` of MPTCP counts data above the connection's buffer, and the counters of TCP
those of its queues.
"""

import json

NUMBERS = {"packets": "1"}
COUNTERS = (
    "MPTcpExtRcvPruned",
    "TcpExtTCPRcvQDrop",
    "TcpExtTCPOFODrop",
    "TcpExtTCPZeroWindowDrop",
    "TcpExtRcvPruned",
    "TcpExtOfoPruned",
)


def read(folder, job):
    host = job["traffic"][0]["to"]
    counters = json.loads((folder / f"nstat-{host}.json").read_text())
    return {"packets": sum(counters["kernel"][name] for name in COUNTERS)}
