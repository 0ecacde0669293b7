"""Spread of congestion over links: losses of all links and directions of the fabric.

`spread` is the standard deviation over them, and `largest` the largest. Each loss is
the part of the packets that reached a link and were dropped there. Links that no packet
reached are left out.
"""

import json
from statistics import fmean, pstdev

NUMBERS = {"mean": "%", "spread": "%", "largest": "%"}


def read(folder, job):
    losses = []
    for queues in json.loads((folder / "qdisc-end.json").read_text()).values():
        for queue in queues:
            arrived = queue["packets"] + queue["drops"]
            if arrived:
                losses.append(100 * queue["drops"] / arrived)
    return {"mean": fmean(losses), "spread": pstdev(losses), "largest": max(losses)}
