"""Runs of `stream_probe`: what a link did to a stream of datagrams."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from .lab import job_of, lab_with, script

RENO = {"protocol": "tcp", "congestion_control": "reno"}
BULK = {"tool": "iperf3", "from": "u", "to": "server_u", "duration": "1 s"}
PROBE = script(
    "from tests.virtual.stream_probe import main; import sys; sys.exit(main())"
)
PAYLOAD_BYTES = 1472

Arrived = list[tuple[int, float]]


def stream(
    folder: Path,
    link: dict[str, Any],
    *,
    packets: int,
    rate_mbps: float,
    payload_bytes: int = PAYLOAD_BYTES,
    on_fabric: bool | Mapping[str, str | int] = False,
    link_seeds: bool = False,
) -> Arrived:
    """The numbers and one-way delays (ms) of the datagrams that passed a link."""
    folder.mkdir(exist_ok=True)
    network = {"links": {"only": {"jitter": "0 ms", **link}}, "users": {"u": "only"}}
    job = job_of(
        folder,
        network=network,
        fabric=on_fabric,
        link_seeds=link_seeds,
        cases={"reno": RENO},
        traffic=[BULK],
    )
    asked = {"packets": packets, "rate_mbps": rate_mbps, "payload_bytes": payload_bytes}
    ended, artefacts = lab_with(folder, PROBE).execute({**job, **asked})
    assert ended.status == "finished", ended.reason
    return [(n, d) for n, d in json.loads((artefacts / "probe.json").read_text())]


def loss_share(arrived: Arrived, first: int, last: int) -> float:
    """The share of the datagrams from `first` up to `last` that did not arrive."""
    came = sum(first <= number < last for number, _ in set(arrived))
    return 1 - came / (last - first)


def mean_delay_ms(arrived: Arrived, first: int) -> float:
    return fmean(delay for number, delay in arrived if number >= first)


def share_error(share: float, packets: int, memory: float = 0.0) -> float:
    """Standard error of the share of packets that an impairment strikes.

    memory : correlation of neighbouring packets, 0 for independent draws. A chain with
        two states, entered with probability p and left with r, has 1 - p - r.
    """
    return math.sqrt(share * (1 - share) / packets * (1 + memory) / (1 - memory))


def bursts(arrived: Arrived, packets: int) -> list[int]:
    """The lengths of all runs of lost datagrams."""
    came = {number for number, _ in arrived}
    lengths, length = [], 0
    for number in range(packets):
        if number in came:
            lengths += [length] if length else []
            length = 0
        else:
            length += 1
    return lengths
