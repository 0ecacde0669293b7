"""A multipath flow over the TCP beside it, in packets: 1 is a fair share.

A packet of MPTCP has 1428 bytes of payload, and one of TCP has 1448.
"""

import json

NUMBERS = {"ratio": "1"}
PAYLOAD_BYTES = {"multi": 1428, "single": 1448}


def read(folder, job):
    packets = {}
    for index, entry in enumerate(job["traffic"]):
        report = json.loads((folder / f"traffic-{index}-server.json").read_text())
        received = report["end"]["sum_received"]["bytes"]
        packets[entry["from"]] = received / PAYLOAD_BYTES[entry["from"]]
    return {"ratio": packets["multi"] / packets["single"]}
