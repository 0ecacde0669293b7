"""Features that tell one network of a campaign from another."""

import re

import pandas as pd

_OF_NETWORK = re.compile(
    r"\w+\.((down_)?(capacity_mbps|delay_ms|queueing_delay_ms|queue_packets"
    r"|loss_percent)|users)"
)


def network_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that tell one network from another, in the frame's order."""
    return [str(name) for name in frame.columns if _OF_NETWORK.fullmatch(str(name))]


def network_and_size(rows: pd.DataFrame, others: pd.DataFrame) -> list[str]:
    """The columns by which rows of two sets belong to the same network.

    The size of a transfer counts where either set has several.
    """
    keys = [name for name in network_columns(rows) if name in others.columns]
    for size in {"traffic.size_bytes"} & set(rows.columns) & set(others.columns):
        several = max(rows[size].nunique(), others[size].nunique()) > 1
        keys += [size] if several else []
    return keys
