"""Windows on two paths of fixed random loss, against balance equations.

More controllers, networks and time: benchmarks/controller_shares.py.
"""

import json
from pathlib import Path

import pytest

from mpbench.backends.base import Bounds

from .lab import lab_with, make_job, script

SHARES = script("import sys; from tests.virtual.shares import main; sys.exit(main())")
PARAMETERS = {
    **{"path1.capacity": "100 Mbit/s", "path2.capacity": "100 Mbit/s"},
    **{"path1.delay": "20 ms", "path2.delay": "20 ms"},
    **{"path1.loss": "0.5 %", "path2.loss": "2 %"},
}
BOUNDS = Bounds(virtual_s=300.0, wall_s=300.0, silence_s=120.0)
FOUR_TIMES_THE_LOSS = {"ewtcp": 2.0, "semicoupled": 4.0}
"""Windows' ratio: w_r goes with 1 / sqrt(p_r), and with 1 / p_r (nsdi11, 2.4)."""


@pytest.mark.parametrize("controller", FOUR_TIMES_THE_LOSS)
def test_share_of_the_path_with_less_loss(tmp_path: Path, controller: str) -> None:
    job = make_job(tmp_path, parameters=PARAMETERS)
    job["shares"] = {"controller": controller, "seconds": 200, "skip_s": 5}
    ended, artefacts = lab_with(tmp_path / "lab", SHARES).execute(job, BOUNDS)
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "shares.json").read_text())
    assert found["both"] == 1
    first, second = found["cwnd"]
    assert first / second == pytest.approx(FOUR_TIMES_THE_LOSS[controller], rel=0.15)
