"""A multipath flow beside the better of two TCPs, and beside half of the larger link.

The numbers of Wischik et al. 2011, Fig. 16: M over the larger of S1 and S2, and M over
what it would get if it shared the larger link with that link's TCP alone.
"""

import json

NUMBERS = {"ratio": "1", "improvement": "1"}
PAYLOAD_SHARE = 1448 / 1514


def read(folder, job):
    rates = {}
    for index, entry in enumerate(job["traffic"]):
        report = json.loads((folder / f"traffic-{index}-server.json").read_text())
        received = report["end"]["sum_received"]
        rates[entry["from"]] = received["bits_per_second"] / 1e6
    largest_mbps = max(link["capacity_mbps"] for link in job["links"])
    alone_mbps = largest_mbps / 2 * PAYLOAD_SHARE
    return {
        "ratio": rates["multi"] / max(rates["single1"], rates["single2"]),
        "improvement": rates["multi"] / alone_mbps,
    }
