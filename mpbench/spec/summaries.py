"""One line about each name that an experiment file may use, for `mpbench list`.

`mpbench.spec.vocabulary` has the names themselves; a test compares the two. What a
controller or a metric is exactly stands in docs/.
"""

from collections.abc import Mapping

from tools import NAMES, part

CONGESTION_CONTROLS: Mapping[str, str] = {
    "balia": "Balia (Peng et al. 2016): between LIA's friendliness and OLIA's response",
    "bbr": "the kernel's BBR on each subflow, uncoupled",
    "cmpbbr": "BBRs that share a bottleneck as one (Mahmud et al. 2020)",
    "coupled": "fully coupled windows (Wischik et al. 2011, section 2.2)",
    "cubic": "the kernel's Cubic on each subflow, uncoupled",
    "dlia": "LIA that loses less where losses come often (Lubna et al. 2020)",
    "ewtcp": "a weighted Reno on each subflow (Honda et al. 2009)",
    "lia": "linked increases with the minimum over path sets (Wischik et al. 2011)",
    "lia_rfc6356": "linked increases as RFC 6356 has them",
    "mpcc": "rates by online learning (Gilad et al. 2020); with one subflow PCC Vivace",
    "olia": "opportunistic linked increases (Khalili et al. 2013)",
    "reno": "the kernel's Reno on each subflow, uncoupled",
    "semicoupled": "semicoupled windows (Wischik et al. 2011, section 2.4)",
    "vegas": "the kernel's Vegas on each subflow, uncoupled",
    "wvegas": "weighted Vegas, by delay instead of loss (Cao, Xu and Fu 2012)",
}

SCHEDULERS: Mapping[str, str] = {
    "blest": "lowrtt, but spares what would block the send window (Ferlin et al. 2016)",
    "daps": "in the order of arrival, planned for whole rounds (Kuhn et al. 2014)",
    "default": "the upstream kernel's scheduler",
    "ecf": "lowrtt, but waits where that completes earlier (Lim et al. 2017)",
    "lowrtt": "the subflow with the smallest round-trip time that has space first",
    "otias": "where it arrives first, also behind a full window (Yang et al. 2014)",
    "paced": "as lowrtt, for controllers that set rates: a short queue per subflow",
    "redundant": "every segment on every subflow",
    "roundrobin": "the subflows in turn",
    "stms": "lowrtt, and slow paths send further ahead (Shi et al. 2018)",
    "weighted": "the subflows in turn, each as many segments as its weight",
}

PATH_MANAGERS: Mapping[str, str] = {
    "fullmesh": "one subflow from every address of the client to the server",
    "ndiffports": "several subflows between the first pair of addresses",
}

TOOLS: Mapping[str, str] = {name: part(name, "keys").SUMMARY for name in NAMES}

METRICS: Mapping[str, str] = {
    "goodput": "bytes that the receiving program read, by time",
    "aggregation_benefit": "A_B: goodput beyond the best path's capacity, from -1 to 1",
    "experimental_aggregation_benefit": "E_AB: the same beside measured TCP goodputs",
    "jain": "Jain's fairness index of the users' goodputs",
    "retransmission_ratio": "retransmitted over first-sent segments (kernel counters)",
    "reinjection_ratio": "reinjected over first-sent segments (kernel counters)",
    "wire_bytes_per_byte": "bytes of frames over bytes that arrived, copies included",
    "capture_traffic_split": "the first path's share of the data, from captures",
    "capture_retransmission_ratio": "retransmitted over first-sent, from captures",
    "capture_reinjection_ratio": "data repeated on another subflow, from captures",
    "mean_loss_probability": "share-weighted loss of the paths, from two captures",
    "utilisation": "goodput over the capacity of the links used",
    "payload_utilisation": "goodput by what the links used can carry of it",
    "loss_probability": "share of the packets that the links used lost",
    "mean_queue": "mean queue of the links used, over time",
    "traffic_split": "the first path's share of all bytes of frames",
    "completion_time": "of a download or transfer, from the start to the last byte",
    "completion_time_median": "median of all transfers of flows, the unfinished last",
    "completion_time_p95": "95th percentile of all transfers, the unfinished last",
    "completion_time_p99": "99th percentile of all transfers, the unfinished last",
    "unfinished_flows": "number of transfers of flows that did not complete",
    "flow_goodput": "mean over the connections of flows of bytes by each one's time",
    "offered_load": "bytes of all transfers of flows by the time of their arrivals",
    "carried_load": "bytes that arrived in the time of the arrivals, by that time",
    "requests_per_second": "requests answered by time",
    "request_time": "mean time of a request on its connection",
    "request_balance": "requests of lowrtt against those of roundrobin, from -1 to 1",
    "message_delay": "mean time from when a message of cbr is due until it is read",
    "message_delay_median": "median of these times of a run's messages",
    "message_delay_p95": "95th percentile of these times",
    "message_delay_p99": "99th percentile of these times",
    "message_delay_max": "longest of these times",
    "less_lossy_share": "the share of the path on which TCP retransmits less",
    "smoothed_rtt": "mean smoothed round-trip time of the senders",
    "settling_time": "time until the rates stay within 25 % of their means for 5 s",
    "rate_jitter": "standard deviation of the rates over their means, late in the run",
    "max_min_distance": "largest shortfall from the max-min fair rates, from 0 to 1",
    "out_of_order_ratio": "packets ahead of older data over first-sent segments",
    "duplicate_ratio": "packets with data that had arrived over first-sent segments",
    "limited_by_window": "share of time with the receiver's window full",
    "limited_by_buffer": "share of time with TCP's send buffer full",
    "limited_by_network": "share of time in which data were sent or waited for cwnd",
    "limited_by_application": "share of time without data to send",
    "interruption": "longest time in which a receiver of iperf3 read nothing",
}

DESIGN_METHODS: Mapping[str, str] = {
    "wsp": "points at least some distance apart, chosen from many candidates",
    "lhs": "Latin hypercube: one point in each slice of every factor",
    "sobol": "a Sobol sequence",
    "uniform": "independent uniform points",
    "grid": "all combinations of the values that are listed",
}
