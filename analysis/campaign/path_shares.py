"""Metrics that say nothing about a transport with one path.

All bytes of a TCP connection take its path, whatever the network is like. The page, the
figures and the dashboard leave such a share out.
"""

import pandas as pd

from analysis.campaign.columns import paths
from analysis.run import absent
from jobs.protocol import ONE_PATH

MULTIPATH_METRICS = ("traffic_split",)


def multipath(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of protocols whose connections can take several paths."""
    return runs[~_one_path(runs)]


def without_lone_shares(runs: pd.DataFrame) -> pd.DataFrame:
    """The table, without the shares of paths in rows of protocols with one path."""
    names = [f"{path}.share" for path in paths(runs)]
    there = [name for name in names if name in runs.columns]
    one_path = _one_path(runs)
    if not there or not one_path.any():
        return runs
    shown = runs.assign(**{name: runs[name].mask(one_path) for name in there})
    if absent.COLUMN in runs.columns:
        pairs = zip(runs[absent.COLUMN], runs["protocol"], strict=True)
        told = [_told(text, protocol) for text, protocol in pairs]
        shown = shown.assign(**{absent.COLUMN: pd.Series(told, index=runs.index)})
    return shown


def _told(text: object, protocol: object) -> object:
    """A row's reasons, with that of the share; no text stays none."""
    if not isinstance(text, str) or protocol not in ONE_PATH:
        return text
    reason = absent.ONE_PATH[str(protocol)]
    more = dict.fromkeys(MULTIPATH_METRICS, reason)
    return absent.written(more | absent.read(text))


def _one_path(runs: pd.DataFrame) -> "pd.Series[bool]":
    if "protocol" not in runs.columns:  # runs that all failed have no metrics
        return pd.Series(False, index=runs.index)
    return runs["protocol"].isin(ONE_PATH)
