"""The direction in which a metric is good."""

from collections.abc import Mapping
from typing import Literal

Direction = Literal["more", "less", "none"]

MORE: Direction = "more"
LESS: Direction = "less"
NONE: Direction = "none"
WORDS: tuple[Direction, ...] = (MORE, LESS, NONE)
"""The values of `GOOD` in a file of the user's own."""

HIGHER: Mapping[Direction, str] = {MORE: "higher", LESS: "lower"}
HIGHEST: Mapping[Direction, str] = {MORE: "highest", LESS: "lowest"}
"""In sentences, where they fit every metric: `lower retransmission ratio`."""

DIRECTIONS: dict[str, Direction] = {
    "goodput": MORE,
    "aggregation_benefit": MORE,
    "experimental_aggregation_benefit": MORE,
    "jain": MORE,
    "retransmission_ratio": LESS,
    "reinjection_ratio": LESS,
    "wire_bytes_per_byte": LESS,
    "capture_traffic_split": NONE,
    "capture_retransmission_ratio": LESS,
    "capture_reinjection_ratio": LESS,
    "mean_loss_probability": LESS,
    "utilisation": MORE,
    "payload_utilisation": MORE,
    "loss_probability": LESS,
    "mean_queue": LESS,
    "traffic_split": NONE,
    "completion_time": LESS,
    "completion_time_median": LESS,
    "completion_time_p95": LESS,
    "completion_time_p99": LESS,
    "unfinished_flows": LESS,
    "flow_goodput": MORE,
    "offered_load": NONE,
    "carried_load": MORE,
    "requests_per_second": MORE,
    "request_time": LESS,
    "request_balance": NONE,
    "message_delay": LESS,
    "message_delay_median": LESS,
    "message_delay_p95": LESS,
    "message_delay_p99": LESS,
    "message_delay_max": LESS,
    "less_lossy_share": NONE,
    "smoothed_rtt": LESS,
    "settling_time": LESS,
    "rate_jitter": LESS,
    "max_min_distance": LESS,
    "out_of_order_ratio": LESS,
    "duplicate_ratio": LESS,
    "limited_by_window": LESS,
    "limited_by_buffer": LESS,
    "limited_by_network": NONE,
    "limited_by_application": NONE,
    "interruption": LESS,
}
"""By the name of a metric in experiment files. Neither is good of a share, because what
a share should be depends on the network."""


def direction(metric: str, own: Mapping[str, Direction]) -> Direction:
    """The direction of a metric.

    own : what the experiment says of its own metrics; one that it says nothing of has
        none
    """
    return own.get(metric, DIRECTIONS.get(metric, NONE))


def ends(direction: Direction) -> tuple[str, str]:
    """The names of a metric's extreme values, the good one first."""
    if direction == NONE:
        return "highest", "lowest"
    return "best", "worst"
