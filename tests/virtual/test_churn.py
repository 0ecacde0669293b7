"""Subflows that come and go leave nothing behind, and nothing in the kernel's log."""

import json
from pathlib import Path

from mpbench.backends.base import Bounds

from .lab import lab_with, make_job, script

CHURN = script("import sys; from tests.virtual.churn import main; sys.exit(main())")
COUPLED = (
    "balia",
    "cmpbbr",
    "coupled",
    "dlia",
    "ewtcp",
    "lia",
    "lia_rfc6356",
    "mpcc",
    "olia",
    "semicoupled",
    "wvegas",
)
PARAMETERS = {
    "path1.capacity": "6 Mbit/s",
    "path2.capacity": "4 Mbit/s",
    "path2.delay": "25 ms",
    "path1.loss": "0.5 %",
}
CONNECTIONS = 30


def test_slots_return_to_zero(tmp_path: Path) -> None:
    job = make_job(tmp_path, parameters=PARAMETERS)
    job["churn"] = {
        **{"controllers": [*COUPLED, "reno"], "connections": CONNECTIONS},
        "seconds": 8,
    }
    bounds = Bounds(virtual_s=400.0, wall_s=300.0, silence_s=120.0)
    ended, artefacts = lab_with(tmp_path / "lab", CHURN).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    seen = json.loads((artefacts / "churn.json").read_text())
    assert set(seen["controllers"]) == set(COUPLED)
    assert seen["most_subflows"] > CONNECTIONS
    assert seen["opened"] > 2 * CONNECTIONS and seen["reset"] and seen["changed"]
    assert (seen["connections"], seen["subflows"], seen["refused"]) == (0, 0, 0), seen
    assert seen["log"] == []
