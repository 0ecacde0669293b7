"""Windows on two paths of fixed random loss and no queue, against closed forms.

Where these apply, and where not: studies/notes/controllers.md; more controllers,
networks and time: validation/controller_shares.py.
"""

import json
from pathlib import Path
from statistics import mean

import pytest

from mpbench.backends.base import Bounds

from .balance import BALANCES
from .lab import lab_with, make_job, script

SHARES = script("import sys; from tests.virtual.shares import main; sys.exit(main())")
RTT_S = (0.04, 0.04)
PARAMETERS = {
    **{"path1.capacity": "200 Mbit/s", "path2.capacity": "200 Mbit/s"},
    **{"path1.delay": "20 ms", "path2.delay": "20 ms"},
    **{"path1.loss": "0.05 %", "path2.loss": "0.2 %"},
}
BOUNDS = Bounds(virtual_s=300.0, wall_s=300.0, silence_s=120.0)
SEEDS = (1, 2)
SECONDS = 70


@pytest.mark.parametrize("controller", ["lia", "balia", "ewtcp", "semicoupled"])
def test_shares_and_totals_of_closed_forms(tmp_path: Path, controller: str) -> None:
    """At the loss that netem drew, over the seeds; of windows the root mean square."""
    shares, totals = [], []
    lab = lab_with(tmp_path / "lab", SHARES)
    for seed in SEEDS:
        job = make_job(tmp_path, parameters=PARAMETERS, seed=seed)
        job["shares"] = {"controller": controller, "seconds": SECONDS, "skip_s": 10}
        ended, artefacts = lab.execute(job, BOUNDS)
        assert ended.status == "finished", ended.reason
        found = json.loads((artefacts / "shares.json").read_text())
        assert found["both"] == 1
        pairs = zip(found["lost"], found["packets"], strict=True)
        loss = [lost / of for lost, of in pairs]
        assert loss == pytest.approx([0.0005, 0.002], rel=0.5)
        wanted = BALANCES[controller](loss, RTT_S)
        got = found["cwnd"]
        shares.append(got[0] / sum(got) / (wanted[0] / sum(wanted)))
        totals.append(sum(found["rms"]) / sum(wanted))
    assert mean(shares) == pytest.approx(1, abs=0.05), shares
    assert mean(totals) == pytest.approx(1, abs=0.05), totals
