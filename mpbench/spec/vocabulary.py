"""The names that an experiment file may use. A new one is added here, or to
`jobs.vocabulary` if jobs have it too."""

from jobs.vocabulary import CONGESTION_CONTROLS as CONGESTION_CONTROLS
from jobs.vocabulary import PATH_MANAGERS as PATH_MANAGERS
from jobs.vocabulary import PROTOCOLS as PROTOCOLS
from jobs.vocabulary import QUIC as QUIC
from jobs.vocabulary import READ_MODES as READ_MODES
from jobs.vocabulary import SCHEDULERS as SCHEDULERS
from tools import NAMES

TOOLS = NAMES
"""Traffic tools, each a folder of `tools`."""

OF_LINUX = {"bbr", "cubic", "reno", "vegas", "default", "fullmesh"}
"""Controllers, schedulers and path managers that every Linux has, not the overlay."""

RATE_CONTROLS = ("bbr", "mpcc")
"""Those that set a rate, and a window that does not limit it."""

LEAST_SUBFLOWS = {"redundant": 2, "roundrobin": 2, "weighted": 2}
"""The number of subflows that these schedulers need to choose among."""


DESIGN_METHODS = ("wsp", "lhs", "sobol", "uniform", "grid")
"""The methods of the package wsp, and `grid`, which takes all combinations of lists."""

DESIGN_KEYS = (
    "method",
    "points",
    "grown_from",
    "thinned_to",
    "seed",
    "candidates",
    "candidate_set",
    "distance",
    "boundary",
    "start",
    "factors",
    "constraints",
)
"""Keys of a design. No parameter has such a name, so that a key of the design that is
indented too far can be told from a factor."""

CANDIDATE_SETS = ("uniform", "lhs", "sobol")

DISTANCES = ("euclidean", "l1")

BOUNDARIES = ("cube", "torus")

METRICS = (
    "goodput",
    "aggregation_benefit",
    "experimental_aggregation_benefit",
    "jain",
    "retransmission_ratio",
    "reinjection_ratio",
    "wire_bytes_per_byte",
    "capture_traffic_split",
    "capture_retransmission_ratio",
    "capture_reinjection_ratio",
    "mean_loss_probability",
    "utilisation",
    "payload_utilisation",
    "loss_probability",
    "mean_queue",
    "traffic_split",
    "completion_time",
    "completion_time_median",
    "completion_time_p95",
    "completion_time_p99",
    "unfinished_flows",
    "flow_goodput",
    "offered_load",
    "carried_load",
    "requests_per_second",
    "request_time",
    "request_balance",
    "message_delay",
    "message_delay_median",
    "message_delay_p95",
    "message_delay_p99",
    "message_delay_max",
    "less_lossy_share",
    "smoothed_rtt",
    "settling_time",
    "rate_jitter",
    "max_min_distance",
    "out_of_order_ratio",
    "duplicate_ratio",
    "limited_by_window",
    "limited_by_buffer",
    "limited_by_network",
    "limited_by_application",
    "interruption",
)

DIFFERENCES = ("absolute", "signed", "none")
"""Of a factor between path 1 and path 2 (thesis 3.2), or the factor itself."""

MEASURED_CRITERIA = ("first_path_quality", "first_path_use", "mean_loss")
"""Criteria that are measured, and not parameters (docs/metrics.md)."""
WORD_CRITERIA = ("first_path_quality", "first_path_use")
"""Those whose values are words: best, between or worst."""

RESERVED_SYSCTLS = {
    "net.ipv4.tcp_congestion_control": "congestion_control",
    "net.mptcp.scheduler": "scheduler",
    "net.mptcp.path_manager": "path_manager",
    "net.mptcp.enabled": "protocol",
}
"""Sysctls that have a key of their own."""
