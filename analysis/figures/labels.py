"""Names of columns as people read them."""

import re

UNITS = {
    "mbps": "Mbit/s",
    "ms": "ms",
    "s": "s",
    "percent": "%",
    "packets": "packets",
    "bytes": "bytes",
}
SYMBOLS = {
    "aggregation_benefit": "aggregation benefit $A_B$",
    "experimental_aggregation_benefit": "experimental aggregation benefit $E_{AB}$",
    "jain": "Jain's fairness index",
    "path1.share": "share of path 1",
    "requests_per_s": "requests a second",
    "request_balance": "$R_N$ of lowrtt and roundrobin",
    "less_lossy_share": "share of the less lossy path",
    "mean_loss_percent": "mean loss probability [%]",
    "first_path_quality": "first path, by TCP on each path",
    "first_path_use": "first path, by its part in the connection",
}


def label(column: str) -> str:
    """`path1.queueing_delay_ms` as `path 1 queueing delay [ms]`."""
    if column in SYMBOLS:
        return SYMBOLS[column]
    head, _, rest = column.rpartition(".")
    what, _, unit = rest.rpartition("_")
    if not what or unit not in UNITS:
        what, unit = rest, ""
    words = [re.sub(r"^path(\d+)$", r"path \1", head)] if head else []
    words.append(what.replace("_", " "))
    return " ".join(words) + (f" [{UNITS[unit]}]" if unit else "")


def plain(column: str) -> str:
    """The same without its unit and without mathematics, for running text."""
    return without_mathematics(label(column).partition(" [")[0])


def without_mathematics(text: str) -> str:
    """`$E_{AB}$` as `E_AB`."""
    return text.translate(str.maketrans("", "", "${}"))
