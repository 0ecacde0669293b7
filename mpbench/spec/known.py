"""The names that an experiment file may use. A new one is added here."""

PROTOCOLS = ("mptcp", "tcp")

CONGESTION_CONTROLS = ("bbr", "cubic", "lia", "reno", "vegas")
"""Controllers of the guest kernel; `lia` is ours (RFC 6356), from the overlay."""

SCHEDULERS = ("default", "lowrtt")
"""Packet schedulers of MPTCP: the kernel's own, and the thesis's (2.1.1), which
takes the subflow of the lowest smoothed RTT that has space in its window."""

PATH_MANAGERS = ("fullmesh",)
"""`fullmesh`: one subflow from every address of the client to the server."""

TOOLS = ("iperf3", "curl", "ab")
"""Traffic tools, each a file of `mpbench.workloads`."""

READ_MODES = ("coalesced", "packet")

DESIGN_METHODS = ("wsp", "lhs", "sobol", "uniform", "grid")
"""Those of room wsp, and `grid`, which crosses lists and spreads nothing."""

CANDIDATE_SETS = ("uniform", "lhs", "sobol")

DISTANCES = ("euclidean", "l1")

METRICS = (
    "goodput",
    "aggregation_benefit",
    "experimental_aggregation_benefit",
    "jain",
    "retransmission_ratio",
    "reinjection_ratio",
    "capture_traffic_split",
    "capture_retransmission_ratio",
    "capture_reinjection_ratio",
    "mean_loss_probability",
    "utilisation",
    "traffic_split",
    "completion_time",
    "requests_per_second",
    "request_time",
)

FIGURE_KINDS = ("goodput", "histogram", "box", "cdf", "groups", "table")

DIFFERENCES = ("absolute", "signed", "none")
"""Of a factor between path 1 and path 2 (thesis 3.2), or the factor itself."""

RESERVED_SYSCTLS = {
    "net.ipv4.tcp_congestion_control": "congestion_control",
    "net.mptcp.scheduler": "scheduler",
    "net.mptcp.path_manager": "path_manager",
    "net.mptcp.enabled": "protocol",
}
"""Sysctls that have a key of their own."""
