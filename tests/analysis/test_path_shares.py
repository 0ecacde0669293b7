"""Shares of paths in tables of runs."""

import pandas as pd

from analysis.campaign.path_shares import multipath, without_lone_shares


def test_runs_that_all_failed_have_no_protocol() -> None:
    """Such a table has verdicts and no metrics, and its dashboard still shows it."""
    runs = pd.DataFrame({"case": ["lia"], "verdict": ["failed"]})
    assert without_lone_shares(runs).equals(runs)
    assert multipath(runs).equals(runs)
