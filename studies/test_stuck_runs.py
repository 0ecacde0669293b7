"""A run is stuck if it is slow without retransmitting."""

import pandas as pd

from studies.stuck_runs import stuck


def test_a_slow_run_with_losses_is_not_stuck() -> None:
    columns = ["point", "case", "goodput_mbps", "retransmission_ratio"]
    rows = [
        (0, "lia", 100.0, 0.01),
        (0, "mpcc_loss", 59.0, 0.0),
        (1, "lia", 100.0, 0.01),
        (1, "mpcc_loss", 59.0, 0.001),
        (2, "lia", 100.0, 0.01),
        (2, "mpcc_loss", 61.0, 0.0),
    ]
    found = stuck(pd.DataFrame(rows, columns=columns))
    assert list(found["mpcc_loss"]) == [True, False, False]
    assert not found["lia"].any()
