"""The traffic that a metric needs, for messages about metrics that no run has."""

SIZED_FLOWS = "traffic of 'flows' with a size"
ONE_DOWNLOAD = f"traffic of 'curl', or {SIZED_FLOWS}"
REQUESTS = "traffic of 'ab'"
MESSAGES = "traffic of 'cbr' with 'over: connection'"
TIMED = "traffic of 'iperf3' with a duration"
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
    "settling_time": TIMED,
    "rate_jitter": TIMED,
    "capture_traffic_split": CAPTURE,
    "capture_retransmission_ratio": "a 'capture'",
    "capture_reinjection_ratio": CAPTURE,
    "mean_loss_probability": CAPTURE,
    "aggregation_benefit": "a case of mptcp",
}
"""By metric. A metric that is not here is there for every traffic, or depends on more
than the experiment file."""
