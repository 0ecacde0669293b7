"""The columns of a campaign's table: which metric each holds, and its label."""

import re

from analysis.run.number_columns import UNITS

METRIC_COLUMNS = {
    "goodput": "goodput_mbps",
    "traffic_split": "path1.share",
    "capture_traffic_split": "path1.capture_share",
    "completion_time": "completion_time_s",
    "completion_time_median": "completion_time_median_s",
    "completion_time_p95": "completion_time_p95_s",
    "completion_time_p99": "completion_time_p99_s",
    "flow_goodput": "flow_goodput_mbps",
    "offered_load": "offered_load_mbps",
    "carried_load": "carried_load_mbps",
    "requests_per_second": "requests_per_s",
    "request_time": "request_time_ms",
    "message_delay": "message_delay_ms",
    "message_delay_median": "message_delay_median_ms",
    "message_delay_p95": "message_delay_p95_ms",
    "message_delay_p99": "message_delay_p99_ms",
    "smoothed_rtt": "srtt_ms",
    "mean_queue": "mean_queue_packets",
    "settling_time": "settling_time_s",
}
"""The column of each metric whose name in an experiment file is another one."""
DESIGN_WEIGHT = "design_weight"
"""The share of the design's domain that is nearest to the network, times the number of
networks; only in tables whose weights were asked for."""
SYMBOLS = {
    "aggregation_benefit": "aggregation benefit $A_B$",
    "experimental_aggregation_benefit": "experimental aggregation benefit $E_{AB}$",
    "jain": "Jain's fairness index",
    "path1.share": "share of path 1",
    "requests_per_s": "requests per second",
    "srtt_ms": "smoothed RTT [ms]",
    "payload_utilisation": "goodput over the payload share",
    "max_min_distance": "distance from max-min fairness",
    "request_balance": "$R_N$ of lowrtt and roundrobin",
    "less_lossy_share": "share of the less lossy path",
    "mean_loss_percent": "mean loss probability [%]",
    "first_path_quality": "first path, by TCP on each path",
    "first_path_use": "first path, by its part in the connection",
}
"""Labels of columns whose name alone is not clear enough."""


def column_of(metric: str) -> str:
    """The column of a metric that an experiment file names."""
    return METRIC_COLUMNS.get(metric, metric)


def label(column: str) -> str:
    """The label of an axis: `path1.queueing_delay_ms` is `path 1 queueing delay [ms]`.

    It may hold mathematics between dollar signs, as matplotlib writes it.
    """
    if column in SYMBOLS:
        return SYMBOLS[column]
    head, _, rest = column.rpartition(".")
    if rest in SYMBOLS:
        return f"{head} {SYMBOLS[rest]}"
    what, _, unit = rest.rpartition("_")
    if not what or unit not in UNITS:
        what, unit = rest, ""
    words = [re.sub(r"^path(\d+)$", r"path \1", head)] if head else []
    words.append(what.replace("_", " "))
    return " ".join(words) + (f" [{UNITS[unit]}]" if unit else "")


def plain(column: str) -> str:
    """The label for running text: without unit and without mathematics."""
    return without_mathematics(label(column).partition(" [")[0])


def without_mathematics(text: str) -> str:
    """`E_AB` for `$E_{AB}$`."""
    return text.translate(str.maketrans("", "", "${}"))
