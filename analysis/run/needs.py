"""The metrics of a run: their columns, and the traffic that they need."""

SIZED_FLOWS = "traffic of 'flows' with a size"
ONE_DOWNLOAD = f"traffic of 'curl', or {SIZED_FLOWS}"
REQUESTS = "traffic of 'ab'"
MESSAGES = "traffic of 'cbr' with 'over: connection'"
TIMED = "traffic of 'iperf3' with a duration"
HELD_S = 5.0
"""A rate has settled if it stays near its mean for this long ([pcc])."""
SETTLING = f"traffic of 'iperf3' of more than {HELD_S:g} s"
INTERVALS = "traffic of 'iperf3'"
CAPTURE = "a 'capture', and a case of mptcp"

NEEDS: dict[str, str] = {
    "completion_time": ONE_DOWNLOAD,
    "completion_time_median": SIZED_FLOWS,
    "completion_time_p95": SIZED_FLOWS,
    "completion_time_p99": SIZED_FLOWS,
    "unfinished_flows": SIZED_FLOWS,
    "offered_load": SIZED_FLOWS,
    "carried_load": SIZED_FLOWS,
    "requests_per_second": REQUESTS,
    "request_time": REQUESTS,
    "request_balance": REQUESTS,
    "message_delay": MESSAGES,
    "message_delay_median": MESSAGES,
    "message_delay_p95": MESSAGES,
    "message_delay_p99": MESSAGES,
    "message_delay_max": MESSAGES,
    "settling_time": SETTLING,
    "rate_jitter": TIMED,
    "capture_traffic_split": CAPTURE,
    "capture_retransmission_ratio": "a 'capture'",
    "capture_reinjection_ratio": CAPTURE,
    "mean_loss_probability": CAPTURE,
    "aggregation_benefit": "a case of mptcp",
    "traffic_split": "a case of mptcp",
    "out_of_order_ratio": "a case of mptcp",
    "duplicate_ratio": "a case of mptcp",
    "interruption": INTERVALS,
}
"""By metric. A metric that is not here is there for every traffic, or depends on more
than the experiment file."""
EARLIER = ("aggregation_benefit", "traffic_split", "request_balance")
METRICS = (
    "goodput",
    "aggregation_benefit",
    "jain",
    "retransmission_ratio",
    "reinjection_ratio",
    "wire_bytes_per_byte",
    "utilisation",
    "payload_utilisation",
    "loss_probability",
    "mean_queue",
    "traffic_split",
    "flow_goodput",
    "smoothed_rtt",
    "max_min_distance",
    "limited_by_window",
    "limited_by_buffer",
    "limited_by_network",
    "limited_by_application",
    *(name for name in NEEDS if name not in EARLIER),
)
"""Those that a run has by itself, by their names in experiment files."""
OF_MPTCP = (
    "aggregation_benefit",
    "traffic_split",
    "capture_traffic_split",
    "out_of_order_ratio",
    "duplicate_ratio",
)
"""Metrics that say nothing about TCP on one path."""


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
    "message_delay_max": "message_delay_max_ms",
    "smoothed_rtt": "srtt_ms",
    "mean_queue": "mean_queue_packets",
    "settling_time": "settling_time_s",
    "interruption": "interruption_s",
}
"""The column of each metric whose name in an experiment file is another one."""


def column(metric: str, first_path: str) -> str:
    """The column of a metric. first_path : the name of the user's first path"""
    name = METRIC_COLUMNS.get(metric, metric)
    if name.startswith("path1."):
        name = f"{first_path}.{name.removeprefix('path1.')}"
    return name
