"""Which transfers are checked byte for byte, and the guests that make them.

`validation/data_integrity.py` makes all of them, `test_integrity.py` some.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mpbench.backends.base import Bounds
from mpbench.spec.vocabulary import CONGESTION_CONTROLS
from tests.virtual.lab import lab_with, script

SIZE = 1_500_000
BOUNDS = Bounds(virtual_s=20_000.0, wall_s=280.0, silence_s=120.0)
V091 = (
    "lowrtt_rule",
    "lia_rule",
    "balia_rule",
    "wvegas_rule",
    "coupled_count_acks",
    "slow_start_at_ssthresh",
)
"""Differences of MPTCP v0.91 in Linux 4.1."""
SCHEDULERS: dict[str, dict[str, Any]] = {
    "default": {"scheduler": "default"},
    "lowrtt": {"scheduler": "lowrtt"},
    "reinject": {"scheduler": "lowrtt", "lowrtt_reinject": 1},
    "penalise": {"scheduler": "lowrtt", "lowrtt_reinject": 1, "lowrtt_penalise": 1},
    "mptcp-0.91": {
        "scheduler": "lowrtt",
        "lowrtt_reinject": 1,
        "lowrtt_penalise": 1,
        **dict.fromkeys(V091, 1),
    },
    "paced": {"scheduler": "paced"},
    "redundant": {"scheduler": "redundant"},
    "roundrobin": {"scheduler": "roundrobin"},
    "blest": {"scheduler": "blest"},
    "ecf": {"scheduler": "ecf"},
    "weighted": {"scheduler": "weighted", "weighted_weight2": 3},
    "strict": {"scheduler": "weighted", "weighted_strict": 1},
    "daps": {"scheduler": "daps"},
    "otias": {"scheduler": "otias"},
    "stms": {"scheduler": "stms"},
    "tail": {"scheduler": "ecf", "scheduler_tail": 1},
}
"""Sysctls below net.mptcp."""
OFF = {
    **dict.fromkeys(("lowrtt_reinject", "lowrtt_penalise", *V091), 0),
    **{"weighted_weight2": 1, "weighted_strict": 0, "scheduler_tail": 0},
}
DIRECTIONS = ("up", "down", "both")
WAYS = ("send", "mmap", "sendfile")
FAULTS = {
    "blackout": [
        [0.4, "dark", 2],
        [0.4, "dark", 3],
        [9.0, "light", 2],
        [9.0, "light", 3],
    ],
    "first path dark": [
        [0.5, "dark", 1],
        [0.5, "dark", 2],
        [9.0, "light", 1],
        [9.0, "light", 2],
    ],
    "subflow closed": [
        [0.3, "dark", 3],
        [0.7, "remove", 3],
        [1.1, "remove", 2],
        [1.6, "add", 2],
        [1.8, "light", 3],
        [2.0, "add", 3],
    ],
}
"""Events of tests/virtual/integrity.py: the second after the start, what, path."""
COMPARE = script(
    f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "
    "from tests.virtual.integrity import main; sys.exit(main())"
)
BUFFER = "4096 65536 131072"
"""Bytes of receive buffer: so few that the receive window fills."""


def transfer(
    controller: str, scheduler: str, fault: str, direction: str, way: str
) -> dict[str, Any]:
    """Transfer that tests/virtual/integrity.py reads."""
    mptcp = {**OFF, **SCHEDULERS[scheduler], "checksum_enabled": 1}
    return {
        "name": f"{controller}, {scheduler}, {fault}, {direction}, {way}",
        "controller": controller,
        "direction": direction,
        "way": way,
        "size": SIZE if direction != "both" else SIZE // 2,
        "events": FAULTS[fault],
        "sysctls": {
            **{f"net.mptcp.{name}": value for name, value in mptcp.items()},
            "net.ipv4.tcp_rmem": BUFFER,
        },
    }


def matrix() -> Iterator[dict[str, Any]]:
    """Every controller under every scheduler with every fault. Directions and ways of
    sending take turns, so that each meets every scheduler."""
    turns = itertools.cycle(itertools.product(DIRECTIONS, WAYS))
    for controller in CONGESTION_CONTROLS:
        for fault in FAULTS:
            for scheduler, turn in zip(SCHEDULERS, turns, strict=False):
                yield transfer(controller, scheduler, fault, *turn)


def run(
    folder: Path, transfers: Sequence[dict[str, Any]], seed: int = 1, cpu: int = 0
) -> dict[str, Any]:
    """Make transfers in one guest, in order.

    Returns what the guest wrote, or raises RuntimeError with the guest's own reason.
    """
    lab = lab_with(folder, COMPARE)
    job = {"seed": seed, "transfers": list(transfers)}
    ended, artefacts = lab.execute(job, BOUNDS, cpu)
    result = artefacts / "integrity.json"
    if ended.status != "finished" or not result.exists():
        console = (artefacts / "console.log").read_text(errors="replace")
        raise RuntimeError(f"{ended.reason}\n{console[-3000:]}")
    seen: dict[str, Any] = json.loads(result.read_text())
    seen["cpu_s"] = ended.cpu_s
    return seen


def failures(seen: dict[str, Any]) -> list[str]:
    """A line per transfer that failed, and per message of the kernel."""
    lines = [
        f"{record['name']}: {record['error']}"
        for record in seen["transfers"]
        if record["error"]
    ]
    return lines + [f"kernel: {line}" for line in seen["log"]]
